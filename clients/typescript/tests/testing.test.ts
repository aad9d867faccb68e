import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Again, type Context, Failure, calls } from "@blueque/client";
import { Clock, runUntilIdle } from "@blueque/client/testing";
import { Server } from "./server.js";

const server = new Server();
after(() => server[Symbol.asyncDispose]());

const PACKAGE = new URL("..", import.meta.url).pathname;
const ENVIRONMENT = { ...process.env, NODE_PATH: "" };

test("tasks run here until nothing is left", async () => {
  await using client = server.client();
  const queue = client.queue("q");
  const given = { method: "add", maxFailures: 0 };
  const tasks = [await queue.submit([1, 2], given), await queue.submit([3, 4], given)];
  const [wrong, again] = [await queue.submit(null, { method: "fails", maxFailures: 0 }), await queue.submit(null, { method: "again" })];
  const handlers = {
    add: ([one, other]: [number, number]): number => one + other,
    fails: (): never => {
      throw new Failure("no such film", { group: "films" });
    },
    again: async (_: null, context: Context): Promise<unknown> => {
      context.log(`in ${context.folder ? "a folder" : "none"}`);
      if (context.attempt > 1) return context.lastCheckpoint();
      await context.checkpoint("kept");
      throw new Again();
    },
  };
  assert.equal(await runUntilIdle(client, "q", handlers), 5);
  assert.deepEqual([await tasks[0]?.result(), await tasks[1]?.result(), await again.result()], [3, 7, "kept"]);
  await assert.rejects(wrong.result(), { name: "TaskFailed", group: "films" });
  const log: string[] = [];
  for await (const entry of again.logs()) log.push(entry.text);
  assert.deepEqual(log, ["in a folder\n", "in a folder\n"]);
  assert.deepEqual(await queue.listeners(), []);
  await queue.submit(1, { method: "again" });
  await assert.rejects(runUntilIdle(client, "q", () => { throw new Again(); }, 3), { code: "TIMEDOUT" });
});

test("time is an argument", async () => {
  const clock = new Clock();
  await using client = server.client({ clock: clock.read });
  const later = await client.queue("q").submit(1, { eta: clock.now + 3600 });
  assert.equal(await runUntilIdle(client, "q", () => 2), 0);
  clock.advance(3601);
  assert.equal(await runUntilIdle(client, ["q", "other"], () => 2), 1);
  assert.equal(await later.result(), 2);
});

test("a program of CommonJS loads it with require", () => {
  const program = `const { Client, calls } = require("@blueque/client"); const { Server } = require("@blueque/client/testing");
    console.log(typeof Client, typeof calls.submit, typeof Server);`;
  const said = spawnSync(process.execPath, ["--input-type=commonjs", "-e", program], { cwd: PACKAGE, env: ENVIRONMENT, encoding: "utf8" });
  assert.equal(said.stdout, "function function function\n", said.stderr);
  const { engines } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as { engines: { node: string } };
  assert.equal(engines.node, ">=20.19", "before that require() does not load ES modules");
});

test("a process ends as soon as its worker and its client have, however short they were there", () => {
  const program = `import { Client, Worker } from "@blueque/client";
    const client = new Client(${JSON.stringify(server.url)}, { namespace: "t" + process.pid });
    const worker = new Worker(client, "q", () => 1, { log: () => undefined });
    const running = worker.run();
    await client.queue("q").submit(1);
    worker.stop();
    await running;
    await client.close();
    const late = setTimeout(() => { console.log(process.getActiveResourcesInfo()); process.exit(1); }, 10_000);
    late.unref();`;
  for (let time = 0; time < 3; time += 1) {
    const said = spawnSync(process.execPath, ["--input-type=module", "-e", program], { cwd: PACKAGE, env: ENVIRONMENT, encoding: "utf8" });
    assert.deepEqual([said.stdout, said.stderr, said.status], ["", "", 0]);
  }
});

test("the first page of the project", () => {
  const page = readFileSync(join(PACKAGE, "../../README.md"), "utf8").split("## Use it from any language")[1] ?? "";
  const program = /```ts\n(.*?)```/s.exec(page)?.[1] ?? "";
  assert.ok(program.split("\n").length <= 12, "about ten lines");
  assert.ok(program.includes("new Client()"));
  const folder = mkdtempSync(join(tmpdir(), "blueque-page-"));
  try {
    symlinkSync(join(PACKAGE, "node_modules"), join(folder, "node_modules"));
    const own = program.replace("new Client()", `new Client(${JSON.stringify(server.url)})`).replace('"@blueque/client"', JSON.stringify(join(PACKAGE, "dist/index.js")));
    writeFileSync(join(folder, "films.ts"), own);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const settings = ["--ignoreConfig", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2024,esnext.disposable", "--types", "node", "--skipLibCheck"];
    const made = spawnSync(process.execPath, [join(PACKAGE, "node_modules/typescript/bin/tsc"), ...settings, "films.ts"], { cwd: folder, encoding: "utf8" });
    assert.equal(made.status, 0, made.stdout);
    const said = spawnSync(process.execPath, ["films.js"], { cwd: folder, encoding: "utf8", timeout: 60_000 });
    assert.deepEqual([said.stdout, said.status], ["a.mkv.mp4\n", 0], said.stderr);
    assert.match(said.stderr, /^\S+ INFO {2}takes tasks of .*\n(\S+ INFO {2}(to stop it|takes no more).*\n)*$/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a task without parameters gets an empty list", async () => {
  await using client = server.client();
  await client.run(calls.submit("q", [{ id: "none", eta: null, parameters: "" }]));
  await runUntilIdle(client, "q", (list: unknown) => list);
  assert.deepEqual(await client.task("none").result({ timeout: 0 }), []);
});
