// "Calls" of docs/migrating/from-bullmq.md: a test for each row of the table, named by the start of its first column.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import {
  Again, type Client, type Context, Failure, Graph, type Handlers, TaskFailed, Worker, type WorkerOptions, calls,
} from "@blueque/client";
import { Server, becomes } from "./server.js";

const server = new Server();
after(() => server[Symbol.asyncDispose]());
const FILE = new URL("./handlers.js", import.meta.url);
const WAIT = { timeout: 30 };

function working(client: Client, handlers: Handlers | URL, options: WorkerOptions = {}): Worker {
  const worker = new Worker(client, "q", handlers, { signals: false, log: () => undefined, ...options });
  void worker.run();
  return worker;
}

const ROWS: Readonly<Record<string, (client: Client) => Promise<void>>> = {
  "`new Queue(": async (client) => {
    assert.equal((await client.queue("q").counts()).pending, 0);
  },
  "`queue.add(": async (client) => {
    const queue = client.queue("q");
    const [low, high] = [await queue.submit(1, { priority: 1 }), await queue.submit(2, { id: "mine", priority: 2 })];
    const given = { method: "film", maxFailures: 3, backoff: "exponential", delay: 5 } as const;
    const later = await queue.submit(3, { ...given, eta: new Date(Date.now() + 60_000) });
    const info = await later.info();
    assert.deepEqual([info.status, info.method, info.maxFailures, info.delay], ["scheduled", "film", 3, 5]);
    await client.run(calls.register("q", "host_1"));
    const order = ((await client.run(calls.reserve("host_1", ["q"], { limit: 2 }))) ?? []).map((each) => each.id);
    assert.deepEqual(order, [high.id, low.id], "higher priorities go first");
  },
  "`queue.addBulk(": async (client) => {
    assert.equal((await client.queue("q").submitMany([1, 2, 3], { priority: 1 })).length, 3);
  },
  "`new Worker(": async (client) => {
    await using _ = working(client, (number: number) => number + 1, { slots: 2 });
    assert.equal(await (await client.queue("q").submit(1)).result(WAIT), 2);
  },
  "a sandboxed processor": async (client) => {
    await using _ = working(client, FILE, { tasksPerProcess: 2 });
    const pid = async (): Promise<unknown> => (await client.queue("q").submit(null, { method: "pid" })).result(WAIT);
    const [first, second, third] = [await pid(), await pid(), await pid()];
    assert.equal(first, second);
    assert.notEqual(second, third);
    assert.notEqual(first, process.pid);
  },
  "`lockDuration`": async (client) => {
    const task = await client.queue("q").submit(1);
    await client.run(calls.register("q", "host_1"));
    const [lost] = (await client.run(calls.reserve("host_1", ["q"], { lease: 1 }))) ?? [];
    assert.ok(lost);
    await becomes(async () => (await client.run(calls.requeueOrphans("q", 10))).requeued === 1);
    assert.equal((await task.info()).losses, 1);
    await assert.rejects(client.run(calls.complete(lost.id, lost.token, "1")), { name: "Lost", code: "LOST" });
  },
  "`job.updateProgress(": async (client) => {
    await using _ = working(client, async (_: unknown, context: Context) => {
      await context.progress(5);
      context.log("half");
    });
    const task = await client.queue("q").submit(1);
    await task.result(WAIT);
    assert.equal(await task.progress(), 5);
    for await (const entry of task.logs()) assert.equal(entry.text, "half\n");
  },
  "`job.updateData(": async (client) => {
    await using _ = working(client, async (_: unknown, context: Context) => {
      const last = context.lastCheckpoint<number>();
      if (last !== undefined) return last;
      await context.checkpoint(7);
      throw new Again();
    });
    assert.equal(await (await client.queue("q").submit(1)).result(WAIT), 7);
  },
  "`UnrecoverableError`": async (client) => {
    await using _ = working(client, () => {
      throw new Failure("no cover", { permanent: true });
    });
    const task = await client.queue("q").submit(1, { maxFailures: 5 });
    await assert.rejects(task.result(WAIT), TaskFailed);
    assert.equal((await task.info()).attempt, 1);
  },
  "`DelayedError`": async (client) => {
    await using _ = working(client, () => {
      throw new Again(3600);
    });
    const task = await client.queue("q").submit(1);
    await becomes(async () => (await task.state()) === "scheduled");
    assert.equal((await task.info()).releases, 1);
  },
  "`job.waitUntilFinished(": async (client) => {
    await using _ = working(client, () => "done");
    assert.equal(await (await client.queue("q").submit(1)).result(WAIT), "done");
  },
  "`QueueEvents`": async (client) => {
    const task = await client.queue("q").submit(1);
    for await (const event of client.queue("q").events({ follow: true })) {
      assert.equal(event.id, task.id);
      break;
    }
  },
  "`job.getState()`": async (client) => {
    const task = await client.queue("q").submit(1);
    await task.cancel();
    assert.equal(await task.state(), "cancelled");
    assert.equal(await task.retry(), "pending");
    await task.cancel();
    await task.delete();
    await assert.rejects(task.state(), { code: "NOTASK" });
  },
  "no way to stop": async (client) => {
    await using _ = working(client, async (_: unknown, context: Context) => {
      if (context.attempt > 1) return "again";
      await new Promise((_, reject) => {
        context.signal.addEventListener("abort", () => { reject(context.signal.reason as Error); });
      });
      return "never";
    }, { slots: 2 });
    const [cancelled, requeued] = [await client.queue("q").submit(1), await client.queue("q").submit(2)];
    for (const task of [cancelled, requeued]) await becomes(async () => (await task.state()) === "started");
    await cancelled.cancel("enough");
    await requeued.requeue();
    await assert.rejects(cancelled.result(WAIT), { name: "TaskCancelled" });
    assert.equal(await requeued.result(WAIT), "again");
  },
  "`queue.pause()`": async (client) => {
    const queue = client.queue("q");
    const task = await queue.submit(1);
    await queue.pause("repairs");
    assert.match(String((await task.why()).paused), /repairs/);
    await queue.resume();
    await queue.configure("retain", 3600);
    assert.equal(await queue.bulk("purge"), 1);
    assert.equal((await queue.counts()).pending, 0);
  },
  "`upsertJobScheduler(": async (client) => {
    await client.schedule("nightly", "q", [1], { every: 60 });
    assert.equal((await (await client.schedule("nightly", "q", [1], { every: 90 })).info()).recurrence, "every 90 0");
    const cron = await client.schedule("nightly", "q", [1], { cron: "0 3 * * *", zone: "Europe/Berlin" });
    assert.equal((await cron.info()).recurrence, "cron Europe/Berlin 0 3 * * *");
  },
  "`FlowProducer`": async (client) => {
    await using _ = working(client, (parameters: unknown) => parameters, { slots: 2 });
    const graph = new Graph();
    const first = graph.add("q", [1]);
    const [left, right] = [graph.add("q", [first, "left"]), graph.add("q", [first, "right"])];
    const end = graph.add("q", [left, right]);
    const handle = await client.submitGraph(graph);
    await handle.wait(WAIT);
    assert.deepEqual(await handle.task(end).result(), [[[1], "left"], [[1], "right"]]);
  },
  "`limiter`": async (client) => {
    const queue = client.queue("q");
    await queue.limit("tenant", 1, "10/60");
    await queue.submitMany([1, 2], { key: "tenant" });
    await client.run(calls.register("q", "host_1"));
    assert.equal((await client.run(calls.reserve("host_1", ["q"], { limit: 2 })))?.length, 1);
  },
  deduplication: async (client) => {
    const queue = client.queue("q");
    const task = await queue.submit(1, { unique: "film", uniqueUntil: "start" });
    assert.equal((await queue.submit(2, { unique: "film", uniquePolicy: "existing" })).id, task.id);
  },
  "`worker.close()`": async (client) => {
    const worker = working(client, () => 1);
    await (await client.queue("q").submit(1)).result(WAIT);
    worker.stop();
    assert.equal(await worker.run(), 1);
  },
};

const PAGE = readFileSync(new URL("../../../docs/migrating/from-bullmq.md", import.meta.url), "utf8");
const FIRST = (PAGE.split("## Calls\n")[1]?.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| ")).slice(1);

test("each row has a test, and each test a row", () => {
  const names = Object.keys(ROWS);
  assert.deepEqual(FIRST.map((row) => names.find((name) => row.startsWith(`| ${name}`)) ?? row), names);
});

for (const [name, run] of Object.entries(ROWS)) {
  test(`from BullMQ: ${name}`, async () => {
    await using client = server.client();
    await run(client);
  });
}

test("higher priorities go first, and keys take turns", async () => {
  await using client = server.client();
  const queue = client.queue("q");
  for (const key of ["a", "a", "b"]) await queue.submit(key, { key, priority: 1 });
  await queue.submit("first", { priority: 2 });
  await client.run(calls.register("q", "host_1"));
  const taken = (await client.run(calls.reserve("host_1", ["q"], { limit: 4 }))) ?? [];
  assert.deepEqual(taken.map(({ parameters }) => JSON.parse(parameters.toString()) as string), ["first", "a", "b", "a"]);
});
