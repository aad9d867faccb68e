// Spans and metrics, by OpenTelemetry. `tests/opentelemetry` sends the spans of several languages by OTLP.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import * as api from "@opentelemetry/api";
import { Client, Graph, InvalidCall, TaskFailed, TimedOut, Worker } from "@blueque/client";
import { Clock, runUntilIdle } from "@blueque/client/testing";
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, NodeTracerProvider, type ReadableSpan, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { Server } from "./server.js";

const spans = new InMemorySpanExporter();
const numbers = new InMemoryMetricExporter(AggregationTemporality.DELTA);
const reader = new PeriodicExportingMetricReader({ exporter: numbers, exportIntervalMillis: 2 ** 30, exportTimeoutMillis: 1000 });
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).register();
api.metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
const tracer = api.trace.getTracer("test");

const server = new Server();
after(async () => {
  await reader.shutdown();
  await server[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await reader.forceFlush();
  spans.reset();
  numbers.reset();
});

const named = (name: string): ReadableSpan[] => spans.getFinishedSpans().filter((span) => span.name === name);
const idsOf = (name: string): string[] => named(name).map((span) => span.spanContext().spanId);
const parentsOf = (name: string): (string | undefined)[] => named(name).map((span) => span.parentSpanContext?.spanId);

/** The kinds of the links of a span, and the spans to which it links. */
const linksOf = ({ links }: ReadableSpan): unknown[] =>
  links.map(({ context, attributes }) => [attributes?.["blueque.link"], context.spanId]);

/** The points of each metric: their attributes and values. */
async function metrics(): Promise<Record<string, { attributes: api.Attributes; value: unknown }[]>> {
  await reader.forceFlush();
  const all = numbers.getMetrics().flatMap((each) => each.scopeMetrics.flatMap((scope) => scope.metrics));
  return Object.fromEntries(all.map(({ descriptor: { name }, dataPoints }) => [name, dataPoints.map(({ attributes, value }) => ({ attributes, value }))]));
}

const FOREIGN = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const handlers = {
  async save([times]: [number], context: { checkpoint(value: unknown): Promise<void> }): Promise<number> {
    if (times < 0) throw new RangeError("a negative number");
    for (let each = 0; each < times; each += 1) await context.checkpoint(each);
    await tracer.startActiveSpan("within", async (span) => { span.end(); return Promise.resolve(); });
    return times;
  },
};

test("the context goes with the task", async () => {
  await using client = server.client({ tracing: true });
  const queue = client.queue("q");
  const far = { traceId: "7".repeat(32), spanId: "7".repeat(16), traceFlags: 1, traceState: api.createTraceState("vendor=a1") };
  const graph = new Graph({ id: "sums" });
  const [four, five] = [graph.add("q", [1]), graph.add("q", [2], { trace: FOREIGN })];
  const made = await api.context.with(api.trace.setSpanContext(api.ROOT_CONTEXT, far), async () => {
    const all = [await queue.submit([1]), ...await queue.submitMany([[2], [3]])];
    await client.submitGraph(graph);
    return all;
  });
  await client.submitGraph(graph); // a repeated submit belongs to another trace, and changes nothing
  const traces = await Promise.all([...made, client.task(four.id)].map(async (task) => (await task.info()).trace ?? ""));
  const [one, many] = idsOf("submit q");
  const expected = [one, many, many, idsOf("submit graph")[0]];
  assert.deepEqual(traces, expected.map((id) => `00-${far.traceId}-${id ?? ""}-01 vendor=a1`));
  assert.equal((await client.task(five.id).info()).trace, FOREIGN);
  assert.deepEqual(named("submit q")[0]?.attributes, {
    "messaging.system": "blueque", "messaging.operation.name": "submit", "messaging.operation.type": "send",
    "messaging.destination.name": "q", "messaging.message.id": made[0]?.id,
  });
  const found = await metrics();
  const sent = found["messaging.client.sent.messages"]?.map(({ attributes, value }) => [attributes["messaging.destination.name"], value]);
  assert.deepEqual(sent, [["q", 3], [undefined, 4]]);
});

test("waits, checkpoints and failures are spans", async () => {
  await using client = server.client({ tracing: true });
  const queue = client.queue("saving");
  const [good, bad] = [await queue.submit([3], { method: "save" }), await queue.submit([-1], { method: "save" })];
  await runUntilIdle(client, "saving", handlers);
  await good.result();
  await assert.rejects(bad.result(), TaskFailed);
  await assert.rejects((await queue.submit([1])).result({ timeout: 0 }), TimedOut);
  assert.deepEqual(parentsOf("run saving"), idsOf("submit saving").slice(0, 2));
  assert.deepEqual([...parentsOf("checkpoint saving"), ...parentsOf("within")], Array<unknown>(4).fill(idsOf("run saving")[0]));
  const waits = named("wait for task");
  const [first, second] = idsOf("run saving");
  assert.deepEqual(waits.map(linksOf), [[["awaited", first]], [["awaited", second]], []]);
  assert.deepEqual(waits.map(({ attributes }) => attributes["blueque.status"]), ["complete", "failed", undefined]);
  assert.equal(waits[2]?.attributes["error.type"], "TIMEDOUT");
  const found = await metrics();
  assert.deepEqual(found["messaging.client.consumed.messages"]?.map(({ value }) => value), [2]);
  assert.deepEqual(found["messaging.process.duration"]?.map(({ attributes }) => attributes["error.type"]), [undefined, "RangeError"]);
});

test("attempts link to previous attempts, and to upstreams", async () => {
  const clock = new Clock(Date.now() / 1000 - 3600);
  await using client = server.client({ tracing: true, clock: clock.read });
  const graph = new Graph();
  graph.add("linked", ["film"], { method: "failsOnce", maxFailures: 3, delay: 60 }).andThen("linked", [], { method: "double" });
  await client.submitGraph(graph);
  const linked = {
    failsOnce(_: [string], { attempt }: { attempt: number }): number {
      if (attempt === 1) throw new Error("later");
      return 1;
    },
    double: ([number]: [number]): number => number * 2,
  };
  await runUntilIdle(client, "linked", linked);
  clock.advance(600);
  await runUntilIdle(client, "linked", linked);
  const runs = named("run linked");
  const [one, two] = idsOf("run linked");
  assert.deepEqual(runs.map(linksOf), [[], [["previous", one]], [["upstream", two]]]);
  assert.deepEqual(runs.map(({ attributes }) => attributes["blueque.outcome"]), ["retrying", "complete", "complete"]);
  assert.equal(new Set(spans.getFinishedSpans().map((span) => span.spanContext().traceId)).size, 1);
  // The retry has waited for its delay, and the dependent for its upstream.
  const waits = named("wait linked").map(({ startTime: [seconds] }) => Math.abs(Math.round((seconds - clock.now) / 600)));
  assert.deepEqual(waits, [1, 0, 0]);
});

test("a worker ends the span of an attempt whose process was killed", async () => {
  await using client = server.client({ tracing: true });
  await using worker = new Worker(client, "q", new URL("./handlers.js", import.meta.url), { log: () => undefined });
  void worker.run();
  const task = await client.queue("q").submit(null, { method: "shoot", maxFailures: 0 });
  await assert.rejects(task.result({ timeout: 60 }), TaskFailed);
  await worker[Symbol.asyncDispose]();
  const [run] = named("run q");
  assert.equal(run?.spanContext().traceId, named("submit q")[0]?.spanContext().traceId);
  assert.equal(run?.attributes["error.type"], "failed");
  assert.match(run.status.message ?? "", /SIGKILL/);
});

test("a refused submit is an error", async () => {
  await using client = server.client({ tracing: true });
  await assert.rejects(client.queue("no queue").submit(1), InvalidCall);
  assert.equal(named("submit no queue")[0]?.attributes["error.type"], "BADNAME");
  const found = await metrics();
  assert.equal(found["messaging.client.sent.messages"], undefined);
  assert.equal(found["messaging.client.operation.duration"]?.[0]?.attributes["error.type"], "BADNAME");
});

test("without the option nothing is recorded", async () => {
  await using client = server.client();
  const task = await tracer.startActiveSpan("order", async (span) => {
    const made = await client.queue("saving").submit([1], { method: "save" });
    span.end();
    return made;
  });
  await runUntilIdle(client, "saving", handlers);
  assert.equal(await task.result(), 1);
  assert.equal((await task.info()).trace, null);
  assert.deepEqual(spans.getFinishedSpans().map(({ name }) => name), ["order", "within"]);
  assert.deepEqual(await metrics(), {});
});

test("the option is true, or the API", () => {
  assert.throws(() => new Client(server.url, { tracing: {} }), InvalidCall);
  assert.doesNotThrow(() => new Client(server.url, { tracing: api }));
});
