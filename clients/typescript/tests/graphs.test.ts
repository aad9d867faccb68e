// Large graphs, and graphs whose data is partly lost.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type Client, Graph, InvalidCall, TimedOut } from "@blueque/client";
import { runUntilIdle } from "@blueque/client/testing";
import { Server } from "./server.js";

const server = new Server();
after(() => server[Symbol.asyncDispose]());

const sum = (numbers: number[]): number => numbers.reduce((all, one) => all + one, 0);

function run(client: Client): Promise<number> {
  return runUntilIdle(client, "q", sum);
}

test("waiting for a graph ends when what is left of it has ended", async () => {
  await using client = server.client();
  const graph = new Graph({ onFailure: "continue" });
  const early = graph.add("q", [1]);
  const late = graph.add("held", [early]);
  const handle = await client.submitGraph(graph);
  await run(client);
  await handle.task(early).delete();
  await assert.rejects(handle.wait({ timeout: 0.1 }), TimedOut);
  await runUntilIdle(client, "held", sum);
  const ends = (await handle.wait({ timeout: 60 })).map((each) => [each.id, each.status]);
  assert.deepEqual(ends, [[early.id, "deleted"], [late.id, "complete"]]);
});

for (const [place, count] of [["last", 1000], ["last", 2600], ["middle", 2600], ["values", 999], ["both", 1500]] as const) {
  test(`a task that waits for ${count} others: ${place}`, async () => {
    await using client = server.client();
    const graph = new Graph({ id: "wide" });
    const numbers = Array.from({ length: count }, (_, at) => at);
    const parts = numbers.map((number) => graph.add("q", [number]));
    const more = { last: [7], middle: [7], values: [], both: numbers }[place];
    const total = graph.add("q", place === "values" ? [...numbers, parts.at(-1)] : [...parts, ...more]);
    if (place === "middle") graph.add("q", [total, 1]);
    const handle = await client.submitGraph(graph);
    await client.submitGraph(graph); // repeated
    await run(client);
    const wanted = sum(numbers) + (place === "values" ? count - 1 : sum([...more]));
    assert.equal(await handle.task(total).result({ timeout: 0 }), wanted);
  });
}

test("many tasks that wait for some", async () => {
  await using client = server.client();
  const graph = new Graph();
  const first = [1, 2, 3, 4, 5].map((number) => graph.add("q", [number]));
  for (let at = 0; at < 490; at += 1) graph.add("q", first);
  const handle = await client.submitGraph(graph);
  await run(client);
  assert.equal((await handle.info()).complete, 495);
});

test("a graph that cannot be sent leaves nothing", async () => {
  await using client = server.client();
  const graph = new Graph({ id: "two" });
  const parts = Array.from({ length: 1200 }, (_, at) => graph.add("q", [at]));
  for (let at = 0; at < 2; at += 1) graph.add("q", parts);
  await assert.rejects(client.submitGraph(graph), (error) => error instanceof InvalidCall && error.message.includes("two.1200 and two.1201"));
  graph.add("q", [1]);
  assert.equal((await (await client.submitGraph(graph)).info()).total, 1203);
});
