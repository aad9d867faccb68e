// Each file of examples/ runs, and prints the expected last line.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { Worker } from "@blueque/client";
import { Server } from "./server.js";

const FOLDER = new URL("./examples/", import.meta.url);
/** The last line of each example. */
const PRINTS: Readonly<Record<string, string>> = {
  cancel: "the task was cancelled: not needed any more",
  checkpoints: "4 pages in attempt 2",
  failures: "cover: no cover for 5; Look at its error, its log and its history; `retry` runs it again.",
  graph: "a.1.mp4+a.2.mp4",
  processes: "endless: cancelled",
  tracing: "1 trace: order, run mails, smtp, submit mails, wait mails",
  work_queue: "0 wait, 0 are leased",
};

/** The same web service with several frameworks. */
const SERVICES = ["express", "fastify", "nest", "service"];

test("none is missing", () => {
  const known = [...Object.keys(PRINTS), ...SERVICES, "view"].sort();
  assert.deepEqual(readdirSync(FOLDER).map((name) => name.replace(".js", "")).sort(), known);
});

for (const [name, line] of Object.entries(PRINTS)) {
  test(`the example ${name}`, () => {
    const { stdout, stderr } = spawnSync(process.execPath, [new URL(`${name}.js`, FOLDER).pathname], { encoding: "utf8", timeout: 60_000 });
    assert.equal(stdout.trimEnd().split("\n").at(-1), line, stderr);
  });
}

for (const name of SERVICES) {
  test(`the web service submits, follows and cancels: ${name}`, async (t) => {
    await using server = new Server();
    await using client = server.client({ namespace: "service" });
    const environment = { ...process.env, BLUEQUE_URL: server.url, BLUEQUE_NAMESPACE: "service", WORKS: "no" };
    const program = spawn(process.execPath, [new URL(`${name}.js`, FOLDER).pathname, "0"], {
      env: environment, stdio: ["ignore", "pipe", "inherit"],
    });
    t.after(() => program.kill("SIGKILL"));
    const [said] = (await once(program.stdout, "data")) as [Buffer];
    const tasks = `${said.toString().trim()}/tasks`;
    const post = async (body: unknown, headers: Record<string, string> = {}) =>
      (await fetch(tasks, { method: "POST", body: JSON.stringify(body), headers })).json() as Promise<{ id: string }>;
    const key = { "Idempotency-Key": "order-1" };
    assert.deepEqual([await post("a.mkv", key), await post("a.mkv", key)], [{ id: "order-1" }, { id: "order-1" }]);
    const events = await fetch(`${tasks}/order-1/events`);
    const worker = new Worker(client, "transcode", (path) => `${path as string}.mp4`, { signals: false, log: () => undefined });
    const running = worker.run();
    const lines = (await events.text()).split("\n").filter((line) => line.startsWith("data: "));
    const changes = lines.map((line) => JSON.parse(line.slice("data: ".length)) as Record<string, unknown>);
    worker.stop();
    await running;
    assert.equal(changes[0]?.["status"], "pending");
    const last = changes.at(-1);
    assert.deepEqual([last?.["status"], last?.["result"]], ["complete", "a.mkv.mp4"]);
    assert.deepEqual(await (await fetch(`${tasks}/order-1`)).json(), last);
    assert.equal((await fetch(`${tasks}/order-1`, { method: "DELETE" })).status, 409);
    const { id } = await post({ path: "b.mkv" });
    assert.equal((await fetch(`${tasks}/${id}`, { method: "DELETE" })).status, 202);
    assert.equal(await client.task(id).state(), "cancelled");
    assert.equal((await fetch(`${tasks}/nobody/events`)).status, 404);
    assert.equal((await fetch(tasks, { method: "POST", body: "{" })).status, 400);
    program.kill("SIGTERM");
    assert.deepEqual(await once(program, "exit"), [0, null]);
  });
}

test("a worker in a module of NestJS ends with its service", async (t) => {
  await using server = new Server();
  const environment = { ...process.env, BLUEQUE_URL: server.url };
  const program = spawn(process.execPath, [new URL("nest.js", FOLDER).pathname, "0"], {
    env: environment, stdio: ["ignore", "pipe", "ignore"],
  });
  t.after(() => program.kill("SIGKILL"));
  const [said] = (await once(program.stdout, "data")) as [Buffer];
  const tasks = `${said.toString().trim()}/tasks`;
  const { id } = (await (await fetch(tasks, { method: "POST", body: '"a.mkv"' })).json()) as { id: string };
  assert.match(await (await fetch(`${tasks}/${id}/events`)).text(), /"status":"complete".*"result":"a\.mkv\.mp4"/);
  program.kill("SIGTERM");
  assert.deepEqual(await once(program, "exit"), [0, null]);
});
