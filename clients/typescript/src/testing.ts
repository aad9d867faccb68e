// Helpers for tests: a private server, a clock that the test sets, and tasks that run in the test's process:
// `import { Clock, Server, runUntilIdle } from "@blueque/client/testing"`.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { type Handlers, Context, attempt, isHandlers } from "./attempt.js";
import * as calls from "./calls.js";
import { Client, type ClientOptions } from "./client.js";
import { callOf } from "./ends.js";
import { InvalidCall, TimedOut, Unsuitable } from "./errors.js";
import { type Hooks, callOutcome, hooksOf } from "./hooks.js";
import { supplyTimes } from "./schedule.js";
import { carried } from "./tracing.js";
import type { Bytes } from "./wire.js";

function installed(): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = ["redis-server", "valkey-server"].find((name) => folders.some((folder) => existsSync(join(folder, name))));
  if (found) return found;
  throw new Unsuitable("SERVER", "there is no redis-server and no valkey-server: install one, or set BLUEQUE_REDIS_SERVER.");
}

/**
 * A private server on a Unix socket, until the end of the block: `redis-server` or `valkey-server` of the path, or
 * the program in `BLUEQUE_REDIS_SERVER`. Calls wait until it has started.
 *
 * ```ts
 * await using server = new Server();
 * await using client = server.client();
 * ```
 */
export class Server implements AsyncDisposable {
  /** The folder of the socket and the data; removed at the end. */
  readonly folder = mkdtempSync(join(tmpdir(), "blueque-server-"));
  /** The URL of the server. */
  readonly url = `unix://${this.folder}/socket`;
  readonly #arguments: readonly string[];
  #process: ChildProcess;

  /** @param more Arguments of the server, such as `--requirepass`. */
  constructor(...more: string[]) {
    this.#arguments = more;
    this.#process = this.#start();
  }

  #start(): ChildProcess {
    const program = process.env["BLUEQUE_REDIS_SERVER"] ?? installed();
    const own = ["--port", "0", "--unixsocket", `${this.folder}/socket`, "--dir", this.folder, "--save", ""];
    return spawn(program, [...own, "--appendonly", "yes", ...this.#arguments], { stdio: "ignore" });
  }

  /** Kills the server, like a crash. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGKILL");
    await gone;
  }

  /** Starts the server again, with its data. */
  restart(): void {
    this.#process = this.#start();
  }

  /** Freezes the server, or continues it. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#process.kill(signal);
  }

  /** A client in a namespace of its own. */
  client(options: ClientOptions = {}): Client {
    return new Client(this.url, { namespace: `t${randomUUID()}`, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A clock that the test sets: `new Client(url, { clock: clock.read })`, in a namespace without other data. */
export class Clock {
  /** Seconds since 1970. */
  now: number;

  constructor(now = 1_800_000_000) {
    this.now = now;
  }

  /** The clock in the form that a client takes. */
  readonly read = (): number => this.now;

  /** Advances the clock by this number of seconds. */
  advance(seconds: number): void {
    this.now += seconds;
  }
}

/**
 * Runs all due tasks in this process, one after another, until no task is due. A {@link Clock} of the client decides
 * which tasks are due.
 *
 * @param client The client of the server.
 * @param queues The queue, or several.
 * @param handlers The handler, or several by their methods, as for a `Worker`. Errors end their attempts.
 * @param most Maximum number of tasks to run before it gives up.
 * @param hooks Hooks, as for a `Worker`; those of the worker and of its processes are not called.
 * @returns The number of tasks that ran.
 */
export async function runUntilIdle(
  client: Client,
  queues: string | readonly string[],
  handlers: Handlers,
  most = 10_000,
  hooks?: Hooks | readonly Hooks[],
): Promise<number> {
  if (!isHandlers(handlers)) throw new InvalidCall("BADARG", "there are no handlers: a function, or functions by their names.");
  const { link } = client;
  const all = [...link.hooks, ...hooksOf(hooks)];
  const names = typeof queues === "string" ? [queues] : queues;
  const listener = `test-${randomUUID()}_${process.pid}`;
  for (const name of names) await link.run(calls.register(name, listener));
  try {
    for (let done = 0; done < most; done += 1) {
      for (let more = true; more; ) {
        const reply = await link.run(calls.maintenance(names));
        await supplyTimes(link, reply.items);
        ({ more } = reply);
      }
      while ((await link.run(calls.runDeferred(500))).more); // in production, maintenance does this every two seconds
      const [item] = (await link.make(calls.reserve(listener, names, { pid: process.pid }))) ?? [];
      if (!item) return done;
      const { id, queue, token, parameters, checkpoint } = item;
      const [record, began] = [await link.run(calls.get(id)), performance.now()];
      const method = record?.method ?? null;
      const span = await link.tracing?.begin(link, listener, item, record);
      const about = { id, queue, method, attempt: item.attempt, parameters, checkpoint, trace: carried(span) };
      let [folder, logged] = [undefined as string | undefined, ""];
      const channel = {
        persist: async (kind: "checkpoint" | "progress", body: Bytes): Promise<void> => {
          await link.run(kind === "checkpoint" ? calls.checkpoint(id, token, body) : calls.progress(id, token, body));
        },
        log: (text: string): void => {
          logged += text;
        },
        folder: (): string => (folder ??= mkdtempSync(join(tmpdir(), "blueque-task-"))),
      };
      const context = new Context(about, new AbortController().signal, link.serializer, channel);
      const end = await attempt(about, handlers, context, link.serializer, all);
      if (logged) await link.run(calls.appendLog(id, token, "log", logged.toWellFormed()));
      const verdict = await link.run(callOf(item, end));
      const failed = end.how === "fail" || end.how === "final";
      const error = failed ? { error: String(end.body ?? "").split("\n", 1)[0] ?? "", group: end.group ?? "" } : {};
      if (span) link.tracing?.end(span, queue, verdict, error.error, end.group, (performance.now() - began) / 1000);
      await callOutcome(all, verdict, { id, queue, method, attempt: item.attempt, seconds: 0, ...error });
      if (folder) await rm(folder, { recursive: true, force: true });
    }
    throw new TimedOut("TIMEDOUT", `tasks are left after ${most}.`);
  } finally {
    for (const name of names) await link.run(calls.unregister(name, listener));
  }
}
