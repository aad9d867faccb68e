// A cancel reaches the handler as an AbortSignal. The handler passes the signal to the functions that it awaits.
import { setTimeout as sleep } from "node:timers/promises";
import { type Context, TaskCancelled, Worker } from "@blueque/client";
import { Server } from "@blueque/client/testing";

async function work(_: null, context: Context): Promise<void> {
  await context.progress("begun");
  await sleep(3_600_000, undefined, { signal: context.signal }); // an hour
}

await using server = new Server();
await using client = server.client();
await using worker = new Worker(client, "long", work);
void worker.run();
const task = await client.queue<null>("long").submit(null);
for await (const event of client.queue("long").events({ follow: true })) if (event.to === "started") break;
console.log(await task.cancel("not needed any more"));
try {
  await task.result({ timeout: 60 });
} catch (error) {
  if (!(error instanceof TaskCancelled)) throw error;
  console.log(error.detail);
}
