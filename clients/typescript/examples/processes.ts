// Handlers in child processes: an endless computation is stopped, and a crash affects no other task.
// This file is both the program of the worker and the file of the handlers.
import { pathToFileURL } from "node:url";
import { TaskCancelled, TaskFailed, Worker } from "@blueque/client";
import { Server } from "@blueque/client/testing";

export default {
  endless(): never {
    for (;;);
  },
  crash: (): never => process.exit(7),
  square: (number: number): number => number * number,
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await using server = new Server();
  await using client = server.client();
  await using worker = new Worker(client, "q", new URL(import.meta.url), { slots: 2, grace: 0.2, log: () => undefined });
  void worker.run();
  const queue = client.queue("q");
  const endless = await queue.submit(null, { method: "endless" });
  const crash = await queue.submit(null, { method: "crash", maxFailures: 0 });
  const square = await queue.submit(12, { method: "square" });
  console.log("square:", await square.result({ timeout: 60 }));
  await crash.result({ timeout: 60 }).catch((error: unknown) => {
    if (!(error instanceof TaskFailed)) throw error;
    console.log(`crash: ${error.error}`);
  });
  await endless.cancel();
  await endless.result({ timeout: 60 }).catch((error: unknown) => {
    if (!(error instanceof TaskCancelled)) throw error;
    console.log("endless: cancelled");
  });
}
