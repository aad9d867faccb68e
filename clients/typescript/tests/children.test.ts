// Output of child processes, and child processes that cannot start.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Worker, type Client, type Task } from "@blueque/client";
import { Server, becomes } from "./server.js";

const server = new Server();
after(() => server[Symbol.asyncDispose]());

const quiet = { signals: false, log: () => undefined } as const;
const FILE = new URL("./handlers.js", import.meta.url);
const MUCH = { logBytes: 64 << 20 };

async function logOf(task: Task): Promise<string> {
  const parts: Buffer[] = [];
  for await (const entry of task.logs()) parts.push(Buffer.from(entry.text));
  return Buffer.concat(parts).toString();
}

function submit(client: Client, method: string, parameters: unknown): Promise<Task> {
  return client.queue("q").submit(parameters, { method, ...MUCH });
}

/** The lines of a log in the order of their numbers. The lines of two streams arrive in any order. */
function sorted(log: string): string[] {
  const number = (line: string): number => Number(line.split(" ")[1]);
  return log.split("\n").slice(0, -1).sort((one, other) => number(one) - number(other));
}

for (const tasksPerProcess of [1, 1000]) {
  test(`all that a child prints is in the log of its task, ${tasksPerProcess} tasks per process`, async () => {
    await using client = server.client();
    await using worker = new Worker(client, "q", FILE, { ...quiet, slots: 2, tasksPerProcess });
    const tasks: [string, number, Task][] = [];
    for (let at = 0; at < 16; at += 1) {
      const [word, count] = [`w${at}`, [1, 401, 1001, 4001][at % 4] ?? 0] as const;
      tasks.push([word, count, await submit(client, "lines", [word, count])]);
    }
    void worker.run();
    for (const [word, count, task] of tasks) {
      await task.result({ timeout: 60 });
      const wanted = Array.from({ length: count }, (_, line) => `${word} ${line}`);
      assert.deepEqual(sorted(await logOf(task)), wanted);
    }
  });
}

test("what a child has printed before it crashes is in the log of its task", async () => {
  await using client = server.client();
  await using worker = new Worker(client, "q", FILE, { ...quiet, slots: 2 });
  void worker.run();
  const tasks = await Promise.all(Array.from({ length: 20 }, (_, at) => submit(client, "linesAndExit", [`w${at}`, 1001])));
  for (const [at, task] of tasks.entries()) {
    assert.equal((await task.wait({ timeout: 60 })).group, "crashed");
    assert.deepEqual(sorted(await logOf(task)), Array.from({ length: 1001 }, (_, line) => `w${at} ${line}`));
  }
});

for (const how of ["replaced", "corked", "ended", "destroyed", "closed"]) {
  test(`a handler whose stdout is ${how} completes, and so does the next one in its process`, async () => {
    await using client = server.client();
    await using worker = new Worker(client, "q", FILE, { ...quiet, tasksPerProcess: 2 });
    void worker.run();
    const task = await submit(client, "streams", how);
    assert.equal(await task.result({ timeout: 30 }), how);
    assert.equal(await (await submit(client, "add", [1, 2])).result({ timeout: 30 }), 3);
    if (how !== "destroyed") assert.equal(await logOf(task), how === "corked" ? "printed\ncorked\n" : "printed\n");
  });
}

for (const tasksPerProcess of [1, 100]) {
  test(`a file that cannot be loaded for a moment costs no task, ${tasksPerProcess} tasks per process`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "blueque-test-"));
    const [file, needed, away] = ["handlers.mjs", "needed.mjs", "away"].map((name) => join(folder, name)) as [string, string, string];
    writeFileSync(needed, "export const two = 2;\n");
    writeFileSync(file, 'import { two } from "./needed.mjs";\nexport default (number) => two * number;\n');
    try {
      const said: string[] = [];
      const log = (_: string, text: string): void => { said.push(text); };
      await using client = server.client();
      await using worker = new Worker(client, "q", file, { ...quiet, log, slots: 2, tasksPerProcess });
      void worker.run();
      await becomes(async () => (await client.queue("q").listeners()).length === 1);
      renameSync(needed, away);
      const queue = client.queue<number, number>("q");
      const tasks = await queue.submitMany(Array.from({ length: 10 }, (_, at) => at));
      await becomes(() => said.some((text) => text.includes("needed.mjs")));
      renameSync(away, needed);
      for (const [at, task] of tasks.entries()) assert.equal(await task.result({ timeout: 60 }), 2 * at);
      const records = await Promise.all(tasks.map((task) => task.info()));
      assert.deepEqual([...new Set(records.map((record) => record.failures ?? 0))], [0]);
      // While the file was missing, most of the tasks were not even taken.
      assert.ok(records.reduce((sum, record) => sum + (record.attempt ?? 0), 0) < 30);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test("a folder that is too deep for Node.js is removed", async () => {
  await using client = server.client();
  await using worker = new Worker(client, "q", FILE, quiet);
  void worker.run();
  const folder = await (await submit(client, "deep", null)).result({ timeout: 60 });
  assert.equal(existsSync(String(folder)), false);
});
