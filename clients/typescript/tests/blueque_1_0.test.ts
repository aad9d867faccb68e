// Tests the table in docs/migrating/blueque-1.0.md: programs for Blueque 1.0's Python API, ported to this client.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Client, NotFound, Refused, Worker, calls } from "@blueque/client";
import { Server, becomes } from "./server.js";

const server = new Server();
after(() => server[Symbol.asyncDispose]());

const [LISTENER, DEAD] = ["host_1", "host_2"];

test("a task is submitted, scheduled and made due", async () => {
  await using client = new Client(server.url);
  const queue = client.queue("q");
  const task = await queue.submit([1]);
  assert.deepEqual(await (await queue.submitBytes("[1]")).parameters(), await task.parameters());
  const later = await queue.submit([2], { eta: new Date(Date.now() + 60_000) });
  assert.equal(await later.state(), "scheduled");
  assert.equal((await client.run(calls.promote("q", 100))).promoted, 0);
  const soon = await queue.submit([3], { eta: Date.now() / 1000 + 0.2 });
  await becomes(async () => (await client.run(calls.promote("q", 100))).promoted === 1);
  assert.deepEqual([await soon.state(), await later.state()], ["pending", "scheduled"]);
});

test("it is taken, started, completed or failed, shown and deleted", async () => {
  await using client = server.client();
  await client.run(calls.register("q", LISTENER));
  for (const fails of [false, true]) {
    const task = await client.queue("q").submit([1]);
    const [taken] = (await client.run(calls.reserve(LISTENER, ["q"]))) ?? [];
    assert.ok(taken);
    await client.run(calls.start(taken.id, taken.token, 7));
    await assert.rejects(task.delete(), Refused);
    if (fails) await client.run(calls.fail(taken.id, taken.token, "no"));
    else await client.run(calls.complete(taken.id, taken.token, "[3]"));
    const info = await client.task(task.id).info();
    assert.deepEqual([info.status, info.queue, info.node, info.pid], [fails ? "failed" : "complete", "q", LISTENER, 7]);
    assert.deepEqual([info.parameters, info.result, info.error], [[1], fails ? null : [3], fails ? "no" : null]);
    assert.ok(info.created !== null && info.updated !== null && info.created <= info.updated);
    await task.delete();
    await assert.rejects(task.info(), NotFound);
  }
});

test("the task of a dead listener is adopted", async () => {
  await using client = server.client();
  for (const listener of [LISTENER, DEAD]) await client.run(calls.register("q", listener));
  const task = await client.queue("q").submit([1]);
  await client.run(calls.reserve(DEAD, ["q"]));
  const [adopted] = (await client.run(calls.adopt(LISTENER, DEAD, "q", task.id))) ?? [];
  assert.equal(adopted?.id, task.id);
});

test("a worker runs a function", async () => {
  await using client = server.client();
  await using worker = new Worker(client, "q", ([one, other]: [number, number]) => one + other);
  void worker.run();
  assert.equal(await (await client.queue("q").submit([1, 2])).result({ timeout: 20 }), 3);
});
