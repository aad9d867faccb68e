// The worker: takes tasks, runs their handlers, renews leases, passes on orders.
import { pathToFileURL } from "node:url";
import { number, options as optionsOf, shown } from "./argument-checks.js";
import { type Handlers, isHandlers } from "./attempt.js";
import * as calls from "./calls.js";
import { Child } from "./child-process.js";
import { Client } from "./client.js";
import { textOf } from "./connection.js";
import { VERSION } from "./contract.js";
import { InvalidCall, known } from "./errors.js";
import { Leases } from "./leases.js";
import { MainLoop } from "./main-loop.js";
import { ProcessPool } from "./process-pool.js";
import { startReports } from "./reports.js";
import { awaitOrders, awaitTasks } from "./wake-ups.js";
import { WorkFolder } from "./work-folder.js";
import { OPTIONS, type WorkerOptions, WorkerState } from "./worker-state.js";

export type { WorkerOptions };

/** Milliseconds between two checks of all attempts. */
const CHECK_EVERY = 200;
/** Milliseconds without an answer of the server after which a starting worker logs this. */
const SILENCE = 500;

/**
 * Takes the tasks of some queues and runs their handlers: in this process, or each in a child process.
 *
 * ```ts
 * const worker = new Worker(client, "transcode", async (film: Film, context) => { … }, { slots: 4 });
 * await worker.run(); // until SIGTERM
 * ```
 */
export class Worker implements AsyncDisposable {
  readonly #state: WorkerState;
  #finished: Promise<number> | undefined;

  /** The id of the listener on the server. */
  readonly listener: string;

  /**
   * @param client The client of the server.
   * @param queues One or several queues, in this order; or patterns: `["video-*", "!video-test"]`.
   * @param handlers The handler; or several by their methods; or a file (a `file:` URL or a path) whose default export
   *   is one of these: then each task runs in a child process.
   */
  constructor(client: Client, queues: string | readonly string[], handlers: Handlers | URL | string, options: WorkerOptions = {}) {
    if (!((client as unknown) instanceof Client)) throw new InvalidCall("BADARG", `a worker needs a Client, not ${shown(client)}.`);
    if (typeof queues !== "string" && !Array.isArray(queues)) {
      throw new InvalidCall("BADARG", `the queues of a worker are names, not ${shown(queues)}.`);
    }
    let file: string | undefined;
    if (handlers instanceof URL) file = handlers.href;
    else if (typeof handlers === "string") file = pathToFileURL(handlers).href;
    else if (!isHandlers(handlers)) {
      const needed = "a function, one or more functions by their names, or a file that exports these";
      throw new InvalidCall("BADARG", `a worker needs ${needed}, not ${shown(handlers)}.`);
    }
    optionsOf("a worker", options, OPTIONS);
    if (!["text", "json", undefined].includes(options.logFormat)) {
      throw new InvalidCall("BADARG", `\`logFormat\` is text or json, not ${shown(options.logFormat)}.`);
    }
    number("slots", options.slots, 1, true);
    number("lease", options.lease, 0);
    number("timeLimit", options.timeLimit, 0);
    number("grace", options.grace, 0);
    number("tasksPerProcess", options.tasksPerProcess, 1, true);
    number("memory", options.memory, 1, true);
    const names = typeof queues === "string" ? [queues] : [...(queues as readonly string[])];
    this.#state = new WorkerState(client.link.patient(), names, file === undefined ? (handlers as Handlers) : undefined, file, options);
    this.listener = this.#state.listener;
  }

  /** Takes no more tasks; `run` resolves when the running tasks have ended. `release`: gives them back at once. */
  stop(options: { readonly release?: boolean } = {}): void {
    this.#state.stop(options.release ? "release" : "finish");
  }

  /**
   * Runs until stopped by {@link stop}, SIGTERM or SIGINT. A second signal gives back the running tasks.
   *
   * @returns The number of attempts that have ended here.
   */
  run(): Promise<number> {
    this.#finished ??= this.#run().finally(() => { this.#state.link.connection.close(); });
    return this.#finished;
  }

  /** Stops, and waits for the running tasks. Errors of the worker are those of {@link run}. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.#finished?.catch(() => undefined);
  }

  async #run(): Promise<number> {
    await this.#load();
    await this.#handshake();
    const folder = await WorkFolder.make().catch((error: unknown) => known(error));
    if (folder instanceof WorkFolder) {
      this.#state.makeFolder = () => folder.folder();
      return this.#serve().finally(() => folder.remove());
    }
    // Handlers in this process may need no folders.
    if (this.#state.file !== undefined) throw folder;
    this.#state.makeFolder = () => { throw folder; };
    return this.#serve();
  }

  /** Loads the file of the handlers in a child, because every task fails with an unusable file. */
  async #load(): Promise<void> {
    const { file, options } = this.#state;
    if (file === undefined) return;
    const child = new Child(file, options.memory);
    const error = await child.loads();
    await child.end();
    this.#state.limits = child.limits;
    if (error === undefined) return;
    const text = `the file of the handlers, ${file}, cannot be used: ${error}.`;
    throw new InvalidCall("BADARG", text, undefined, "Correct it, and start the worker again.");
  }

  /** Waits for the server. */
  async #handshake(): Promise<void> {
    const { limit, connection } = this.#state.link;
    const silence = setTimeout(() => {
      const why = connection.trouble ? `: ${textOf(connection.trouble)}` : "";
      this.#state.say("warning", `waits up to ${limit} s for the server ${connection.place}${why}`);
    }, SILENCE);
    try {
      await this.#state.link.run(calls.handshake());
    } finally {
      clearTimeout(silence);
    }
  }

  async #serve(): Promise<number> {
    const state = this.#state;
    const { link, options, queues, slots } = state;
    await queues.register();
    const connections = [link.connection.duplicate(), link.connection.duplicate()] as const;
    const pool = new ProcessPool(state);
    const leases = new Leases(state);
    const ticks = setInterval(() => { leases.tick(); }, CHECK_EVERY);
    const end = (): void => {
      this.stop({ release: state.stopping !== undefined });
    };
    const signals = options.signals === false ? [] : (["SIGTERM", "SIGINT"] as const);
    for (const signal of signals) process.on(signal, end);
    try {
      void awaitTasks(state, connections[0]);
      void awaitOrders(state, connections[1]);
      startReports(state);
      const place = `${link.connection.place}, namespace ${link.namespace}, bundle ${VERSION}`;
      const where = `${slots === 1 ? "1 slot" : `${slots} slots`}, ${place}`;
      if (!state.stopping) {
        state.serves = true;
        state.say("info", `takes tasks of ${queues.names.join(", ")} as ${this.listener}: ${where}`);
        const reaction = "then it waits for running tasks; a second one gives them back";
        if (signals.length) state.say("info", `to stop it: Ctrl-C or SIGTERM, ${reaction}`);
      }
      void state.event("onWorkerStart");
      await new MainLoop(state, pool).run();
    } finally {
      state.serves = false;
      state.end();
      clearInterval(ticks);
      for (const signal of signals) process.off(signal, end);
      for (const connection of connections) connection.close();
      await pool.end();
      await state.event("onWorkerStop");
      await queues.unregister();
    }
    return state.done;
  }
}
