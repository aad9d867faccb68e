// Hooks around submits and attempts, and at the events of a worker.
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Context, Graph, type Hooks, InvalidCall, Refused, Worker } from "@blueque/client";
import { runUntilIdle } from "@blueque/client/testing";
import { Server } from "./server.js";

const server = new Server();
after(() => server[Symbol.asyncDispose]());

/** Hooks that note their calls and then fail. */
function noting(notes: string[]): Hooks {
  const note = (name: string) => ({ method, error }: { readonly method: string | null; readonly error?: string }) => {
    notes.push(`${name} ${method ?? "-"}${error ? ` (${error})` : ""}`);
    throw new Error("the hook is broken");
  };
  return {
    onSuccess: note("success"), onFailure: note("failure"), onRetry: note("retry"), onCancel: note("cancel"),
    onRelease: note("release"), onLost: note("lost"),
    onWorkerStart: () => { notes.push("start"); }, onWorkerStop: () => { notes.push("stop"); },
  };
}

test("a worker calls every hook, in a child and at the end, and no error of a hook counts", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hooks-"));
  process.env["HOOKED"] = join(folder, "notes");
  const [notes, log]: [string[], string[]] = [[], []];
  await using client = server.client({ hooks: noting(notes) });
  const worker = new Worker(client, "q", new URL("./hooked.js", import.meta.url), { signals: false, log: (_, text) => log.push(text) });
  const ran = worker.run();
  const queue = client.queue("q");
  assert.equal(await (await queue.submit(4, { method: "double" })).result({ timeout: 60 }), 8);
  const broken = await queue.submit(null, { method: "breaks", maxFailures: 1, delay: 0 });
  await assert.rejects(broken.result({ timeout: 60 }), /no such film/);
  await assert.rejects((await queue.submit(null, { method: "judged" })).result({ timeout: 60 }), /the judge says no/);
  worker.stop();
  await ran;
  assert.deepEqual(notes, [
    "start", "success double", "retry breaks (RangeError: no such film)", "failure breaks (RangeError: no such film)",
    "failure judged (the judge says no)", "stop",
  ]);
  assert.match(log.join("\n"), /the hook onSuccess has failed, which changes nothing: Error: the hook is broken/);
  const lines = readFileSync(process.env["HOOKED"], "utf8").trim().split("\n");
  assert.deepEqual(lines.filter((line) => line.includes("double")), ["enter double", "before double", "after double good", "leave double"]);
  assert.ok(lines.includes("after breaks RangeError"));
  const count = (what: string): number => lines.filter((line) => line === what).length;
  assert.equal(count("process start"), count("process stop"));
  rmSync(folder, { recursive: true });
});

test("hooks are around handlers in this process, also when they are cancelled", async () => {
  const notes: string[] = [];
  await using client = server.client();
  const store = new AsyncLocalStorage<string>();
  const hooks: Hooks[] = [noting(notes), { aroundAttempt: ({ id }, next) => store.run(id, next) }];
  let begun = false;
  const handlers = {
    named: (): string | undefined => store.getStore(),
    waits: async (_: null, context: Context): Promise<void> => {
      begun = true;
      await sleep(600_000, undefined, { signal: context.signal });
    },
  };
  await using worker = new Worker(client, "q", handlers, { signals: false, log: () => undefined, hooks });
  void worker.run();
  const named = await client.queue("q").submit(null, { method: "named" });
  assert.equal(await named.result({ timeout: 60 }), named.id);
  const waits = await client.queue("q").submit(null, { method: "waits" });
  while (!begun) await sleep(5);
  await waits.cancel();
  await assert.rejects(waits.result({ timeout: 60 }), /cancelled/);
  worker.stop();
  await worker.run();
  assert.deepEqual(notes, ["start", "success named", "cancel waits", "stop"]);
});

test("middleware can neither skip a handler nor swallow its error", async () => {
  await using client = server.client();
  const hooks: Hooks = { aroundAttempt: async (attempt, next) => { if (attempt.attempt === 1) await next().catch(() => undefined); } };
  const queue = client.queue("q");
  const [good, broken] = [await queue.submit(1), await queue.submit(2, { maxFailures: 1, delay: 0 })];
  const handler = (number: number): number => {
    if (number === 2) throw new Error("broken");
    return number;
  };
  assert.equal(await runUntilIdle(client, "q", handler, 100, hooks), 3);
  assert.equal(await good.result(), 1);
  await assert.rejects(broken.result(), /broken/);
  assert.equal((await broken.info()).failures, 2);
});

test("hooks are around submits", async () => {
  const tenant: Hooks = {
    async aroundSubmit(submit, next) {
      if (submit.queue === "closed") throw new Refused("STATE", "this tenant is closed.");
      submit.options = { ...submit.options, ...(submit.queue === "graph" ? { tags: ["tenant-7"] } : { key: "tenant-7" }) };
      await next();
      throw new Error("after the submit");
    },
  };
  const namespace = `t${randomUUID()}`;
  await using client = server.client({ hooks: tenant, namespace });
  const queue = client.queue("q");
  assert.equal((await (await queue.submit(1)).info()).key, "tenant-7");
  for (const each of await queue.submitMany([1, 2])) assert.equal((await each.info()).key, "tenant-7");
  await assert.rejects(client.queue("closed").submit(1), /this tenant is closed/);
  const graph = new Graph();
  const node = graph.add("q", [1], { tags: ["own"] });
  const handle = await client.submitGraph(graph);
  assert.deepEqual((await handle.task(node).info()).tags, "own,tenant-7");
  await using plain = server.client({ namespace });
  await plain.submitGraph(graph); // the digest is that without the hooks
});

test("a hook with an unknown name is refused", async () => {
  await using client = server.client();
  const wrong = { onComplete: () => undefined } as Hooks;
  class Notes { onSuccess(): void { /* a hook */ } }
  assert.throws(() => new Worker(client, "q", () => 1, { hooks: Notes as unknown as Hooks }), /hooks are objects: pass new Notes\(\)/);
  assert.throws(() => new Worker(client, "q", () => 1, { hooks: wrong }), (error) => error instanceof InvalidCall && error.message.includes("no hook onComplete"));
});
