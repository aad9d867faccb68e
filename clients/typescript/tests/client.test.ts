import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import {
  Again,
  Client,
  type Context,
  ConnectionFailed,
  Failure,
  Graph,
  InvalidCall,
  Json,
  NotFound,
  PayloadError,
  Refused,
  TimedOut,
  WorkItem,
  WorkQueue,
  Worker,
  calls,
  optional,
  task as taskOf,
} from "@blueque/client";
import { runUntilIdle } from "@blueque/client/testing";
import { createClient } from "redis";
import { Server, freePorts } from "./server.js";

const server = new Server();
after(() => server[Symbol.asyncDispose]());

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test("a task is submitted, read, changed, cancelled, retried and deleted", async () => {
  await using client = server.client({ by: "tester" });
  const queue = client.queue<{ path: string }>("q");
  const task = await queue.submit({ path: "ä.mkv" }, { priority: 5, tags: ["hd"], maxFailures: 2 });
  assert.deepEqual(await task.parameters(), { path: "ä.mkv" });
  assert.equal(await task.state(), "pending");
  const info = await task.info();
  assert.deepEqual([info.priority, info.tags, info.maxFailures], [5, "hd", 2]);
  assert.equal((await task.why()).status, "pending");
  assert.equal(await task.progress(), null);
  assert.equal(await task.checkpoint(), null);
  await task.prioritise(7);
  await task.note("looked at", "data");
  assert.deepEqual(await task.tag("new"), ["hd", "new"]);
  assert.deepEqual(await task.untag("hd"), ["new"]);
  assert.equal(await task.cancel("not needed"), "cancelled");
  assert.equal((await task.info()).reason, "not needed");
  await assert.rejects(task.result(), { name: "TaskCancelled", reason: "not needed", code: "TASKCANCELLED" });
  assert.equal(await task.retry({ fresh: true }), "pending");
  assert.deepEqual((await task.history()).map((each) => each.to), ["pending", "pending", "cancelled", "pending"]);
  await task.move("other");
  assert.equal((await task.info()).queue, "other");
  await task.cancel();
  await task.delete();
  await assert.rejects(task.info(), NotFound);
});

test("submits with an id, with a unique name, and again", async () => {
  await using client = server.client();
  const queue = client.queue("q");
  const one = await queue.submit(1, { id: "one" });
  assert.equal((await queue.submit(2, { id: "one" })).id, one.id);
  assert.equal(await one.parameters(), 1);
  await queue.submit(2, { id: "one", again: true });
  assert.equal(await one.parameters(), 2);
  const unique = await queue.submit(3, { unique: "film" });
  await assert.rejects(queue.submit(4, { unique: "film" }), Refused);
  assert.equal((await queue.submit(4, { unique: "film", uniquePolicy: "existing" })).id, unique.id);
  const later = await queue.submit(5, { eta: new Date(Date.now() + 3_600_000) });
  assert.equal(await later.state(), "scheduled");
});

test("many tasks, lists, search, groups of calls", async () => {
  await using client = server.client();
  const queue = client.queue<number>("q");
  const tasks = await queue.submitMany(Array.from({ length: 1234 }, (_, at) => at), { tags: ["many"], method: "count" });
  assert.equal(new Set(tasks.map((task) => task.id)).size, 1234);
  assert.equal((await queue.counts()).pending, 1234);
  assert.equal((await all(queue.tasks("pending"))).length, 1234);
  assert.equal((await all(queue.search({ tag: "many", method: "count" }))).length, 1234);
  assert.deepEqual((await queue.tags()).map(({ tag, tasks: number }) => [tag, number]), [["many", 1234]]);
  assert.equal(await queue.bulk("cancel", { tag: "many", reason: "enough" }), 1234);
  const events = await all(queue.events());
  assert.equal(events.filter((event) => event.to === "cancelled").length, 1234);
  assert.deepEqual((await client.queues()).map((each) => each.queue), ["q"]);
});

test("events are followed until the signal", async () => {
  await using client = server.client();
  const queue = client.queue("q");
  const controller = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const event of queue.events({ follow: true, signal: controller.signal })) {
      seen.push(event.id);
      if (seen.length === 3) controller.abort();
    }
  })();
  for (const id of ["a", "b", "c"]) await queue.submit(null, { id });
  await following;
  assert.deepEqual(seen, ["a", "b", "c"]);
});

test("a queue is paused, configured, limited, and deleted", async () => {
  await using client = server.client();
  const queue = client.queue("q");
  await queue.submit(1, { id: "one" });
  await queue.pause("repairs");
  assert.match(String((await client.task("one").why()).paused), /repairs/);
  await queue.resume();
  await queue.configure("lease", 90);
  const lease = (await queue.settings()).find((each) => each.name === "lease");
  assert.deepEqual([lease?.value, lease?.from], ["90", "queue"]);
  await queue.limit("tenant", 2, "10/60");
  assert.equal((await queue.statistics()).length >= 1, true);
  await assert.rejects(queue.delete(), { code: "NOTEMPTY" });
});

test("schedules", async () => {
  await using client = server.client();
  const nightly = await client.schedule("nightly", "q", ["sales"], { every: 86_400, offset: 3600, overlap: "skip" });
  assert.equal((await nightly.info()).recurrence, "every 86400 3600");
  const task = await nightly.run();
  assert.deepEqual(await task.parameters(), ["sales"]);
  await nightly.pause("not now");
  await nightly.resume();
  assert.deepEqual((await client.schedules()).map((each) => each.name), ["nightly"]);
  await nightly.remove();
  await assert.rejects(nightly.info(), { code: "NOSCHEDULE" });
  await assert.rejects(client.schedule("x", "q", 1, { every: 1.5 }), InvalidCall);
});

test("another graph with an id is refused", async () => {
  const namespace = `t${randomUUID()}`;
  await using client = new Client(server.url, { namespace });
  const film = (last: string): Graph => {
    const graph = new Graph({ id: "g", name: "film", onFailure: "hold" });
    const split = graph.add("split", [1], { label: "a & b ü" });
    const join = graph.add("join", [split, 2], { label: "join", priority: 3 });
    graph.add(last, [], { label: "tidy", after: [join] });
    return graph;
  };
  const handle = await client.submitGraph(film("tidy"));
  await client.submitGraph(film("tidy")); // another process with the same program
  const refusal = { code: "DUPLICATE", detail: /another document/, remedy: "Choose another id for the graph." };
  await assert.rejects(client.submitGraph(film("other")), refusal);
  assert.deepEqual(
    (await handle.tasks()).map((each) => each.queue),
    ["split", "join", "tidy"],
  );
  const redis = createClient({ socket: { path: new URL(server.url).pathname, tls: false } });
  await redis.connect();
  const digest = await redis.sendCommand(["HGET", `${namespace}_graph_g`, "digest"]);
  redis.destroy();
  assert.equal(digest, "ec0fcf55f8f8c2c8cfa9918d7810f0a8581ce79d"); // the same in the tests of all clients
});

test("graphs are submitted, shown and cancelled", async () => {
  await using client = server.client();
  const graph = new Graph({ name: "film", onFailure: "continue" });
  const split = graph.add("split", ["a.mkv"]);
  const join = graph.add("join", [split, 2, "three"], { label: "the end", priority: 3 });
  graph.add("tidy", [optional(join)], { after: [split] });
  const handle = await client.submitGraph(graph);
  assert.equal((await client.submitGraph(graph)).id, handle.id);
  await client.run(calls.runDeferred(100));
  const tasks = await handle.tasks();
  assert.deepEqual(tasks.map((each) => [each.queue, each.status, each.open]), [
    ["split", "pending", 0],
    ["join", "waiting", 1],
    ["tidy", "waiting", 2],
  ]);
  assert.equal((await client.graphs())[0]?.name, "film");
  await assert.rejects(handle.wait({ timeout: 0 }), TimedOut);
  await handle.cancel("enough");
  assert.equal((await handle.info()).total, 3);
  await assert.rejects(client.submitGraph(new Graph()), InvalidCall);
  await assert.rejects(client.graph("none").info(), NotFound);
});

test("what JSON would lose is refused with its place, and nothing is submitted", async () => {
  await using client = server.client();
  const queue = client.queue("q");
  const bad: [unknown, RegExp][] = [
    [undefined, /the value is of the type undefined/],
    [{ a: [1, Number.NaN] }, /the value\.a\[1\] is NaN/],
    [{ a: Number.NEGATIVE_INFINITY }, /-Infinity/],
    [{ a: 10n }, /the value\.a is of the type bigint/],
    [{ a: 2 ** 60 }, /beyond 2\^53/],
    [{ a: new Date() }, /the value\.a is of the class Date/],
    [{ a: Buffer.from("x") }, /the class Buffer/],
    [{ a: new Map() }, /the class Map/],
    [{ a: new Set() }, /the class Set/],
    [new (class Film { path = "a.mkv"; })(), /the value is of the class Film/],
    [new (class List extends Array {})(), /the value is of the class List/],
    [{ a: { [Symbol("s")]: 1 } }, /the value\.a has the key Symbol\(s\): JSON has only texts as keys/],
    [{ a: Object.assign([1], { index: 0 }) }, /the value\.a has `index` besides its entries/],
    [{ a: undefined }, /the value\.a is of the type undefined/],
    [{ a: [, 1] }, /the value\.a\[0\] is of the type undefined/],  
    [{ a: () => 1 }, /function/],
    [{ a: { toJSON: () => 1 } }, /toJSON/],
    ["\ud800", /surrogate/],
    [{ "\udc00": 1 }, /surrogate/],
  ];
  for (const [value, text] of bad) {
    await assert.rejects(async () => queue.submit(value), (error) => error instanceof PayloadError && text.test(error.message));
  }
  const nested: unknown[] = [];
  nested.push(nested);
  await assert.rejects(async () => queue.submit(nested), /nested more than/);
  await assert.rejects(queue.submit(1, { id: "\ud800" }), InvalidCall);
  await assert.rejects(queue.submit(1, { eta: Number.NaN }), InvalidCall);
  await assert.rejects(queue.submit(1, { id: "no spaces" }), { code: "BADNAME", name: "InvalidCall" });
  await assert.rejects(queue.submit(1, { priority: 5000 }), { code: "BADARG", name: "InvalidCall" });
  const misspelt = { prio: 5 } as object;
  await assert.rejects(async () => queue.submit(1, misspelt), { code: "BADARG", message: /there is no option `prio`: did you mean `priority`\?/ });
  const unknown = { colour: 1 } as object;
  await assert.rejects(async () => queue.submit(1, unknown), { code: "BADARG", message: /`colour`; there are again, .*eta, .*id, .*unique, / });
  for (const [given, meant] of [["attempts", "maxFailures"], ["jobId", "id"], ["removeOnComplete", ""], ["timeout", "maxRun"], ["expires", "deadline"]] as const) {
    await assert.rejects(async () => queue.submit(1, { [given]: 3 }), { message: new RegExp(meant ? `\`${given}\`: did you mean \`${meant}\`` : "there are") });
  }
  await assert.rejects(async () => queue.submitMany([1], { id: "a" } as object), { message: /`id`: `id` is an option of a submit/ });
  await assert.rejects(async () => queue.submit(1, { backoff: { type: "fixed" } } as object), { message: /backoff: .*is no value of an argument/ });
  await assert.rejects(async () => queue.submit(1, { eta: Date.now() }), { code: "BADARG", message: /eta: \d+ are milliseconds. Times are seconds/ });
  await assert.rejects(async () => queue.submit(1, { deadline: Date.now() }), { message: /deadline: \d+ are milliseconds/ });
  await assert.rejects(async () => queue.configure("max_failure" as "max_failures", 3), { message: /no setting `max_failure`: did you mean `max_failures`/ });
  assert.throws(() => { taskOf(() => 1, { maxRetries: 3, attempts: 3 } as object); }, /a handler has no option `maxRetries`, `attempts`: `maxFailures` is an option of a submit/);
  const schedule = async (): Promise<unknown> => client.schedule("s", "q", 1, { every: 60, endDate: 1 } as never);
  await assert.rejects(schedule, { message: /`endDate`: did you mean `end`/ });
  assert.equal((await queue.counts()).pending, 0);
  assert.equal(await (await queue.submit(-0)).parameters(), 0); // to which it is equal
  const others: unknown = runInNewContext("({ list: [1, { a: null }] })");
  for (const good of [null, true, others, -1.5, "ä\u{1f600}\0", [], { a: [{ b: null }] }, Object.create(null)]) {
    const task = await queue.submit(good);
    assert.deepEqual(JSON.stringify(await task.parameters()), JSON.stringify(good));
  }
});

test("a number that this language would change is refused with its place", () => {
  const json = new Json();
  const refused = [
    ['{"id": 653247040368672769}', ".id is 653247040368672769"],
    ["[1, 2, 9007199254740993]", "[2] is 9007199254740993"],
    ["-9007199254740993", " is -9007199254740993"],
    [`{"a": {"b": ["x", {"c": 1${"0".repeat(29)}1}]}}`, ".a.b[1].c is 1000"],
    [`[${"9".repeat(400)}]`, "[0] is 999"],
    ["[1e400]", "[0] is 1e400"],
    ['{"1e400": "653247040368672769", "9007199254740993": [1.5, -2E+999]}', ".9007199254740993[1] is -2E+999"],
  ] as const;
  for (const [text, place] of refused) {
    assert.throws(() => json.loads(Buffer.from(text)), (error) => error instanceof PayloadError && error.message.includes(`the value${place}`));
  }
  for (const text of ['"653247040368672769"', '["\\"", "1e999", 0.12345678901234567]', "9007199254740992", "1000000000000000000", "1e300", "-0"]) {
    assert.deepEqual(json.loads(Buffer.from(text)), JSON.parse(text));
  }
});

test("what callers without types get wrong is refused with what it should be, and nothing waits for it", async () => {
  await using client = server.client();
  const queue = client.queue("q");
  const wrong = (given: unknown): never => given as never;
  const task = await queue.submit(1);
  const { proxy } = Proxy.revocable({}, {});
  const unprintable: unknown = Object.create(null);
  const payload: [() => Promise<unknown>, RegExp][] = [
    [() => queue.submit({ get film(): never { throw new Error("no film"); } }), /cannot be read: Error: no film\. Pass JSON/],
    [() => queue.submit(new Proxy({}, { ownKeys: () => wrong(7) })), /cannot be read: TypeError/],
  ];
  for (const [act, text] of payload) await assert.rejects(async () => act(), { code: "PAYLOAD", message: text });
  const calling: [() => unknown, RegExp][] = [
    [() => queue.submit(1, wrong(null)), /takes its options as an object, not null\. Correct the call/],
    [() => queue.submit(1, { priority: wrong(unprintable) }), /a value that cannot be shown is no value/],
    [() => queue.submit(1, { priority: 5000 }), /to 1000\. Correct the call\.$/],
    [() => queue.submitMany(wrong(5)), /submitMany takes a list.*, not 5\./],
    [() => queue.submitMany(wrong("ab")), /submitMany takes a list.*, not "ab"\./],
    [() => task.result({ timeout: Number.NaN }), /timeout is NaN: it is a number\./],
    [() => task.result({ timeout: wrong("5") }), /timeout is "5": it is a number\./],
    [() => task.result(wrong(5)), /a wait takes its options as an object, not 5\./],
    [() => task.result({ seconds: 5 } as object), /a wait has no option `seconds`; there are timeout, signal\./],
    [() => client.run(wrong("submit")), /"submit" is no call, such as/],
    [() => client.schedule("s", "q", 1, wrong(undefined)), /a schedule takes its options as an object, not undefined\./],
    [() => client.submitGraph(wrong({})), /is no Graph\./],
    [() => new WorkItem(wrong(undefined)), /the data of an item is bytes or a text, not undefined\./],
    [() => new WorkItem("half \ud800"), /half of a surrogate pair/],
    [() => new WorkItem("data", wrong(5)), /the id of an item is a text, not 5\./],
    [() => new WorkQueue(client, "w").addItem(wrong(5)), /5 is no WorkItem\./],
    [() => new Client(server.url, { limit: Number.NaN }), /limit is NaN: it is a number, at least 0\./],
    [() => new Client(server.url, { prefix: "bull" } as object), /a client has no option `prefix`: did you mean `namespace`/],
    [() => new Client(server.url, { serializer: wrong({}) }), /is no serializer: it lacks `dumps` or `loads`\./],
    [() => new Worker(wrong("redis://"), "q", () => 1), /a worker needs a Client, not "redis:\/\/"\./],
    [() => new Worker(client, wrong(null), () => 1), /the queues of a worker are names, not null\./],
    [() => new Worker(client, "q", () => 1, { concurrency: 4 } as object), /a worker has no option `concurrency`: did you mean `slots`/],
    [() => new Worker(client, "q", () => 1, { slots: wrong("4") }), /slots is "4": it is a whole number, at least 1\./],
    [() => new Worker(client, "q", () => 1, { timeLimit: wrong("5") }), /timeLimit is "5": it is a number/],
    [() => new Worker(client, "q", () => 1, { grace: Number.NaN }), /grace is NaN: it is a number/],
    [() => new Worker(client, "q", () => 1, { tasksPerProcess: 0 }), /tasksPerProcess is 0: it is a whole number, at least 1\./],
    [() => new Worker(client, "q", () => 1, { lease: 1e9, log: () => undefined }).run(), /lease must be .* from 1 to /],
  ];
  for (const [act, message] of calling) {
    await assert.rejects(() => Promise.resolve().then(act), { name: "InvalidCall", code: "BADARG", message }, String(act));
  }
  for (const given of [5, null, {}, proxy]) {
    assert.throws(() => new Client(wrong(given)), { code: "CONNECTION", message: /neither a URL nor a client/ });
  }
});

test("8 MiB, and 8 MiB and one byte", async () => {
  await using client = server.client();
  const queue = client.queue("q");
  const most = 8 << 20;
  const task = await queue.submitBytes(Buffer.alloc(most, "x"), { maxBytes: most });
  assert.deepEqual((await task.info()).parameters, Buffer.alloc(most, "x")); // no JSON
  await assert.rejects(queue.submitBytes(Buffer.alloc(most + 1), { maxBytes: most }), { code: "TOOBIG" });
  await assert.rejects(queue.submitBytes(Buffer.alloc((1 << 20) + 1)), { code: "TOOBIG" });
});

test("of many parameters the error says which ones are refused, and what is submitted", async () => {
  await using client = server.client();
  const queue = client.queue("q");
  const many: unknown[] = Array.from({ length: 600 }, (_, at) => at);
  many[3] = { when: new Date() };
  await assert.rejects(queue.submitMany(many), {
    code: "PAYLOAD",
    message: /the parameters with the index 3 \(no task is submitted\): the value\.when is of the class Date/,
  });
  assert.equal((await queue.counts()).pending, 0);
  many[3] = 3;
  many[555] = "x".repeat(2000);
  await queue.configure("max_bytes", 1000);
  await assert.rejects(queue.submitMany(many), {
    name: "InvalidCall",
    code: "TOOBIG",
    message: /the parameters with the index 555 \(the first 500 tasks are submitted\): parameters is 2002 bytes/,
  });
  assert.equal((await queue.counts()).pending, 500);
});

test("an edit takes parameters as a submit does", async () => {
  await using client = server.client();
  const task = await client.queue<{ path: string }, number>("q").submit({ path: "a.mkv" });
  await task.edit({ parameters: { path: "b.mkv" }, priority: 3 });
  const { path } = await task.parameters();
  assert.deepEqual([path, (await task.info()).priority], ["b.mkv", 3]);
  await task.edit({ priority: 4 });
  assert.deepEqual(await task.parameters(), { path: "b.mkv" });
  await assert.rejects(task.edit({ parameters: { path: new Date() as unknown as string } }), { code: "PAYLOAD" });
  await assert.rejects(task.edit(null as unknown as object), { code: "BADARG" });
});

test("a serializer of the user's own", async () => {
  const serializer = {
    dumps: (value: unknown) => Buffer.from(String(value)),
    loads: (data: Buffer) => BigInt(data.toString()),
  };
  await using client = server.client({ serializer });
  const task = await client.queue("q").submit(2n ** 70n);
  assert.equal(await task.parameters(), 2n ** 70n);
  assert.throws(() => new Json().loads(Buffer.from("{")), PayloadError);
});

test("a clock of the caller's own", async () => {
  let now = 1_800_000_000;
  await using client = server.client({ clock: () => now });
  const task = await client.queue("q").submit(1, { eta: now + 60 });
  assert.equal((await client.run(calls.promote("q", 100))).promoted, 0);
  now += 61;
  assert.equal((await client.run(calls.promote("q", 100))).promoted, 1);
  assert.equal(await task.state(), "pending");
});

test("a client of node-redis is taken, and a call goes by after NOSCRIPT", async () => {
  const redis = createClient({ socket: { path: new URL(server.url).pathname, tls: false } });
  await using client = new Client(redis, { namespace: `t${randomUUID()}` });
  await client.check();
  await redis.sendCommand(["SCRIPT", "FLUSH"]);
  assert.equal((await client.check()).policy, "noeviction");
});

test("a wrong use has the remedy that fits", async () => {
  await using client = server.client();
  await client.queue("q").submit(1, { unique: "film" });
  await assert.rejects(client.queue("q").submit(1, { unique: "film" }), {
    code: "DUPLICATE",
    remedy: 'Wait for its end, or submit with `uniquePolicy: "existing"`, which returns that task.',
  });
  const closed = server.client();
  await closed.check();
  await closed.close();
  await assert.rejects(closed.check(), { code: "CONNECTION", remedy: /^Make a new client/ });
  await using beyond = new Client(`${server.url}?db=99`);
  await assert.rejects(beyond.check(), { code: "CONNECTION", message: /no database with the number .* Correct that number/ });
  assert.throws(() => new Failure("disk full", { again: false as unknown as number }), { code: "BADARG", message: /`permanent` says/ });
  assert.throws(() => new Again(Number.NaN), { code: "BADARG", message: /the time of Again is NaN/ });
});

test("wrong addresses and logins", async () => {
  for (const url of ["http://localhost", "no url", "redis://:pass word@"]) {
    assert.throws(() => new Client(url), ConnectionFailed);
  }
  await using own = new Server("--requirepass", "secret");
  await using nobody = own.client();
  await assert.rejects(nobody.check(), { name: "ConnectionFailed", code: "CONNECTION" });
  await using wrong = new Client(own.url.replace("unix://", "unix://:wrong@"));
  await assert.rejects(wrong.check(), (error) => error instanceof ConnectionFailed && !error.message.includes("wrong@"));
  await using right = new Client(own.url.replace("unix://", "unix://:secret@"));
  await right.check();
});

test("a refused first connection fails soon with one sentence", async () => {
  const [port = 0] = await freePorts(1);
  const url = `redis://localhost:${port}`;
  const text = `import { Client } from "@blueque/client"; await new Client("${url}").queue("q").submit(1);`;
  // Without the rule it takes 30 s, the limit of a call.
  const ended = spawnSync(process.execPath, ["--input-type=module", "-e", text], { cwd: import.meta.dirname, encoding: "utf8", timeout: 20_000 });
  assert.equal(ended.status, 1, ended.stderr);
  assert.match(ended.stderr, /^Unavailable: UNAVAILABLE: no server answers at redis:\S+: connect ECONNREFUSED \S+\. Start it, or name another/m);
  assert.doesNotMatch(ended.stderr, /cause/);
});

test("a server that is away, that comes back, and that is silent", async () => {
  await using own = new Server();
  await using client = own.client({ limit: 20 });
  const task = await client.queue("q").submit(1);
  await own.kill();
  await using hasty = own.client({ limit: 0.2 });
  await assert.rejects(hasty.check(), { name: "Unavailable", message: /within 0\.2 s: connect E\w+ .*socket\. Check/ });
  const state = task.state();
  own.restart();
  assert.equal(await state, "pending");
  await client.check();
  own.signal("SIGSTOP");
  await using patient = new Client(own.url, { limit: 0.3 });
  await assert.rejects(patient.check(), { name: "Unavailable", code: "UNAVAILABLE" });
  own.signal("SIGCONT");
  await client.check();
});

test("a server that has no room for more clients is waited for", async () => {
  await using own = new Server();
  const admin = createClient({ socket: { path: new URL(own.url).pathname, tls: false } });
  try {
    await using client = own.client({ limit: 60 });
    await client.queue("q").submit(1); // it has started
    await admin.connect();
    await admin.sendCommand(["CONFIG", "SET", "maxclients", "2"]);
    await using other = own.client({ limit: 60 });
    const found = other.queue("q").counts();
    const rejected = async (): Promise<boolean> => !(await admin.info("stats")).includes("rejected_connections:0\r");
    for (let look = 0; look < 3000 && !(await rejected()); look += 1) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.ok(await rejected());
    await admin.sendCommand(["CONFIG", "SET", "maxclients", "100"]);
    assert.equal((await found).pending, 0); // in a namespace of its own
  } finally {
    admin.destroy();
  }
});

test("calls of other queues", async () => {
  await using client = server.client();
  const queue = client.queue("q") as unknown as Record<string, () => void>;
  assert.throws(() => queue["add"]?.(), { code: "BADARG", message: /a queue has no `add`: use `queue.submit\(parameters, \{ method/ });
  assert.throws(() => queue["getJobCounts"]?.(), { message: /use `queue.counts\(\)`/ });
  assert.deepEqual(Object.keys(queue), ["name"]);
});

test("the time of a rate has a unit", async () => {
  await using client = server.client();
  const queue = client.queue("q");
  for (const [given, sent] of [["10/60", "10/60"], ["100/1h", "100/3600"], ["10/m", "10/60"], ["5/2 days", "5/172800"]] as const) {
    await queue.configure("rate", given);
    await queue.limit("k", null, given);
    assert.equal((await queue.settings()).find(({ name }) => name === "rate")?.value, sent);
    assert.deepEqual((await client.run(calls.limits("q", "0", 10))).items.map(({ rate }) => rate), [sent]);
  }
  await assert.rejects(queue.configure("rate", "10/soon"), /NUMBER\/SECONDS/);
});

test("a record has values and texts", async () => {
  await using client = server.client();
  const task = await client.queue<{ film: string }>("q").submit({ film: "a" }, { maxFailures: 0 });
  await runUntilIdle(client, "q", async (_: unknown, context: Context) => {
    await context.checkpoint({ at: 3 });
    await context.progress(1, 2, "parts");
    context.log("half");
    throw new Error("no film");
  });
  const record = await task.wait({ timeout: 0 });
  assert.equal(record.parameters?.film, "a");
  assert.deepEqual([record.checkpoint, record.progress], [{ at: 3 }, { done: 1, total: 2, unit: "parts" }]);
  assert.match(record.error ?? "", /^Error: no film/);
  for await (const entry of task.logs()) assert.equal(entry.text, "half\n");
  assert.doesNotMatch(inspect(record), /maxLosses|result/); // only fields that are set
  assert.match(inspect(record), /status: 'failed'/);
  const lines = await task.result({ timeout: 0 }).then(() => [], (error: unknown) => String(error).split("\n"));
  assert.deepEqual(lines.slice(0, 2), ["TaskFailed: FAILED: the task has failed, with the group Error:", "Error: no film"]);
  assert.match(lines.at(-1) ?? "", /^Look at its error/);
});

test("progress without a total keeps its unit", async () => {
  await using client = server.client();
  for (const [unit, expected] of [["files", { done: 3, unit: "files" }], [undefined, 3]] as const) {
    const task = await client.queue("q").submit(1);
    await runUntilIdle(client, "q", (_: unknown, context: Context) => context.progress(3, undefined, unit));
    assert.deepEqual(await task.progress(), expected);
  }
});

test("events begin with the next", async () => {
  await using client = server.client();
  const queue = client.queue("q");
  assert.equal(await queue.latestEvent(), "0");
  await queue.submitMany(Array.from({ length: 1001 }, (_, at) => at));
  const after = await queue.latestEvent();
  const task = await queue.submit(1);
  for await (const event of queue.events({ after, follow: true })) {
    assert.equal(event.id, task.id);
    break;
  }
});
