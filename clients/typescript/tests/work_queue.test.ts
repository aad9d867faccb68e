// A queue used like one of redis-work-queue.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { InvalidCall, NotFound, WorkItem, WorkQueue } from "@blueque/client";
import { Server, becomes } from "./server.js";

const server = new Server();
after(() => server[Symbol.asyncDispose]());

async function leased(queue: WorkQueue, seconds = 600): Promise<WorkItem> {
  const item = await queue.lease(seconds, { block: false });
  assert.ok(item);
  return item;
}

test("an item is added, leased and completed once, and leaves nothing", async () => {
  await using client = server.client();
  const queue = new WorkQueue(client, "films");
  assert.equal(await queue.addItem(new WorkItem(Buffer.from([0, 255]), "1")), true);
  assert.equal(await queue.addItem(new WorkItem("other", "1")), false, "an unfinished one stays as it is");
  assert.deepEqual([await queue.queueLength(), await queue.processing()], [1, 0]);
  const item = await leased(queue);
  assert.deepEqual([item.id, [...item.data]], ["1", [0, 255]]);
  assert.equal(await queue.complete(new WorkItem(item.data, "1")), false, "another item, which was not leased");
  assert.equal(await queue.lease(600, { block: false }), null);
  assert.equal(await queue.lease(600, { timeout: 0.05 }), null);
  assert.deepEqual([await queue.queueLength(), await queue.processing()], [0, 1]);
  assert.equal(await queue.complete(item), true);
  assert.equal(await queue.complete(item), false, "once");
  await assert.rejects(client.task("1").info(), NotFound);
  assert.deepEqual([await queue.queueLength(), await queue.processing(), await queue.deepClean()], [0, 0, 0]);
  assert.equal((await queue.queue.listeners()).length, 1);
  await queue.close();
  assert.deepEqual(await queue.queue.listeners(), []);
});

test("a completed item is created again, whether or not its record was kept", async () => {
  for (const keepRecords of [false, true]) {
    await using client = server.client();
    await using queue = new WorkQueue(client, "films", { keepRecords });
    for (const data of ["one", "two"]) {
      assert.equal(await queue.addItem(new WorkItem(data, "1")), true);
      const item = await leased(queue);
      assert.equal(item.data.toString(), data);
      assert.equal(await queue.complete(item), true);
      assert.equal((await queue.queue.counts()).complete, keepRecords ? 1 : 0);
    }
  }
});

test("any text is a name and an id, and comes back as it was", async () => {
  await using client = server.client();
  await using queue = new WorkQueue(client, "my films/ü");
  assert.equal(queue.queue.name, "my@20films@2F@C3@BC");
  for (const text of ["", "a b", "a@b", "@", "@41", "ü{}*", "\0\n", "plain-1_2.3:4"]) {
    assert.equal(WorkItem.decode(WorkItem.encode(text)), text);
    await queue.addItem(new WorkItem("x", text));
    const item = await leased(queue);
    assert.equal(item.id, text);
    assert.equal(await queue.complete(item), true);
  }
  for (const name of ["a@b", "@2f", "@41", "a@", "@C3"]) assert.equal(WorkItem.decode(name), name, "no text is encoded so");
  await assert.rejects(queue.addItem(new WorkItem("x", "x".repeat(129))), InvalidCall);
  await assert.rejects(queue.addItem(new WorkItem("x", "\ud800")), InvalidCall);
});

test("a lease that ended is given back, and its owner completes nothing", async () => {
  await using client = server.client();
  await using slow = new WorkQueue(client, "q");
  await using fast = new WorkQueue(client, "q");
  await slow.addItem(WorkItem.fromJson([1]));
  const lost = await leased(slow, 1);
  await becomes(async () => (await fast.lightClean()) === 1);
  const again = await leased(fast);
  assert.deepEqual(again.json(), [1]);
  assert.equal(await slow.complete(lost), false);
  assert.equal(await fast.complete(again), true);
});

test("with all caps at 0 an item never runs twice", async () => {
  await using client = server.client();
  await using queue = new WorkQueue(client, "q", { maxLosses: 0, maxFailures: 0, maxReleases: 0 });
  await queue.addItem(new WorkItem("x", "1"));
  await leased(queue, 1);
  await becomes(async () => {
    await queue.lightClean();
    return (await queue.processing()) === 0;
  });
  assert.equal(await queue.lease(600, { block: false }), null);
  assert.equal(await client.task("1").state(), "failed");
});

test("a lease waits for an item, or until its signal", async () => {
  await using client = server.client();
  await using queue = new WorkQueue(client, "q");
  const waiting = queue.lease(600);
  await queue.addItem(new WorkItem("x"));
  const item = await waiting;
  assert.ok(item);
  assert.equal(await queue.complete(item), true);
  await assert.rejects(queue.lease(600, { signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
});

test("leases that wait at the same time wait side by side", async () => {
  await using client = server.client();
  await using queue = new WorkQueue(client, "films");
  const begin = performance.now();
  const found = await Promise.all(Array.from({ length: 20 }, () => queue.lease(20, { timeout: 2 })));
  // One call after the next takes 40 s.
  assert.ok(performance.now() - begin < 20_000);
  assert.deepEqual(found, Array.from({ length: 20 }, () => null));
  const waits = Array.from({ length: 5 }, () => queue.lease(20, { timeout: 30 }));
  for (const id of ["a", "b", "c", "d", "e"]) await queue.addItem(new WorkItem(id, id));
  const items = await Promise.all(waits);
  assert.deepEqual(items.map((item) => item?.id).sort(), ["a", "b", "c", "d", "e"]);
  for (const item of items) assert.ok(item && (await queue.complete(item)));
});
