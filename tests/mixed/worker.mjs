// The role `typescript` of the mixed runs: a worker that squares numbers, each in a child process, until it gets SIGTERM:
// worker.mjs URL QUEUE LEASE
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Client, Worker } from "../../clients/typescript/dist/index.js";

/** Leaves word as `handler.py` does: a line at once, so that lines of several processes do not mix. */
function note(what, context) {
  const line = `${what} ${context.id} ${context.attempt} ${process.env.MIXED_WORKER}\n`;
  appendFileSync(join(process.env.MIXED, "history"), line);
}

export default async function square({ n, ms }, context) {
  note("begin", context);
  await sleep(ms, undefined, { signal: context.signal });
  note("end", context);
  return { square: n * n, attempt: context.attempt, worker: process.env.MIXED_WORKER };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , url, queue, lease] = process.argv;
  const client = new Client(url);
  const options = { slots: 2, lease: Number(lease), grace: 1, tasksPerProcess: 20 };
  await new Worker(client, queue, new URL(import.meta.url), options).run();
  await client.close();
}
