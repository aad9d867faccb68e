// Messages of child processes to their worker: no message disturbs other tasks.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { after, test } from "node:test";
import { Client, Worker } from "@blueque/client";
import { Server } from "./server.js";

const server = new Server();
after(() => server[Symbol.asyncDispose]());

const quiet = { signals: false, log: () => undefined } as const;
const FILE = new URL("./handlers.js", import.meta.url);

test("what a handler sends by the way of Node.js ends neither its attempt nor the worker", async () => {
  await using client = server.client();
  await using worker = new Worker(client, "q", FILE, { ...quiet, tasksPerProcess: 100 });
  void worker.run();
  for (const message of [null, "ready", { kind: "end" }, { kind: "log" }, { kind: "loaded", error: 5 }, { kind: "ask", number: {} }]) {
    const task = await client.queue("q").submit(message, { method: "sends" });
    assert.equal(await task.result({ timeout: 60 }), "sent");
  }
});

/** The bytes of a message. */
function message(text: string): number[] {
  return [0, 0, 0, text.length, 0, 0, 0, 0, ...Buffer.from(text)];
}

test("a child that writes what is no message to its worker is killed, and hurts no other", async () => {
  await using client = server.client();
  await using worker = new Worker(client, "q", FILE, { ...quiet, slots: 3 });
  void worker.run();
  const written = {
    "what nobody can read": [0, 0, 0, 4, 0, 0, 0, 0, 1, 2, 3, 4],
    "that much follows": [0, 0, 0, 2, 255, 255, 255, 255],
    "that a long object follows": [255, 255, 255, 255, 0, 0, 0, 0],
    "a message that is nothing": message("null"),
    "an end without an ending": message('{"kind":"end"}'),
    "an end of an unknown kind": message('{"kind":"end","end":{"how":"gone"},"marked":[]}'),
    "an end with a name that is none": message('{"kind":"end","end":{"how":"complete","next":{}},"marked":[]}'),
    "a question about nothing": message('{"kind":"ask","number":1,"what":"counts"}'),
  };
  const submit = (bytes: number[]): ReturnType<ReturnType<typeof client.queue>["submit"]> =>
    client.queue("q").submit(bytes, { method: "scribbles", maxFailures: 0 });
  const tasks = await Promise.all(Object.values(written).map(submit));
  const groups = await Promise.all(tasks.map(async (task) => (await task.wait({ timeout: 90 })).group));
  assert.deepEqual(Object.keys(written).filter((_, at) => groups[at] !== "crashed"), []);
  const sum = await client.queue("q").submit([1, 2], { method: "add" });
  assert.equal(await sum.result({ timeout: 60 }), 3);
});

test("what a handler logs, saves or reports makes the worker no larger than it may be", async () => {
  const namespace = randomUUID();
  await using client = new Client(server.url, { namespace });
  const text = `import { Client, Worker } from "@blueque/client";
    const client = new Client("${server.url}", { namespace: "${namespace}" });
    await new Worker(client, "q", "${FILE.pathname}").run();`;
  const options = { cwd: dirname(FILE.pathname), stdio: "ignore" } as const;
  const worker = spawn(process.execPath, ["--input-type=module", "--eval", text], options);
  try {
    for (const [how, said] of [["log", "done"], ["checkpoint", "TOOBIG"], ["progress", "TOOBIG"]] as const) {
      const task = await client.queue("q").submit([how, 200 << 20], { method: "large", logBytes: 64 << 20 });
      assert.equal(await task.result({ timeout: 60 }), said);
      const log: string[] = [];
      for await (const entry of task.logs()) log.push(entry.text);
      assert.match(log.join(""), how === "log" ? /^x+\n\[\d+ characters were left out\]\n$/ : /^$/);
    }
    const [, peak] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${worker.pid ?? 0}/status`, "utf8")) ?? [];
    assert.ok(Number(peak) < 300 << 10, `${peak ?? "?"} KiB`);
  } finally {
    worker.kill("SIGKILL");
  }
});
