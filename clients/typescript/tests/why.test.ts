// The sentence for the reasons of a task, which is that of the command.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { TimedOut, calls } from "@blueque/client";
import { whyOf } from "../dist/why.js";
import { Server } from "./server.js";

const server = new Server();
after(() => server[Symbol.asyncDispose]());

interface Case { readonly reply: [string, string][]; readonly record: [string, string][]; readonly sentence: string }

test("sentences are those of the crate", () => {
  const cases = JSON.parse(readFileSync(new URL("../../../tests/fixtures/why.json", import.meta.url), "utf8")) as Case[];
  const read = (pairs: [string, string][]): Buffer[] => pairs.flat().map((word) => Buffer.from(word));
  for (const { reply, record, sentence } of cases) {
    const found = calls.get("t").read(read(record));
    assert.ok(found);
    assert.equal(whyOf(calls.why("t").read(read(reply)), found).toString(), sentence);
  }
});

test("a task explains itself", async () => {
  await using client = server.client();
  const task = await client.queue("films").submit(1, { id: "a" });
  const sentence = "Its queue films has no worker: start a worker for it.";
  assert.equal((await task.why()).toString(), sentence);
  await assert.rejects(task.wait({ timeout: 0 }), (error) => error instanceof TimedOut && error.detail.endsWith(`not finished within 0 s: ${sentence}`));
  const warned = new Promise<Error>((resolve) => { process.once("warning", resolve); });
  await assert.rejects(task.wait({ timeout: 2.5 }), TimedOut);
  assert.equal((await warned).message, `waits for the task a: ${sentence}`);
});
