// The role `typescript` of those who lease items of a `WorkQueue`: items.mjs URL NAME. It squares numbers and leaves word
// as `items.py` does, until it is killed or crashes.
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, WorkQueue } from "../../clients/typescript/dist/index.js";

const { MIXED, MIXED_WORKER } = process.env;

/** Leaves word: a line at once, so that lines of several processes do not mix. */
function note(...words) {
  appendFileSync(join(MIXED, "items"), `${[...words, MIXED_WORKER].join(" ")}\n`);
}

/** Crashes if the item says so, at its first attempt. */
function crash(given, at) {
  if (given.crash !== at) return;
  try {
    mkdirSync(join(MIXED, `crash-${given.n}`));
  } catch {
    return;
  }
  process.exit(7);
}

const [, , url, name] = process.argv;
const queue = new WorkQueue(new Client(url), name);
for (;;) {
  const item = await queue.lease(1, { timeout: 1 });
  if (item === null) {
    await queue.lightClean();
    continue;
  }
  const given = item.json();
  crash(given, "leased");
  await sleep(given.ms);
  note("result", item.id, given.n ** 2);
  crash(given, "worked");
  if (await queue.complete(item)) {
    crash(given, "completed");
    note("done", item.id, "-");
  }
}
