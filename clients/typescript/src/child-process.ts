// Child processes that run handlers, each in its own process group.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { uptime } from "node:os";
import type { Duplex, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { withoutPasswords } from "./address.js";
import { type About, type End, type Order, stopped } from "./attempt.js";
import { BluequeError, known } from "./errors.js";
import type { Limits } from "./handler-options.js";
import type { HeldAttempt } from "./held-attempt.js";
import { Output, markOf } from "./outputs.js";
import { type FromChild, PIPE, type ToChild, fromChild, packed } from "./messages.js";
import { MARK, killOrphans } from "./orphan-processes.js";
import type { Bytes } from "./wire.js";

/** Number of a child's pipe to the watchdog, after stdin, stdout, stderr and the messages. */
const WATCHDOG = 4;
/** Milliseconds after the end of a process in which the rest of its output may arrive. */
const REST = 1000;
/** Maximum number of milliseconds for the hook at the end of a child. */
const FAREWELL = 5000;

/** The file that children run, next to this file. Undefined: a bundler has moved this file. */
function program(): string | undefined {
  try {
    const path = fileURLToPath(new URL("./task-process.js", import.meta.url));
    return existsSync(path) ? path : undefined;
  } catch { // a CommonJS module has no URL
    return undefined;
  }
}

/** Options of Node.js that only concern this program and process. Values of an `--env-file` are inherited. */
const OWN = /^(?:-[eipc]|-pe|--(?:eval|print|interactive|check|input-type|test|watch|inspect|cpu-prof|heap-prof|env-file)\b.*)$/;

/** Options that children also get. With `--eval` each child would run this program again. */
function inherited(options: readonly string[]): string[] {
  let own = false;
  return options.filter((option) => {
    if (option.startsWith("-")) own = OWN.test(option);
    return !own;
  });
}

/** The environment of this process without passwords of the server, so that handlers and their programs have none. */
function environment(): NodeJS.ProcessEnv {
  const kept = { ...process.env };
  delete kept["BLUEQUE_PASSWORD"];
  for (const name of ["BLUEQUE_URL", "BLUEQUE_TOPOLOGY"]) {
    const url = kept[name];
    if (url !== undefined) kept[name] = withoutPasswords(url);
  }
  return kept;
}

/** A child that works on one task at a time. */
export class Child {
  readonly #process: ChildProcess;
  readonly #pipe: Duplex | undefined;
  readonly #watchdog: Writable | undefined;
  /** Number of tasks given to the child, and the number of tasks whose start the child has confirmed. */
  begun = 0;
  #confirmed = 0;
  /** True if the child is gone. */
  over = false;
  #loaded = false;
  #hooked = false;
  /** The limits of its handlers. */
  limits: Readonly<Record<string, Limits>> = {};
  #trouble: string | undefined;
  readonly #outputs: readonly Output[];
  #held: HeldAttempt | undefined;
  #load: ((error: string | undefined) => void) | undefined;
  #done: ((end: End | string) => void) | undefined;
  /** Resolves when the child is gone. */
  readonly gone: Promise<void>;

  /**
   * @param file The file of the handlers.
   * @param memory Maximum size of its heap in bytes.
   */
  constructor(file: string, readonly memory: number | undefined) {
    const path = program();
    if (path === undefined) {
      const text = "child processes run files of this package, which a bundler has left out.";
      throw new BluequeError("WORKER", text, undefined, "Leave @blueque/client out of the bundle, as `external`.");
    }
    const mark = randomUUID();
    const own = memory === undefined ? [] : [`--max-old-space-size=${Math.max(Math.floor(memory / 2 ** 20), 1)}`];
    const execArgv = [...inherited(process.execArgv), ...own];
    const env = { ...environment(), [MARK]: mark };
    // Not `fork`: a handler that writes to the channel of Node.js could end the worker, and its messages have no bound.
    this.#process = spawn(process.execPath, [...execArgv, path, file], { detached: true, env, stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"] });
    const [messages, watchdog] = [PIPE, WATCHDOG].map((number) => this.#process.stdio[number] as Duplex | null | undefined);
    for (const each of [messages, watchdog]) each?.on("error", () => undefined); // its exit is handled elsewhere
    this.#pipe = messages ?? undefined;
    this.#watchdog = watchdog ?? undefined;
    const heard = this.#hears();
    this.gone = new Promise((resolve) => {
      const over = (how: string): void => {
        this.#load?.(how);
        this.#done?.(how);
        resolve();
      };
      this.#process.once("error", (error) => {
        this.over = true;
        over(`its process cannot be started: ${error.message}`);
      });
      this.#process.once("exit", (code, signal) => {
        this.over = true;
        this.kill("SIGKILL"); // processes that it has left behind
        killOrphans(mark);
        const how = signal ? `its process was killed by ${signal}` : `its process ended with the exit code ${code ?? 0}`;
        // Messages and output of the child may still arrive. A process that cannot be killed may hold its streams.
        const rest = setTimeout(over, REST, how);
        this.#process.once("close", () => {
          void heard.finally(() => {
            clearTimeout(rest);
            over(how);
          });
        });
      });
    });
    const hear = (text: string): void => {
      if (this.#held) this.#held.log(text);
      else if (this.#load) process.stderr.write(text);
    };
    const streams = [this.#process.stdout, this.#process.stderr].filter((stream) => stream !== null);
    this.#outputs = streams.map((stream) => new Output(stream, markOf(mark), hear));
  }

  /** Waits until the child has loaded its file. Output goes to stderr. Resolves to the error, or to undefined. */
  loads(): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#load = resolve;
    });
  }

  /** The error of a child that ended before it loaded its handlers. The host caused this, not a task. */
  unusable(): string | undefined {
    return this.#loaded ? undefined : this.#trouble;
  }

  /**
   * Runs the handler of an attempt. After the `last` attempt, or an order to stop, the child and all its processes are
   * gone before this resolves. Undefined: the child was killed after the previous task, and has not begun the new task.
   */
  async run(about: About, held: HeldAttempt, last: boolean): Promise<End | undefined> {
    this.begun += 1;
    this.#held = held;
    for (const output of this.#outputs) output.begin();
    this.renewed(held.left());
    const end = await new Promise<End | string>((resolve) => {
      this.#done = resolve;
      const { parameters, checkpoint, ...rest } = about;
      const sizes = { parameters: parameters.length, checkpoint: checkpoint !== null };
      this.#tell({ kind: "start", about: rest, folder: held.folder(), ...sizes }, parameters, checkpoint ?? "");
    });
    this.#done = undefined;
    this.#watchdog?.write("\n");
    const ordered = held.enforce();
    if (last || ordered) await this.end();
    this.#held = undefined;
    if (typeof end !== "string") return end;
    if (!ordered && this.#confirmed < this.begun && this.begun > 1) return undefined;
    if (ordered) return stopped(ordered);
    if (!this.#loaded) {
      this.#trouble ??= end;
      return { how: "uncounted", reason: "nohandlers", again: 1 };
    }
    return { how: "fail", body: `${end} before the handler did`, group: "crashed" };
  }

  /** Sets the remaining seconds of the lease. The child is killed just before its end, even if the worker is frozen. */
  renewed(left: number): void {
    this.#watchdog?.write(`${uptime() + left - Math.min(left / 10, 0.5)}\n`);
  }

  /** Orders the handler to stop. */
  order(order: Order): void {
    this.#tell({ kind: "order", order });
  }

  /** Ends the child, with all processes that it has started. */
  async end(): Promise<void> {
    if (this.#hooked && !this.over) {
      this.#tell({ kind: "stop" });
      await Promise.race([this.gone, sleep(FAREWELL, undefined, { ref: false })]);
    }
    this.kill("SIGKILL");
    await this.gone;
  }

  /** Sends a signal to the child and its process group. */
  kill(signal: "SIGTERM" | "SIGKILL"): void {
    try {
      if (this.#process.pid !== undefined) process.kill(-this.#process.pid, signal);
    } catch {
      // All processes are gone.
    }
  }

  #tell(message: ToChild, ...bodies: readonly Bytes[]): void {
    if (this.#pipe?.writable) this.#pipe.write(packed(message, ...bodies));
  }

  /** Handles one message at a time, so that a slow server holds up the child and not the memory of the worker. */
  async #hears(): Promise<void> {
    try {
      if (this.#pipe) for await (const [message, body] of fromChild(this.#pipe)) await this.#hear(message, body);
    } catch {
      // The child is gone, or its message is invalid.
    }
    // A child whose pipe has ended must not continue.
    if (!this.over) this.kill("SIGKILL");
  }

  async #hear(message: FromChild, body: Buffer): Promise<void> {
    if (message.kind === "loaded") {
      this.#loaded = message.good;
      this.limits = message.limits ?? {};
      this.#hooked = message.hooked === true;
      this.#trouble = message.good ? undefined : body.toString();
      this.#load?.(this.#trouble);
    }
    else if (message.kind === "begun") this.#confirmed += 1;
    else if (message.kind === "end") {
      await Promise.all(this.#outputs.map((output, at) => (message.marked[at] ? output.marked() : Promise.resolve())));
      this.#done?.({ ...message.end, body });
    }
    else if (message.kind === "log") this.#held?.log(body.toString());
    else {
      const { number, what } = message;
      try {
        await this.#held?.persist(what, body);
        this.#tell({ kind: "answer", number });
      } catch (error) {
        const { code, detail } = known(error);
        this.#tell({ kind: "answer", number, error: [code, detail] });
      }
    }
  }
}
