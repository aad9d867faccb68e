// Retries by the kind of an error, and limits of each handler.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { InvalidCall, type Kind, TaskFailed, Worker, task } from "@blueque/client";
import { runUntilIdle } from "@blueque/client/testing";
import { Server } from "./server.js";

const server = new Server();
after(() => server[Symbol.asyncDispose]());

test("the kind of an error decides about retries", async () => {
  await using client = server.client();
  class NoDisk extends RangeError {}
  const errors: Record<string, () => Error> = {
    RangeError: () => new RangeError("far"),
    NoDisk: () => new NoDisk("full"),
    ECONNRESET: () => Object.assign(new Error("reset"), { code: "ECONNRESET" }),
    SyntaxError: () => new SyntaxError("wrong"),
    Other: () => new Error("other"),
    Judged: () => new TypeError("judged"),
  };
  const retry = (error: unknown, attempt: number): boolean | number | undefined =>
    error instanceof TypeError ? (attempt === 1 ? 0 : false) : undefined;
  const handler = task((kind: string) => { throw errors[kind]?.() ?? new Error("unknown"); },
    { retryFor: [RangeError, "ECONNRESET", SyntaxError], permanentFor: "SyntaxError", retry });
  for (const [kind, failures] of Object.entries({ RangeError: 4, NoDisk: 4, ECONNRESET: 4, SyntaxError: 1, Other: 1, Judged: 2 })) {
    const job = await client.queue("q").submit(kind, { maxFailures: 3, delay: 0 });
    await runUntilIdle(client, "q", handler);
    assert.equal((await job.info()).failures, failures, kind);
  }
  assert.throws(() => task(() => 1, { retryFor: 7 as unknown as Kind }), InvalidCall);
});

test("a rule that fails fails the attempt", async () => {
  await using client = server.client();
  const handler = task(() => { throw new Error("first"); }, { retry: () => { throw new Error("the rule is broken"); } });
  const job = await client.queue("q").submit(null);
  await runUntilIdle(client, "q", handler);
  await assert.rejects(job.result(), /the rule is broken/);
});

test("limits of each handler and task, in children and in this process", async () => {
  await using client = server.client();
  const options = { slots: 5, grace: 1, signals: false, log: () => undefined };
  await using children = new Worker(client, "q", new URL("./limited.js", import.meta.url), options);
  await using here = new Worker(client, "here", task((_: null, context) => new Promise((_, reject) => {
    context.signal.addEventListener("abort", () => { reject(context.signal.reason as Error); });
  }), { noProgress: 1 }), options);
  void children.run();
  void here.run();
  const submit = (method: string, parameters: unknown = null, more = {}): Promise<unknown> =>
    client.queue("q").submit(parameters, { method, ...more }).then((job) => job.result({ timeout: 60 }));
  const group = (group: string, text: RegExp) => (error: unknown): boolean =>
    error instanceof TaskFailed && error.group === group && text.test(error.message);
  const silent = /no progress for 1 s: no checkpoint, progress or log/;
  await Promise.all([
    assert.rejects(submit("stalls", 3), group("timeout", silent)),
    assert.rejects(submit("slow"), group("timeout", /longer than its time limit/)),
    assert.rejects(submit("sleeps", null, { maxRun: 1 }), group("timeout", /longer than its time limit/)),
    assert.rejects(submit("large", 1 << 30), group("crashed", /./)),
    submit("large", 1 << 20),
    assert.rejects((await client.queue("here").submit(null)).result({ timeout: 60 }), group("timeout", silent)),
  ]);
});
