// Graphs that read like code: results flow between tasks whose types tsc checks. An unused `@ts-expect-error` is an
// error, so each of them tests that tsc refuses its next line.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { type Client, type Context, Graph, type Group, InvalidCall, type Node, Refused, TaskCancelled, calls, optional, task, taskType } from "@blueque/client";
import { createClient } from "redis";
import { runUntilIdle } from "@blueque/client/testing";
import { Server } from "./server.js";

const server = new Server();
after(() => server[Symbol.asyncDispose]());

const handlers = {
  split: ([film]: [film: string]): string[] => [0, 1, 2].map((number) => `${film}.${number}`),
  encode: ([part, height = 720]: [part: string, height?: number]): Promise<string> => Promise.resolve(`${part}.${height}`),
  pick: task(([parts, at]: [string[], number]): string => parts[at] ?? "none"),
  join: (parts: string[]): string => parts.join("+"),
  known: (parts: (string | null)[]): number => parts.filter((part) => part !== null).length,
  length: ([part]: [string]): number => part.length,
  double: ([number]: [number]): number => number * 2,
  total: (numbers: number[]): number => numbers.reduce((all, one) => all + one, 0),
  refuse: ([part]: [string]): string => { throw new Error(part); },
  probe: ({ path }: { path: string }): number => path.length,
  title: (name: string, context: Context): string => `${name} of ${context.queue}`,
  album: ([name, ...parts]: [string, ...string[]]): string => `${name}: ${parts.join("+")}`,
  nothing: (): string => "nothing",
  tidy: ([what]: [string]): string => `tidied ${what}`,
};
type Handlers = typeof handlers;
const split = taskType<Handlers["split"]>("t", { method: "split" });
const encode = taskType<Handlers["encode"]>("t", { method: "encode" });
const pick = taskType<Handlers["pick"]>("t", { method: "pick" });
const join = taskType<Handlers["join"]>("t", { method: "join" });
const known = taskType<Handlers["known"]>("t", { method: "known" });
const length = taskType<Handlers["length"]>("t", { method: "length" });
const double = taskType<Handlers["double"]>("t", { method: "double" });
const total = taskType<Handlers["total"]>("t", { method: "total" });
const refuse = taskType<Handlers["refuse"]>("t", { method: "refuse" });
const probe = taskType<Handlers["probe"]>("t", { method: "probe" });
const title = taskType<Handlers["title"]>("t", { method: "title" });
const album = taskType<Handlers["album"]>("t", { method: "album" });
const nothing = taskType<Handlers["nothing"]>("t", { method: "nothing" });
const tidy = taskType<Handlers["tidy"]>("t", { method: "tidy" });

const run = (client: Client): Promise<number> => runUntilIdle(client, "t", handlers);

/** tsc knows the types of the results, and refuses wrong compositions. This is never called. */
export async function typed(client: Client): Promise<void> {
  const graph = new Graph();
  const parts = graph.add(split, ["a"]) satisfies Node<string[]>;
  const first = parts.andThen(pick, [0]) satisfies Node<string>;
  first.andThen(encode, [480]).andThen(length).andThen(double) satisfies Node<number>;
  const all = graph.map(encode, ["a", "b"], [480], { label: "encode" }) satisfies Group<string>;
  all.map(length).andThen(total) satisfies Node<number>;
  all.atLeast(1).andThen(known) satisfies Node<number>;
  graph.add(pick, [parts, graph.add(double, [1])]) satisfies Node<string>;
  graph.add(join, ["a", ...all, client.task<string>("earlier")]);
  graph.add(known, [optional(first), null]);
  graph.group(first, first).andThen(join) satisfies Node<string>;
  first.onFailure(tidy, ["a"]) satisfies Node<string>;
  first.onEnd(length, ["a"]) satisfies Node<number>;
  graph.add(probe, { path: "a" }) satisfies Node<number>;
  graph.add(title, "a") satisfies Node<string>;
  graph.group(graph.add(title, "a")).andThen(album, ["best"], { label: "album" }) satisfies Node<string>;
  graph.add(album, ["best", ...all.results]);
  graph.add(nothing, []) satisfies Node<string>;
  first.andThen(nothing) satisfies Node<string>;
  first.onFailure(nothing) satisfies Node<string>;
  graph.add<string[]>("split", ["a"]).andThen(pick, [1]);
  first.andThen("anything", [1]) satisfies Node;
  (await (await client.submitGraph(graph)).task(first).result()) satisfies string;

  // @ts-expect-error: the handler takes an object
  graph.add(probe, [{ path: "a" }]);
  // @ts-expect-error: the object lacks the path
  graph.add(probe, { name: "a" });
  // @ts-expect-error: a number is no object
  graph.add(probe, 17);
  // @ts-expect-error: the handler takes no list
  graph.map(probe, [17]);
  // @ts-expect-error: nor a list with an object
  graph.map(probe, [{ path: "a" }]);
  // @ts-expect-error: results are in a list
  first.andThen(title);
  // @ts-expect-error: results are in a list
  graph.add(title, first);
  // @ts-expect-error: the handler takes no list
  all.andThen(title);
  // @ts-expect-error: nor one with a result
  all.map(probe);
  // @ts-expect-error: the handler takes an object
  first.onEnd(probe, ["a"]);
  // @ts-expect-error: the results of a group are several parameters
  graph.add(join, [all]);
  // @ts-expect-error: it lacks the name
  graph.map(double, [1]).andThen(album);
  // @ts-expect-error: the name is a text
  all.andThen(album, [1]);
  // @ts-expect-error: a list is no text
  parts.andThen(length);
  // @ts-expect-error: it lacks a parameter
  parts.andThen(pick);
  // @ts-expect-error: text is no number
  parts.andThen(pick, ["0"]);
  // @ts-expect-error: no task type
  parts.andThen((parts: string[]) => parts);
  // @ts-expect-error: text is no number
  first.andThen(double);
  // @ts-expect-error: text is no number
  graph.map(double, ["a"]);
  // @ts-expect-error: it takes numbers
  all.andThen(total);
  // @ts-expect-error: it takes a list and a number
  all.andThen(pick);
  // @ts-expect-error: text is no number
  all.map(double);
  // @ts-expect-error: results may be missing
  all.atLeast(1).andThen(join);
  // @ts-expect-error: text is no list
  graph.add(pick, [first, 1]);
  // @ts-expect-error: the result may be missing
  graph.add(length, [optional(first)]);
  // @ts-expect-error: it takes text
  first.onFailure(tidy, [1]);
  // @ts-expect-error: no such option
  first.andThen(length, [], { prioritee: 3 });
  // @ts-expect-error: another result
  parts satisfies Node<number>;
}

test("a chain passes results", async () => {
  await using client = server.client();
  const graph = new Graph({ name: "film" });
  const end = graph.add(split, ["a"]).andThen(pick, [1]).andThen(encode, [480], { label: "small", priority: 3 });
  const seen = end.andThen(length);
  const handle = await client.submitGraph(graph);
  assert.equal((await handle.task(end).info()).priority, 3);
  assert.equal(await run(client), 4);
  assert.equal(await handle.task(end).result({ timeout: 0 }), "a.1.480");
  assert.equal(await handle.task(seen).result({ timeout: 0 }), 7);
  assert.deepEqual((await handle.tasks()).map(({ label }) => label), [null, null, "small", null]);
  assert.equal(await (async () => Promise.resolve(end))(), end); // a node is no promise
});

test("a group joins", async () => {
  await using client = server.client();
  const graph = new Graph();
  const group = graph.group(graph.add(encode, ["l"]), graph.add(encode, ["r", 480]));
  const film = group.andThen(join);
  const named = graph.add(join, ["film", ...group, "end"]);
  const best = group.andThen(album, ["best"], { label: "album" });
  const some = group.atLeast(2).andThen("t", ["some"], { method: "album" });
  const mixed = graph.add(pick, [graph.add(split, ["b"]), graph.add(double, [1])]);
  const handle = await client.submitGraph(graph);
  await run(client);
  assert.equal(await handle.task(film).result({ timeout: 0 }), "l.720+r.480");
  assert.equal(await handle.task(named).result({ timeout: 0 }), "film+l.720+r.480+end");
  assert.equal(await handle.task(mixed).result({ timeout: 0 }), "b.2");
  assert.equal(await handle.task(best).result({ timeout: 0 }), "best: l.720+r.480");
  assert.equal(await (await handle.taskOf("album")).result({ timeout: 0 }), "best: l.720+r.480");
  assert.equal(await handle.task(some).result({ timeout: 0 }), "some: l.720+r.480");
  await assert.rejects(handle.taskOf("mail"), { name: "NotFound", message: /has the label mail; there are album/ });
});

test("a handler gets the same parameters in a graph as by a submit", async () => {
  await using client = server.client();
  const graph = new Graph();
  const [length, name] = [graph.add(probe, { path: "a.mkv" }), graph.add(title, "b")];
  const listed = graph.add(title, "c", { after: [length] });
  const handle = await client.submitGraph(graph);
  const single = await client.queue<{ path: string }, number>("t").submit({ path: "a.mkv" }, { method: "probe" });
  await run(client);
  assert.equal(await handle.task(length).result({ timeout: 0 }), await single.result({ timeout: 0 }));
  assert.equal(await handle.task(name).result({ timeout: 0 }), "b of t");
  assert.equal(await handle.task(listed).result({ timeout: 0 }), "c of t");
});

test("a step for a failure reads the error", async () => {
  await using client = server.client();
  const graph = new Graph();
  const bad = graph.add(refuse, ["no cover"]);
  const told = bad.onFailure("t", [bad.id], { method: "tell" });
  const handle = await client.submitGraph(graph);
  const tell = async ([failed]: [string]): Promise<string | null> => (await client.task(failed).info()).error;
  await runUntilIdle(client, "t", { ...handlers, tell });
  assert.match(String(await handle.task(told).result({ timeout: 0 })), /^Error: no cover\n/);
});

test("a map has a bound", async () => {
  await using client = server.client();
  const graph = new Graph();
  const encoded = graph.map(encode, ["0", "1", "2", "3"], [480], { label: "encode", tags: ["hd"] }).atMost(2);
  const film = encoded.map(encode, [240]).andThen(join);
  const handle = await client.submitGraph(graph);
  await client.submitGraph(graph); // repeated
  const tasks = await handle.tasks();
  assert.deepEqual(tasks.map(({ label }) => label), [
    ...[0, 1, 2, 3].map((at) => `encode[${at}]`), ...[0, 1, 2, 3].map((at) => `encode-4[${at}]`), null,
  ]);
  const [first] = encoded;
  assert.ok(first);
  const { key, tags } = await handle.task(first).info();
  assert.deepEqual([key, tags], [first.id, "hd"]);
  const { items } = await client.run(calls.limits("t", "0", 10));
  assert.deepEqual(items.map((limit) => [limit.key, limit.concurrency]), [[first.id, 2]]);
  await run(client);
  assert.equal(await handle.task(film).result({ timeout: 0 }), "0.480.240+1.480.240+2.480.240+3.480.240");
});

test("a bound is checked", () => {
  const graph = new Graph();
  const group = graph.map(double, [1, 2]).atMost(2);
  for (const wrong of [0, -1, 1.5, "2" as unknown as number]) assert.throws(() => group.atMost(wrong), InvalidCall);
  assert.throws(() => graph.group(graph.add("o", []), graph.add("t", [])).atMost(1), /of one queue, not of o, t/);
  assert.throws(() => graph.map(double, [1, 2], [], { key: "k" }).atMost(1), /a key of its own/);
  assert.throws(() => graph.map(double, [1, 2], [], { id: "k" }), /leave out `id`/);
  assert.equal(graph.map(double, []).atMost(1).length, 0);
});

test("steps for failures and for ends", async () => {
  await using client = server.client();
  const graph = new Graph({ onFailure: "continue" });
  const [bad, good] = [graph.add(refuse, ["x"]), graph.add(encode, ["y"])];
  const ends = [bad.onFailure(tidy, ["bad"]), bad.onEnd(tidy, ["end"]), good.onEnd(tidy, ["all"])];
  const never = good.onFailure(tidy, ["nothing"]);
  const film = graph.add(known, [optional(bad), optional(good)]);
  const handle = await client.submitGraph(graph);
  await run(client);
  const results = await Promise.all(ends.map((end) => handle.task(end).result({ timeout: 0 })));
  assert.deepEqual(results, ["tidied bad", "tidied end", "tidied all"]);
  await assert.rejects(handle.task(never).result({ timeout: 0 }), TaskCancelled);
  assert.equal(await handle.task(film).result({ timeout: 0 }), 1);
});

for (const count of [3, 999, 1000, 1001]) {
  test(`enough of a group of ${count}`, async () => {
    await using client = server.client();
    const graph = new Graph({ onFailure: "continue" });
    const texts = graph.map(encode, Array.from({ length: count - 1 }, () => "a"));
    const late = graph.add<string>("nobody", []);
    const enough = graph.group(...texts, late).atLeast(count - 1).andThen(known);
    const two = graph.add(tidy, ["two"], { atLeast: { count: 2, of: [...texts.nodes.slice(0, 2), late] } });
    const handle = await client.submitGraph(graph);
    await run(client);
    assert.equal(await handle.task(enough).result({ timeout: 0 }), count - 1);
    assert.equal(await handle.task(two).result({ timeout: 0 }), "tidied two");
    assert.equal(await handle.task(late).state(), "pending");
  });
}

test("ten thousand join", async () => {
  await using client = server.client();
  const earlier = await client.queue<number[], number>("t").submit([5], { method: "double" });
  const began = performance.now();
  const graph = new Graph();
  const numbers = graph.map(double, Array.from({ length: 9999 }, (_, at) => at));
  const all = graph.add(total, [...numbers, earlier]);
  const handle = await client.submitGraph(graph);
  assert.ok(performance.now() - began < 30_000); // about 3 s, on a loaded machine more
  await client.submitGraph(graph); // repeated
  assert.equal((await handle.tasks()).find(({ id }) => id === all.id)?.open, 10_000);
  graph.add(tidy, ["one too many"]);
  await assert.rejects(client.submitGraph(graph), /10000/);
});

test("what cannot be composed", async () => {
  await using client = server.client();
  const graph = new Graph();
  const one = graph.add(double, [1]);
  assert.throws(() => one.andThen(console.log as never), /no task type and no queue/);
  assert.throws(() => one.andThen("t", 3 as never), /are a list, not 3/);
  assert.throws(() => graph.add("t", one), /pass a list, `\[node\]`/);
  assert.throws(() => graph.add("t", [], { prioritee: 3 } as never), /`prioritee`: did you mean `priority`/);
  assert.throws(() => graph.add("t", [], { unique: "a" } as never), /`unique`: `unique` is an option of a submit/);
  assert.throws(() => graph.add("t", [], { eta: Date.now() }), /eta: \d+ are milliseconds/);
  assert.throws(() => graph.map("t", [1]).atLeast(1).map("t"), /leave out `atLeast`/);
  for (const wrong of [[[one]], [graph.group(one)], { of: one }]) {
    const nested = new Graph();
    nested.add("t", wrong);
    await assert.rejects(client.submitGraph(nested), /within another parameter.*pass `\.\.\.nodes`/);
  }
  const wrong = new Graph();
  wrong.add(tidy, ["x"], { atLeast: { count: 2, of: [wrong.add(tidy, ["y"])] } });
  await assert.rejects(client.submitGraph(wrong), (error) => error instanceof InvalidCall || error instanceof Refused); // the server's rule
});

test("a graph has the digest of the other clients", async () => {
  const namespace = `t${randomUUID()}`;
  await using client = server.client({ namespace });
  const graph = new Graph({ name: "film", id: "f" });
  graph.map(encode, ["a", "b", "c"], [], { label: "e" }).atMost(2).atLeast(2).andThen(known, { label: "k" });
  await client.submitGraph(graph);
  const redis = createClient({ url: server.url });
  await redis.connect();
  const digest = await redis.sendCommand(["HGET", `${namespace}_graph_f`, "digest"]);
  redis.destroy();
  assert.equal(digest, "ee5b2e5a5b3a9127a29733c95a7a8a522256f39a"); // the same in the tests of all clients
});
