// Handlers that are called directly, without a worker.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { test } from "node:test";
import { type Context, PayloadError, Stopped, localContext, task } from "@blueque/client";

async function transcode(seconds: number, context: Context): Promise<number> {
  const first = context.lastCheckpoint<number>() ?? 0;
  for (let second = first; second < seconds; second += 1) {
    context.check();
    await context.checkpoint(second + 1);
    await context.progress(second + 1, seconds, "seconds");
  }
  context.log("done");
  return first;
}

test("a handler called directly has a context that prints, and keeps the checkpoint", async () => {
  const lines: string[] = [];
  const context = localContext({ checkpoint: 1, attempt: 2, print: (line) => lines.push(line) });
  assert.equal(await transcode(3, context), 1);
  assert.deepEqual(lines, ["2 of 3 seconds", "3 of 3 seconds", "done"]);
  assert.deepEqual([context.saved, context.reported, context.attempt], [3, { done: 3, total: 3, unit: "seconds" }, 2]);
  assert.deepEqual(context.fields, { task: "local", attempt: 2, queue: "local" });
  assert.ok(existsSync(context.folder));
  await rm(context.folder, { recursive: true });
  await assert.rejects(context.checkpoint(new Date()), PayloadError);
});

test("a handler made by task needs no context, and obeys a signal", async () => {
  assert.equal(await task(transcode)(1), 0);
  const stopped = localContext({ signal: AbortSignal.abort(new Stopped("cancel")), print: () => undefined });
  await assert.rejects(transcode(1, stopped), Stopped);
});
