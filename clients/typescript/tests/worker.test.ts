import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Again, Client, type Context, Failure, Graph, Stopped, type Task, Worker, type WorkerOptions, calls } from "@blueque/client";
import { createClient } from "redis";
import { timer } from "./handlers.js";
import { Server, becomes } from "./server.js";

const server = new Server();
after(() => server[Symbol.asyncDispose]());

const quiet = { signals: false, log: () => undefined } as const;
const FILE = new URL("./handlers.js", import.meta.url);

/** At the end of a block it gives back its tasks, because a task of a failed test may never end. */
class Working extends Worker {
  override async [Symbol.asyncDispose](): Promise<void> {
    this.stop({ release: true });
    await super[Symbol.asyncDispose]();
  }
}

/** A worker that ends with the block. */
function working(client: Client, handlers: ConstructorParameters<typeof Worker>[2], options: WorkerOptions = {}): Worker {
  const worker = new Working(client, "q", handlers, { ...quiet, ...options });
  void worker.run();
  return worker;
}

/** A task of a method. */
function submit(client: Client, method: string, parameters: unknown = null): Promise<Task> {
  return client.queue("q").submit(parameters, { method });
}

/** Returns true if a process runs; a zombie does not count. */
function runs(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(') Z ');
  } catch {
    return false;
  }
}

/** The processes with this word among their arguments. */
function named(word: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      return false;
    }
  });
}

/** A number of seconds that no other process sleeps. */
function unusual(): string {
  return `600.${Math.floor(Math.random() * 1e9)}`;
}

async function holds(signal: AbortSignal): Promise<void> {
  await sleep(600_000, undefined, { signal });
}

test("tasks run, a few at a time, and their results come back", async () => {
  await using client = server.client();
  let [running, most] = [0, 0];
  await using worker = working(
    client,
    async (number: number) => {
      most = Math.max(most, (running += 1));
      await sleep(1);
      running -= 1;
      return number * number;
    },
    { slots: 4 },
  );
  const tasks = await client.queue<number, number>("q").submitMany(Array.from({ length: 300 }, (_, at) => at));
  const results = await Promise.all(tasks.map((task) => task.result({ timeout: 60 })));
  assert.deepEqual(results, tasks.map((_, at) => at * at));
  assert.equal(most, 4);
  assert.deepEqual((await client.workers()).map((each) => [each.listener, each.slots]), [[worker.listener, 4]]);
});

test("an end is sent while the reply to another is awaited, and takes no more than the slots", async () => {
  const namespace = `t${randomUUID()}`;
  await using client = server.client({ namespace });
  let held: (() => void)[] | undefined;
  const proxy = createServer((near) => {
    const far = connect(`${server.folder}/socket`);
    near.pipe(far);
    far.on("data", (data) => (held ? held.push(() => near.write(data)) : near.write(data)));
    for (const [one, other] of [[near, far], [far, near]] as const) one.on("error", () => 0).on("close", () => other.destroy());
  }).listen(`${server.folder}/proxy`);
  await once(proxy, "listening");
  const opened = new Set<number>();
  let [running, most] = [0, 0];
  {
    await using through = new Client(`unix://${server.folder}/proxy`, { namespace });
    await using _ = working(through, async (number: number) => {
      most = Math.max(most, (running += 1));
      await becomes(() => opened.has(number));
      running -= 1;
    }, { slots: 2 });
    const tasks = await client.queue("q").submitMany([0, 1, 2, 3]);
    const are = (...states: string[]) => becomes(async () => {
      const now = await Promise.all(tasks.map(async (task) => (await task.info()).status));
      return now.join() === states.join();
    });
    await are("started", "started", "pending", "pending");
    held = [];
    opened.add(0);
    await are("complete", "started", "started", "pending");
    opened.add(1);
    await are("complete", "complete", "started", "started");
    for (const each of held) each();
    held = undefined;
    opened.add(2).add(3);
    await are("complete", "complete", "complete", "complete");
  }
  assert.equal(most, 2);
  proxy.close();
});

test("a lone task is begun at once, and what returns nothing has null as its result", async () => {
  await using client = server.client();
  await using _ = working(client, () => undefined);
  await becomes(async () => (await client.queue("q").listeners()).length === 1);
  for (let number = 0; number < 5; number += 1) {
    assert.equal(await (await client.queue("q").submit(number)).result({ timeout: 20 }), null);
  }
});

test("progress, log, checkpoint, and the next attempt after a failure", async () => {
  await using client = server.client();
  await using _ = working(client, {
    film: async (_: unknown, context: Context) => {
      const last = context.lastCheckpoint<{ second: number }>();
      context.log(`attempt ${context.attempt} of ${context.id} in ${context.queue}`);
      if (last) return last.second;
      await context.checkpoint({ second: 7 });
      await context.progress(3, 10, "files");
      throw new TypeError("no such film \ud800");
    },
  });
  const task = await client.queue("q").submit(null, { method: "film", maxFailures: 1, delay: 0 });
  assert.equal(await task.result({ timeout: 20 }), 7);
  const failure = (await task.history()).find((each) => each.group !== null);
  assert.equal(failure?.group, "TypeError");
  assert.match(String(failure.error), /^TypeError: no such film \ufffd\n +at /);
  const log: string[] = [];
  for await (const entry of task.logs()) log.push(entry.text);
  assert.deepEqual(log, [1, 2].map((attempt) => `attempt ${attempt} of ${task.id} in q\n`));
});

test("no handler has a password of its worker in its environment", async () => {
  await using locked = new Server();
  const folder = mkdtempSync(join(tmpdir(), "blueque-test-"));
  const [secret, file, settings] = ["se%cret", join(folder, "password"), join(folder, "settings")];
  writeFileSync(file, secret);
  writeFileSync(settings, "BLUEQUE_PASSWORD=se%cret\nOF_A_FILE=yes\n");
  const admin = createClient({ RESP: 2, socket: { path: new URL(locked.url).pathname, tls: false } });
  await admin.connect();
  await admin.sendCommand(["CONFIG", "SET", "requirepass", secret]);
  admin.destroy();
  const namespace = randomUUID();
  const url = `${locked.url.replace("://", "://default:se%25cret@")}?pass=se%25cret&db=0`;
  const text = `import { Client, Worker } from "@blueque/client";
    await new Worker(new Client(process.env.BLUEQUE_URL, { namespace: "${namespace}" }), "q", "${FILE.pathname}").run();`;
  const environment = {
    ...process.env,
    BLUEQUE_URL: url,
    BLUEQUE_PASSWORD: secret,
    BLUEQUE_TOPOLOGY: "1=redis://me:se%cret@one,2=redis://:se%cret@two",
    WITH_A_FILE: `${locked.url}?password_file=${file}`,
  };
  const words = [`--env-file=${settings}`, "--input-type=module", "--eval", text];
  const worker = spawn(process.execPath, words, { env: environment, cwd: dirname(FILE.pathname), stdio: "ignore" });
  try {
    await using client = new Client(url, { namespace });
    const found = String(await (await submit(client, "surroundings")).result({ timeout: 60 }));
    assert.doesNotMatch(found, /cret/);
    for (const kept of [`${locked.url.replace("://", "://default@")}?db=0`, "1=redis://me@one,2=redis://@two"]) {
      assert.equal(found.split(`=${kept}`).length, 3, found);
    }
    assert.match(found, /OF_A_FILE=yes/);
    // The program has the address, and the password if the address names a file.
    const made = await (await submit(client, "submits", namespace)).result({ timeout: 60 });
    assert.equal(await client.task(String(made)).result({ timeout: 60 }), 3);
  } finally {
    worker.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  }
});

test("a record of another client that is no text ends no worker", async () => {
  const namespace = randomUUID();
  await using client = new Client(server.url, { namespace });
  const odd = Buffer.from([0xff, 0x80]);
  const raw = createClient({ RESP: 2, socket: { path: new URL(server.url).pathname, tls: false } });
  await raw.connect();
  const task = await client.queue("q").submit(null, { maxFailures: 0 });
  await raw.sendCommand(["HSET", `${namespace}_task_${task.id}`, "method", odd, "tags", odd]);
  // Imitates a task that a client of Blueque 1.0 has pushed.
  const record = Buffer.concat([Buffer.from(`${namespace}_task_`), odd]);
  await raw.sendCommand(["HSET", record, "status", "pending", "queue", "q", "parameters", "[1,2]"]);
  await raw.sendCommand(["RPUSH", `${namespace}_pending_tasks_q`, odd]);
  raw.destroy();
  await using _ = working(client, { add: ([one, other]: [number, number]) => one + other }, { slots: 2 });
  assert.equal((await task.wait({ timeout: 30 })).group, "unknown");
  assert.equal(await (await submit(client, "add", [1, 2])).result({ timeout: 30 }), 3);
});

test("what a worker says has nothing that a terminal obeys", async () => {
  await using client = server.client();
  const said: string[] = [];
  const odd = "a\x1b[2Jb\x07\x1b]0;title\x07c\x9bd\u202ee\u3164\u{e0041}f\rtask forged\tend \ud800👩\u200d💻";
  const log = (_: string, text: string): void => { said.push(text); };
  await using worker = working(client, () => { throw new Failure(odd); }, { log });
  const task = await client.queue("q").submit(null, { maxFailures: 0 });
  await task.wait({ timeout: 30 });
  worker.stop();
  await worker.run();
  assert.deepEqual(said.filter((text) => text.includes("attempt 1")), [
    `task ${task.id} attempt 1: failed: abcdef task forged end \ufffd👩\u200d💻`,
  ]);
  assert.ok(said.every((text) => /^[^\p{Cc}]+$/u.test(text)), said.join("\n"));
});

test("each way to end an attempt", async () => {
  await using client = server.client();
  let against = 0;
  await using _ = working(
    client,
    {
      failure: () => {
        throw new Failure("broken", { group: "disk", permanent: true });
      },
      again: () => {
        against += 1;
        if (against < 3) throw new Again(0, "not yet");
        return against;
      },
      strange: () => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error
        throw { toString: () => { throw new Error("no"); } };
      },
      named: () => {
        throw Object.assign(new Error("x"), { name: 5 });
      },
      unnamed: () => {
        throw Object.defineProperty(new Error("x"), "name", { get: () => { throw new Error("no"); } });
      },
      wrong: () => Number.NaN,
      large: () => "x".repeat((8 << 20) - 1),
      most: () => "x".repeat((8 << 20) - 2),
      step: (_: unknown, context: Context) => {
        context.next("q", { method: "last" });
        return [1];
      },
      last: (list: number[]) => [...list, 2],
    },
    { slots: 3 },
  );
  const methods = ["failure", "strange", "named", "unnamed", "wrong", "large", "missing", "again", "step"];
  const tasks = new Map<string, Task>();
  for (const method of [...methods, "most"]) tasks.set(method, await submit(client, method));
  const end = async (method: string): Promise<unknown[]> => {
    const { status, group, error } = (await tasks.get(method)?.wait({ timeout: 30 })) ?? {};
    return [status, group, String(error).split("\n", 1)[0]];
  };
  assert.deepEqual(await end("failure"), ["failed", "disk", "broken"]);
  assert.deepEqual(await end("strange"), ["failed", "Error", "thrown: a value that cannot be shown"]);
  assert.deepEqual(await end("named"), ["failed", "Error", "5: x"]);
  assert.deepEqual(await end("unnamed"), ["failed", "Error", "thrown: a value that cannot be shown"]);
  assert.match(String(await end("wrong")), /^failed,permanent,PayloadError: PAYLOAD: the result of the task: the value is NaN/);
  assert.deepEqual(await end("large"), ["failed", "toobig", "the result is over 8 MiB: store it elsewhere"]);
  assert.deepEqual(await end("missing"), ["failed", "unknown", "this worker has no handler for missing"]);
  assert.equal(String(await tasks.get("most")?.result({ timeout: 30 })).length, (8 << 20) - 2);
  assert.equal(await tasks.get("again")?.result({ timeout: 30 }), 3);
  assert.deepEqual(await tasks.get("step")?.result({ timeout: 30 }), [1, 2]);
  await assert.rejects(tasks.get("failure")?.result() ?? Promise.resolve(), { name: "TaskFailed", error: "broken", group: "disk" });
});

test("a cancel, a requeue and a lost lease abort the signal", async () => {
  await using client = server.client();
  const orders: unknown[] = [];
  await using _ = working(
    client,
    async (_: unknown, context: Context) => {
      if (context.attempt > 1) return "again";
      try {
        await holds(context.signal);
      } finally {
        orders.push(context.order);
        assert.throws(() => { context.check(); }, Stopped);
      }
    },
    { slots: 3, lease: 3 },
  );
  const queue = client.queue("q");
  const tasks = [await queue.submit(1), await queue.submit(2), await queue.submit(3)] as const;
  for (const task of tasks) await becomes(async () => (await task.state()) === "started");
  assert.equal(await tasks[0].cancel("enough"), "cancelling");
  await assert.rejects(tasks[0].result({ timeout: 20 }), { name: "TaskCancelled", reason: "enough" });
  await tasks[1].requeue();
  assert.equal(await tasks[1].result({ timeout: 20 }), "again");
  await tasks[2].cancel("at once", { atOnce: true });
  await becomes(() => orders.length === 3);
  assert.deepEqual(orders, ["cancel", "stop", "lost"]);
});

test("a function is neither suspended nor signalled nor described, and the worker says so", async () => {
  await using client = server.client();
  await using _ = working(client, async (_: unknown, context: Context) => holds(context.signal));
  const task = await client.queue("q").submit(1);
  await becomes(async () => (await task.state()) === "started");
  assert.equal(await task.suspend(), true);
  assert.equal(await task.signal("USR1"), 2);
  await becomes(async () => (await task.info()).controlled === 2);
  const { controls, controlRefused } = await task.info();
  assert.equal(controls, null);
  assert.match(String(controlRefused), /^2 this worker runs the task as a function/);
  assert.equal(await task.unsuspend(), false);
  await task.cancel();
  await assert.rejects(task.result({ timeout: 20 }), { name: "TaskCancelled" });
});

test("a long task keeps its lease, a time limit ends one", async () => {
  await using client = server.client();
  await using _ = working(
    client,
    async (seconds: number, context: Context) => {
      await sleep(seconds * 1000, undefined, { signal: context.signal });
      return context.attempt;
    },
    { slots: 2, lease: 3, timeLimit: 7 },
  );
  const [long, longer] = [await client.queue("q").submit(4), await client.queue("q").submit(600)];
  assert.equal(await long.result({ timeout: 20 }), 1);
  await assert.rejects(longer.result({ timeout: 20 }), { name: "TaskFailed", group: "timeout" });
});

test("it stops gracefully: what runs ends, nothing more is taken; the second time it is given back", async () => {
  await using client = server.client();
  const queue = client.queue("q");
  let finish = (): void => undefined;
  const may = new Promise<void>((resolve) => { finish = resolve; });
  const worker = working(client, async () => { await may; return "done"; });
  const [first, second] = [await queue.submit(1), await queue.submit(2)];
  await becomes(async () => (await first.state()) === "started");
  worker.stop();
  finish();
  assert.equal(await worker.run(), 1);
  assert.deepEqual([await first.result(), await second.state()], ["done", "pending"]);
  assert.deepEqual(await queue.listeners(), []);

  const other = working(client, (_: unknown, context: Context) => holds(context.signal));
  await becomes(async () => (await second.state()) === "started");
  other.stop({ release: true });
  await other.run();
  const info = await second.info();
  assert.deepEqual([info.status, info.uncounted, info.releases], ["pending", 1, null]);
});

test("it is ordered to drain", async () => {
  await using client = server.client();
  const worker = working(client, () => 1);
  await becomes(async () => (await client.workers()).length === 1);
  await client.run(calls.drain("q", worker.listener, true));
  assert.equal(await worker.run(), 0);
});

test("a server that crashes keeps no result from arriving", async () => {
  await using own = new Server();
  await using client = own.client();
  let finish = (): void => undefined;
  const may = new Promise<void>((resolve) => { finish = resolve; });
  await using _ = working(client, async () => { await may; return "kept"; });
  const task = await client.queue("q").submit(1);
  await becomes(async () => (await task.state()) === "started");
  await own.kill();
  finish();
  own.restart();
  assert.equal(await task.result({ timeout: 30 }), "kept");
  assert.equal(await (await client.queue("q").submit(1)).result({ timeout: 30 }), "kept");
});

test("a graph runs, with results as parameters", async () => {
  await using client = server.client();
  await using _ = working(client, { double: ([a]: number[]) => (a ?? 0) * 2, sum: (all: number[]) => all.reduce((a, b) => a + b) }, { slots: 2 });
  const graph = new Graph();
  const options = { method: "double" };
  const sum = graph.add("q", [graph.add("q", [1], options), graph.add("q", [2], options), 100], { method: "sum" });
  const handle = await client.submitGraph(graph);
  await handle.wait({ timeout: 30 });
  assert.equal(await handle.task(sum).result(), 106);
});

test("invalid handlers are refused, and a file that has none or cannot be read", async () => {
  await using client = server.client();
  for (const wrong of [undefined, null, 5, {}, { a: 1 }]) {
    const message = /a worker needs a function, one or more functions by their names, or a file/;
    assert.throws(() => new Worker(client, "q", wrong as unknown as URL), { code: "BADARG", message });
  }
  const folder = mkdtempSync(join(tmpdir(), "blueque-test-"));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const files: [string, RegExp][] = [
    [file("none.mjs", "export const a = 1;"), /its default export is no function/],
    [file("empty.mjs", "export default {};"), /its default export is no function/],
    [file("throws.mjs", "\nthrow new TypeError('no model');"), /TypeError: no model \(file:.*throws\.mjs:2:\d+\)/],
    [file("ends.mjs", "process.exit(3);"), /its process ended with the exit code 3/],
    [join(folder, "missing.mjs"), /missing\.mjs, cannot be used: Cannot find module/],
  ];
  for (const [path, message] of files) {
    for (const tasksPerProcess of [1, 10]) {
      const worker = new Worker(client, "q", path, { ...quiet, tasksPerProcess });
      await assert.rejects(worker.run(), { name: "InvalidCall", message, remedy: "Correct it, and start the worker again." });
    }
  }
  rmSync(folder, { recursive: true });
  assert.deepEqual(await client.workers(), []);
});

/** Starts a worker in a separate process; `text` returns its stderr. */
function said(t: TestContext, ...words: string[]): { worker: ChildProcess; text: () => string; exit: Promise<number | null> } {
  const worker = spawn(process.execPath, [new URL("./killed.js", import.meta.url).pathname, ...words], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  t.after(() => worker.kill("SIGKILL"));
  let text = "";
  worker.stderr.setEncoding("utf8").on("data", (more: string) => { text += more; });
  const exit = new Promise<number | null>((resolve) => worker.once("close", resolve));
  return { worker, text: () => text, exit };
}

test("it says where it begins, and how it ends", async (t) => {
  const namespace = `t${randomUUID()}`;
  await using client = server.client({ namespace });
  const { worker, text, exit } = said(t, server.url, namespace);
  await becomes(() => text().includes("to stop it: Ctrl-C or SIGTERM, then it waits for running tasks"));
  assert.match(text(), /^\S+Z INFO {2}takes tasks of q as \S+: 2 slots, unix:\/\/\S+\/socket, namespace \S+, bundle [\d.]+\n\S+Z INFO/);
  const task = await submit(client, "family");
  await becomes(async () => (await task.progress()) !== null);
  worker.kill("SIGTERM");
  await becomes(() => text().includes("takes no more, finishes 1 task; a second signal gives back what runs\n"));
  worker.kill("SIGINT");
  assert.equal(await exit, 0);
  assert.match(text(), /gives back 1 task\n$/);
  assert.equal(await task.state(), "pending");
});

test("its log may be JSON", async (t) => {
  const { worker, text, exit } = said(t, server.url, `t${randomUUID()}`, "json");
  await becomes(() => text().includes("to stop it"));
  worker.kill("SIGTERM");
  assert.equal(await exit, 0);
  const lines = text().trimEnd().split("\n").map((line) => JSON.parse(line) as Record<string, string>);
  assert.deepEqual(Object.keys(lines[0] ?? {}), ["time", "level", "message"]);
  assert.match(lines[0]?.["message"] ?? "", /^takes tasks of q as /);
  assert.deepEqual(new Set(lines.map(({ level }) => level)), new Set(["info"]));
});

test("a log message about a task has its fields", async () => {
  await using client = server.client();
  const found: unknown[] = [];
  const handlers = {
    fails: (_: unknown, context: Context) => {
      found.push(context.fields);
      throw new Error("no such film");
    },
  };
  await using worker = working(client, handlers, { log: (level, _, fields) => { if (fields.task) found.push([level, fields]); } });
  const job = await submit(client, "fails");
  await assert.rejects(job.result({ timeout: 60 }));
  worker.stop();
  await worker.run();
  const fields = { task: job.id, attempt: 1, queue: "q", method: "fails" };
  assert.deepEqual(found, [fields, ["warning", fields]]);
});

test("a server that is away at the start is logged, with the cause", async (t) => {
  await using own = new Server();
  await own.kill();
  const { text } = said(t, own.url.replace("unix://", "unix://:secret@"), "t");
  await becomes(() => text().includes("\n"));
  assert.match(text(), /^[\d-]{10}T[\d:]{8}\.\d{3}Z WARNING waits up to 30 s for the server unix:\/\/\/\S+\/socket: connect E\w+ .*\n$/);
});

test("the folder of a worker that was killed is removed by the next one, that of a living one is not", async (t) => {
  const namespace = `t${randomUUID()}`;
  await using client = server.client({ namespace });
  const homes: string[] = [];
  for (const signal of ["SIGKILL", "SIGSTOP"] as const) {
    const { worker, exit } = said(t, server.url, namespace);
    const task = await submit(client, "place");
    await becomes(async () => (await task.progress()) !== null);
    homes.push(dirname(String(await task.progress())));
    worker.kill(signal);
    if (signal === "SIGKILL") await exit;
  }
  const { text } = said(t, server.url, namespace);
  await becomes(() => text().includes("takes tasks"));
  const [killed, frozen] = homes as [string, string];
  assert.deepEqual([existsSync(killed), existsSync(frozen)], [false, true]);
});

test("child processes: results, prints, crashes, and a checkpoint that outlives one", async () => {
  await using client = server.client();
  await using _ = working(client, FILE, { slots: 2 });
  assert.equal(await (await submit(client, "add", [1, 2])).result({ timeout: 30 }), 3);
  const pids = [await submit(client, "pid"), await submit(client, "pid")].map((task) => task.result({ timeout: 30 }));
  assert.equal(new Set([process.pid, ...(await Promise.all(pids))]).size, 3);
  const printing = await submit(client, "print", "ä line");
  await printing.result({ timeout: 30 });
  const log: string[] = [];
  for await (const entry of printing.logs()) log.push(entry.text);
  assert.deepEqual(log, ["ä line\n"]);
  const [crash, shot] = [await submit(client, "crash"), await submit(client, "shoot")];
  await assert.rejects(crash.result({ timeout: 30 }), { group: "crashed", error: /exit code 3/ });
  await assert.rejects(shot.result({ timeout: 30 }), { group: "crashed", error: /SIGKILL/ });
  const again = await client.queue("q").submit(null, { method: "go", maxFailures: 1, delay: 0 });
  assert.equal(await again.result({ timeout: 30 }), "2 after 1");
});

test("each attempt has a folder of its own, which is removed", async () => {
  await using client = server.client();
  await using _ = working(client, FILE, { slots: 2, tasksPerProcess: 10 });
  const tasks = [await submit(client, "folder"), await submit(client, "folder"), await submit(client, "folder")];
  const folders = await Promise.all(tasks.map((task) => task.result({ timeout: 30 }) as Promise<string>));
  assert.equal(new Set(folders).size, 3);
  assert.deepEqual(folders.filter((folder) => existsSync(folder)), []);
  await using other = server.client();
  await using __ = working(other, (_: unknown, context: Context) => [context.folder, existsSync(context.folder)]);
  const [folder, there] = (await (await other.queue("q").submit(1)).result({ timeout: 30 })) as [string, boolean];
  assert.deepEqual([there, existsSync(folder)], [true, false]);
});

test("a kept process that was killed between two tasks is replaced", async () => {
  await using client = server.client();
  await using _ = working(client, FILE, { tasksPerProcess: 10 });
  const pid = async (): Promise<number> => (await (await submit(client, "pid")).result({ timeout: 30 })) as number;
  const first = await pid();
  assert.equal(await pid(), first);
  process.kill(first, "SIGKILL");
  await becomes(() => !runs(first));
  assert.notEqual(await pid(), first);
});

test("a name that every object has is no handler", async () => {
  await using client = server.client();
  await using _ = working(client, FILE, { slots: 3 });
  for (const method of ["toString", "constructor", "__proto__"]) {
    const task = await client.queue("q").submit(null, { method, maxFailures: 0 });
    await assert.rejects(task.result({ timeout: 30 }), { name: "TaskFailed", group: "unknown" });
  }
});

test("the children of a program that was given on the command line do not run it again", async () => {
  const namespace = randomUUID();
  await using client = server.client({ namespace });
  const task = await submit(client, "pid");
  const program = `
    import { Client, Worker } from "@blueque/client";
    console.log("begins");
    const client = new Client(${JSON.stringify(server.url)}, { namespace: "${namespace}" });
    await new Worker(client, "q", new URL(${JSON.stringify(FILE.href)})).run();`;
  const worker = spawn(process.execPath, ["--input-type", "module", "--eval", program], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  worker.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  try {
    assert.equal(typeof (await task.result({ timeout: 30 })), "number");
    assert.equal(said, "begins\n");
  } finally {
    worker.kill("SIGKILL");
  }
});

test("memory that one child exhausts hurts no other", async () => {
  await using client = server.client();
  await using _ = working(client, FILE, { slots: 2, memory: 64 << 20 });
  const [hungry, other] = [await submit(client, "hungry"), await submit(client, "add", [1, 2])];
  assert.equal(await other.result({ timeout: 30 }), 3);
  await assert.rejects(hungry.result({ timeout: 60 }), { group: "crashed", error: /SIGABRT|exit code 134/ });
  assert.equal(await (await submit(client, "add", [2, 3])).result({ timeout: 30 }), 5);
});

test("what a task leaves behind goes with it: daemons in sessions of their own, and all that they start", async () => {
  await using client = server.client();
  await using _ = working(client, FILE);
  const word = unusual();
  await (await submit(client, "bomb", word)).result({ timeout: 60 });
  assert.deepEqual(named(word), []);
});

test("maintenance pauses by the clock of the server, which may be an hour behind", async (t) => {
  await using own = new Server();
  const namespace = `t${randomUUID()}`;
  await using client = own.client({ namespace });
  const clock = "data:text/javascript,const right = Date.now; Date.now = () => right() + 3600000;";
  const program = new URL("./killed.js", import.meta.url).pathname;
  const worker = spawn(process.execPath, ["--import", clock, program, own.url, namespace], { stdio: "ignore" });
  t.after(() => worker.kill("SIGKILL"));
  assert.equal(await (await submit(client, "add", [2, 3])).result({ timeout: 60 }), 5);
  const raw = createClient({ socket: { path: `${own.folder}/socket`, tls: false } }).on("error", () => undefined);
  t.after(() => { raw.destroy(); });
  await raw.connect();
  const later = await client.queue("q").submit([1, 2], { method: "add", eta: Date.now() / 1000 + 4 });
  await raw.configResetStat();
  const begun = performance.now();
  // The due time would always seem to have come.
  await becomes(async () => (await raw.hGet(`${namespace}_task_${later.id}`, "status")) === "complete", 60);
  const calls = Number(/cmdstat_evalsha:calls=(\d+)/.exec(await raw.info("commandstats"))?.[1]);
  const rate = calls / ((performance.now() - begun) / 1000);
  assert.ok(rate > 0 && rate < 12, `${calls} calls of scripts, ${rate} a second`);
});

test("a worker that is killed leaves no daemon of its children behind", async (t) => {
  const [namespace, word] = [`t${randomUUID()}`, unusual()];
  await using client = server.client({ namespace });
  const task = await submit(client, "daemon", word);
  const worker = spawn(process.execPath, [new URL("./killed.js", import.meta.url).pathname, server.url, namespace], { stdio: "ignore" });
  t.after(() => worker.kill("SIGKILL"));
  await becomes(async () => (await task.progress()) !== null);
  await becomes(() => named(word).length === 1);
  worker.kill("SIGKILL");
  await becomes(() => named(word).length === 0, 10);
});

test("queues by pattern, also those that come later", async () => {
  await using client = server.client();
  const [before, leftOut] = [await client.queue("video-1").submit(1), await client.queue("video-test").submit(1)];
  const options = { ...quiet, slots: 2 };
  const worker = new Worker(client, ["video-*", "!video-test"], (number: number) => number + 1, options);
  const running = worker.run();
  assert.equal(await before.result({ timeout: 30 }), 2);
  const later = [];
  for (let number = 0; number < 40; number += 1) later.push(await client.queue(`video-${number}`).submit(number));
  assert.deepEqual(await Promise.all(later.map((task) => task.result({ timeout: 30 }))), later.map((_, at) => at + 1));
  const [about] = await client.workers();
  assert.match(String(about?.queues), /video-\*/);
  worker.stop();
  await running;
  assert.equal(await leftOut.state(), "pending");
  assert.deepEqual(await client.queue("video-3").listeners(), []);
  assert.throws(() => new Worker(client, ["!a"], () => 1), { code: "BADARG", message: /only leave queues out/ });
});

test("a child that does not obey is killed, and all that it has started", async () => {
  await using client = server.client();
  await using _ = working(client, FILE, { slots: 2, grace: 0.5, tasksPerProcess: 10 });
  const [stubborn, family] = [await submit(client, "stubborn"), await submit(client, "family")];
  await becomes(async () => (await stubborn.state()) === "started");
  await becomes(async () => (await family.progress()) !== null);
  const pid = Number(await family.progress());
  assert.equal(runs(pid), true);
  await stubborn.cancel();
  await family.cancel("", { force: true });
  await assert.rejects(stubborn.result({ timeout: 30 }), { name: "TaskCancelled" });
  await assert.rejects(family.result({ timeout: 30 }), { name: "TaskCancelled" });
  await becomes(() => !runs(pid));
});

/** Starts a worker in a separate process, whose handler never ends, and returns the handler's processes. */
async function endless(t: TestContext, namespace: string): Promise<{ worker: ChildProcess; pids: number[]; task: Task }> {
  await using client = server.client({ namespace });
  const task = await client.queue("q").submit(null, { method: "endless" });
  const program = new URL("./killed.js", import.meta.url).pathname;
  const worker = spawn(process.execPath, [program, server.url, namespace], { stdio: "ignore" });
  t.after(() => worker.kill("SIGKILL"));
  await becomes(async () => (await task.progress()) !== null);
  const pids = (await task.progress()) as number[];
  assert.deepEqual(pids.map(runs), [true, true]);
  return { worker, pids, task };
}

test("a worker that is killed leaves no child behind, even one that computes without an end", async (t) => {
  const { worker, pids } = await endless(t, `t${randomUUID()}`);
  worker.kill("SIGKILL");
  await becomes(() => !pids.some(runs), 5);
});

test("nothing runs at the same time as the next owner, even if the worker is frozen", async (t) => {
  const namespace = `t${randomUUID()}`;
  const { worker, pids } = await endless(t, namespace);
  await using client = server.client({ namespace });
  worker.kill("SIGSTOP");
  await client.run(calls.register("q", "host_1"));
  await becomes(async () => {
    await client.run(calls.requeueOrphans("q", 10));
    return (await client.run(calls.reserve("host_1", ["q"])))?.length === 1;
  });
  assert.deepEqual(pids.map(runs), [false, false]);
  const exit = new Promise((resolve) => worker.once("exit", resolve));
  worker.kill("SIGCONT");
  worker.kill("SIGTERM");
  assert.equal(await exit, 0);
});

test("the error of a failure says what has caused it", async () => {
  await using client = server.client();
  await using _ = working(client, {
    fetch: () => fetch("http://127.0.0.1:1/"),
    cause: () => {
      const disk = new Error("no space left");
      throw new Error("not stored", { cause: new TypeError("no copy", { cause: disk }) });
    },
    any: () => Promise.any([Promise.reject(new Error("mirror 1 is away")), Promise.reject(new RangeError("mirror 2 is empty"))]),
    circle: () => {
      const error = new Error("round");
      error.cause = error;
      throw error;
    },
    text: () => {
      throw new Error("wrong", { cause: "a text" });
    },
  });
  const error = async (method: string): Promise<string> =>
    String((await (await submit(client, method)).wait({ timeout: 30 })).error);
  assert.match(await error("fetch"), /^TypeError: fetch failed\ncaused by Error: (connect ECONNREFUSED|bad port)/);
  assert.match(await error("cause"), /^Error: not stored\ncaused by TypeError: no copy\ncaused by Error: no space left\n +at /);
  const reasons = "of these Error: mirror 1 is away\nof these RangeError: mirror 2 is empty\n";
  assert.ok((await error("any")).startsWith(`AggregateError: All promises were rejected\n${reasons}`));
  assert.match(await error("circle"), /^Error: round\n +at /);
  assert.match(await error("text"), /^Error: wrong\ncaused by a text\n/);
});

for (const [where, handlers] of [["this process", undefined], ["a child process", FILE]] as const) {
  test(`a report that nobody awaits ends nothing: in ${where}`, async () => {
    await using client = server.client();
    await using _ = working(client, handlers ?? { timer, add: ([one, other]: [number, number]) => one + other }, { tasksPerProcess: 2 });
    const task = await submit(client, "timer");
    await becomes(async () => (await task.state()) === "started" && (await task.progress()) !== null);
    await task.cancel("enough");
    await assert.rejects(task.result({ timeout: 30 }), { code: "TASKCANCELLED" });
    // The timer continues while these tasks run.
    for (let at = 0; at < 20; at += 1) assert.equal(await (await submit(client, "add", [at, 1])).result({ timeout: 30 }), at + 1);
  });
}

test("what a task has left in a kept process reports nothing of the next", async () => {
  await using client = server.client();
  await using _ = working(client, FILE, { tasksPerProcess: 2 });
  const tasks = [await submit(client, "late"), await submit(client, "heard")] as const;
  assert.equal(await tasks[1].result({ timeout: 60 }), "LOST");
  assert.equal(await tasks[1].progress(), null);
});

test("without a server a worker waits, and other calls of its client fail at once with a sentence", async () => {
  const own = new Server();
  await using client = own.client();
  await own.kill();
  const log: string[] = [];
  const worker = new Worker(client, "q", (number: number) => number, { signals: false, log: (_, text) => log.push(text) });
  const ran = worker.run();
  const began = performance.now();
  await assert.rejects(client.queue("q").submit(1), (error: Error) => /^UNAVAILABLE: no server answers at .*: .*\.$/.test(error.message) && error.cause === undefined);
  assert.ok(performance.now() - began < 5000);
  await becomes(() => log.some((text) => text.startsWith("waits up to 30 s for the server")));
  own.restart();
  assert.equal(await (await until(() => client.queue("q").submit(2))).result({ timeout: 60 }), 2);
  worker.stop();
  await ran;
  await own[Symbol.asyncDispose]();
});

/** Repeats a call until it succeeds. */
async function until<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch {
      await sleep(20);
    }
  }
}
