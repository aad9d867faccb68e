// Data of other releases: readable data is used, unreadable data is refused, and nothing is lost.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { BluequeError, type Client, type Task, Worker } from "@blueque/client";
import { createClient } from "redis";
import { Server, becomes } from "./server.js";

const FIXTURES = new URL("../../../tests/fixtures/", import.meta.url);
const ARCHIVES = readdirSync(FIXTURES).filter((name) => name.endsWith(".tar.xz"));

const server = new Server();
after(() => server[Symbol.asyncDispose]());

type Raw = (...words: (string | Buffer)[]) => Promise<unknown>;

/** Sends raw commands to the server. */
async function raw(own: Server): Promise<{ send: Raw } & Disposable> {
  const redis = createClient({ RESP: 2, socket: { path: new URL(own.url).pathname, tls: false } });
  redis.on("error", () => undefined);
  await redis.connect();
  return {
    send: (...words) => redis.sendCommand(words),
    [Symbol.dispose]: () => {
      redis.destroy();
    },
  };
}

function working(client: Client, handler: (parameters: unknown) => unknown, queue = "q"): Worker {
  const worker = new Worker(client, queue, handler, { signals: false, log: () => undefined, slots: 4 });
  void worker.run();
  return worker;
}

test("data of an older or newer schema: neither client nor worker begins, and nothing is changed", async () => {
  const namespace = `t${randomUUID()}`;
  await using client = server.client({ namespace });
  const task = await client.queue("q").submit(1);
  using own = await raw(server);
  const meta = `${namespace}_meta`;
  const before = (await own.send("HGETALL", meta)) as string[];
  const clock = String(await own.send("HGET", meta, "clock:1"));
  for (const schema of [0, 2]) {
    await own.send("HDEL", meta, "clock:1");
    await own.send("HSET", meta, "schema", String(schema), `clock:${schema}`, clock);
    const acts: (() => Promise<unknown>)[] = [
      () => client.check(),
      () => client.queue("q").submit(2),
      () => new Worker(client, "q", () => 1, { signals: false, log: () => undefined }).run(),
    ];
    for (const act of acts) {
      await assert.rejects(act, (error) => {
        assert.ok(error instanceof BluequeError, String(error));
        assert.deepEqual([error.name, error.code, error.transient], ["Unsuitable", "SCHEMA", false]);
        assert.ok(error.detail && error.remedy);
        return true;
      });
    }
    await own.send("HDEL", meta, `clock:${schema}`);
    await own.send("HSET", meta, ...before);
  }
  assert.equal((await client.queue("q").counts()).pending, 1);
  assert.equal(await task.state(), "pending");
});

test("what a later release has written: unknown fields are kept, unreadable values refused; other tasks go on", async () => {
  const namespace = `t${randomUUID()}`;
  await using client = server.client({ namespace });
  const [task, beside] = [await client.queue("q").submit(1), await client.queue("q").submit(2)];
  using own = await raw(server);
  const record = `${namespace}_task_${task.id}`;
  await own.send("HSET", record, "colour", "red");
  assert.equal(String((await task.info()).extra["colour"]), "red");
  await own.send("HSET", record, "status", "parked");
  const acts: (() => Promise<unknown>)[] = [() => task.state(), () => task.info(), () => task.why()];
  for (const act of acts) {
    await assert.rejects(act, { name: "ReplyError", code: "REPLY", message: /parked.*update this client/ });
  }
  await own.send("HSET", record, "status", "pending");
  await using _ = working(client, (number) => Number(number) + 1);
  assert.deepEqual([await task.result({ timeout: 30 }), await beside.result({ timeout: 30 })], [2, 3]);
});

/** A value of the file: a text, or bytes as hexadecimal digits. */
function plain(value: unknown): Buffer | string {
  return typeof value === "object" && value !== null ? Buffer.from((value as { hex: string }).hex, "hex") : String(value);
}

/** Restores data that a release has written. */
async function restore(send: Raw, release: string): Promise<void> {
  const { keys } = JSON.parse(readFileSync(join(release, "data.json"), "utf8")) as {
    keys: Record<string, { type: string; value: unknown }>;
  };
  for (const [key, { type, value }] of Object.entries(keys)) {
    const all = value as unknown[];
    const pairs = value as [unknown, unknown][];
    if (type === "string") await send("SET", key, plain(value));
    else if (type === "list") await send("RPUSH", key, ...all.map(plain));
    else if (type === "set") await send("SADD", key, ...all.map(plain));
    else if (type === "hash") await send("HSET", key, ...pairs.flatMap(([name, each]) => [plain(name), plain(each)]));
    else if (type === "zset") await send("ZADD", key, ...pairs.flatMap(([member, score]) => [plain(score), plain(member)]));
    else for (const [id, fields] of value as [string, unknown[]][]) await send("XADD", key, id, ...fields.map(plain));
  }
}

for (const archive of ARCHIVES) {
  const release = mkdtempSync(join(tmpdir(), "release-"));
  execFileSync("python3", ["-m", "tarfile", "-e", fileURLToPath(new URL(archive, FIXTURES)), release]);
  after(() => {
    rmSync(release, { recursive: true });
  });

  test(`what ${archive} has left is gone on with`, async () => {
    await using place = new Server();
    // The parameters in the data are texts, not JSON.
    const serializer = { dumps: (value: unknown) => Buffer.from(String(value)), loads: (data: Buffer) => data.toString() };
    await using client = place.client({ namespace: "blueque", serializer });
    using own = await raw(place);
    await restore(own.send, release);
    await client.check();
    const names = new Set((await client.queues()).map((each) => each.queue));
    for (const name of ["plain", "lanes", "groups"]) assert.ok(names.has(name), name);
    const queue = client.queue("plain");
    const before = await queue.counts();
    assert.ok(before.pending && before.complete);
    let complete = 0;
    for await (const task of queue.tasks("complete")) if ((await task.info()).status === "complete") complete += 1;
    assert.equal(complete, before.complete);
    const waits: Task[] = [];
    for await (const task of queue.tasks("pending")) waits.push(task);
    await using _ = working(client, () => "done", "plain");
    let states: (string | null)[] = [];
    await becomes(async () => {
      states = await Promise.all(waits.map((task) => task.state()));
      return !states.some((state) => state === "pending" || state === "started");
    });
    // Not all tasks complete: some had an order to cancel, or were due.
    assert.ok(states.includes("complete") && !states.includes("failed"), states.join());
  });

  test(`clients of ${archive} work beside this one`, async () => {
    const namespace = `t${randomUUID()}`;
    await using client = server.client({ namespace });
    using own = await raw(server);
    const old = (command: string, ...words: (string | number)[]): Promise<unknown> => {
      const script = readFileSync(join(release, "scripts", `${command}.lua`));
      return own.send("EVAL", script, "1", `${namespace}_meta`, "", ...words.map(String));
    };
    const options = { maxFailures: 2, priority: 5, tags: ["new"], lostDelay: 1 };
    const ours = await client.queue<number[], number>("q").submit([1], options);
    await old("register", "q", "host_1");
    for (const last of [false, true]) {
      const [id = "", queue, token = "", attempt] = (await old("reserve", "host_1", 1, "q")) as string[];
      assert.deepEqual([id, queue, Number(attempt)], [ours.id, "q", last ? 2 : 1]);
      await old("start", id, token, 4711);
      await old("checkpoint", id, token, "[1]");
      assert.equal(await ours.state(), "started");
      if (last) await old("complete", id, token, "3");
      else {
        await old("fail", id, token, "no such film", "again", 0);
        await old("promote", "q", 10);
      }
    }
    assert.equal(await ours.result({ timeout: 0 }), 3);
    assert.deepEqual(await ours.checkpoint(), [1]);
    assert.equal((await ours.info()).failures, 1);
    await old("submit", "q", 1, "theirs", "", '{"a": 4}');
    await using _ = working(client, (given) => (given as { a: number }).a + 1);
    assert.equal(await client.task("theirs").result({ timeout: 30 }), 5);
    assert.ok(await old("get", "theirs"));
  });
}
