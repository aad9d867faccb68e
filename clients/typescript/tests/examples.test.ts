// Each file of examples/ runs, and prints the expected last line.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";

const FOLDER = new URL("./examples/", import.meta.url);
/** The last line of each example. */
const PRINTS: Readonly<Record<string, string>> = {
  cancel: "the task was cancelled: not needed any more",
  checkpoints: "4 pages in attempt 2",
  failures: "cover: no cover for 5; Look at its error, its log and its history; `retry` runs it again.",
  graph: "a.1.mp4+a.2.mp4",
  processes: "endless: cancelled",
  work_queue: "0 wait, 0 are leased",
};

test("none is missing", () => {
  assert.deepEqual(readdirSync(FOLDER).map((name) => name.replace(".js", "")).sort(), Object.keys(PRINTS));
});

for (const [name, line] of Object.entries(PRINTS)) {
  test(`the example ${name}`, () => {
    const { stdout, stderr } = spawnSync(process.execPath, [new URL(`${name}.js`, FOLDER).pathname], { encoding: "utf8", timeout: 60_000 });
    assert.equal(stdout.trimEnd().split("\n").at(-1), line, stderr);
  });
}
