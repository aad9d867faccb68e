// Blueque's client for TypeScript: a worker whose handlers run in its process.
import { Client, Worker } from "@blueque/client";
import { QUEUE, serve } from "./peer.mjs";

await serve(async (url) => {
  const client = new Client(url);
  await client.check();
  const queue = client.queue(QUEUE);
  let worker, last;
  return {
    add: async (task) => (last = await queue.submit(task)),
    addMany: (tasks) => queue.submitMany(tasks),
    result: () => last.result({ timeout: 0 }).catch(() => null),
    async work(slots, lease, handle) {
      worker = new Worker(client, QUEUE, handle, { slots, signals: false, ...(lease && { lease }) });
      void worker.run();
    },
    async stop() {
      worker?.stop();
      await worker?.run();
      await client.close();
    },
  };
});
