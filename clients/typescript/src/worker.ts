// The worker: takes tasks, runs their handlers, renews leases, carries orders.
import { pathToFileURL } from "node:url";
import { number, options as optionsOf, shown } from "./argument-checks.js";
import { type Handlers, isHandlers } from "./attempt.js";
import { Attempts } from "./attempts.js";
import * as calls from "./calls.js";
import { Child } from "./child-process.js";
import { Client } from "./client.js";
import { Clock } from "./clock.js";
import { textOf } from "./connection.js";
import { VERSION } from "./contract.js";
import { Ends } from "./ends.js";
import { BluequeError, InvalidCall, known } from "./errors.js";
import { HeldAttempt } from "./held-attempt.js";
import { Leases } from "./leases.js";
import { listenerId } from "./listener.js";
import { MainLoop } from "./main-loop.js";
import { ProcessPool } from "./process-pool.js";
import { QueueChoice } from "./queue-choice.js";
import { Reports } from "./reports.js";
import { Shutdown } from "./shutdown.js";
import { oneLine } from "./text.js";
import { WakeUps, awaitOrders } from "./wake-ups.js";
import { WorkFolder } from "./work-folder.js";
import { OPTIONS, type Say, type WorkerOptions, type WorkerSettings } from "./worker-settings.js";

export type { WorkerOptions };

/** Milliseconds between two checks of all attempts. */
const LOOK = 200;
/** Milliseconds without an answer of the server after which a starting worker logs this. */
const SILENCE = 1000;

/**
 * Takes the tasks of some queues and runs their handlers: in this process, or each in a child process.
 *
 * ```ts
 * const worker = new Worker(client, "transcode", async (film: Film, context) => { … }, { slots: 4 });
 * await worker.run(); // until SIGTERM
 * ```
 */
export class Worker implements AsyncDisposable {
  readonly #settings: WorkerSettings;
  readonly #attempts = new Set<HeldAttempt>();
  readonly #shutdown: Shutdown;
  readonly #ends: Ends;
  readonly #wakeUps: WakeUps;
  readonly #loop: MainLoop;
  #serves = false;
  #finished: Promise<number> | undefined;

  /** The id of the listener on the server. */
  readonly listener = listenerId();

  /**
   * @param client The client of the server.
   * @param queues The queue, or several; the first one first. Or patterns: `["video-*", "!video-test"]`.
   * @param handlers The handler; or several by their methods; or a file (a `file:` URL or a path) whose default export
   *   is one of these: then each task runs in a child process.
   */
  constructor(client: Client, queues: string | readonly string[], handlers: Handlers | URL | string, options: WorkerOptions = {}) {
    if (!((client as unknown) instanceof Client)) throw new InvalidCall("BADARG", `a worker needs a Client, not ${shown(client)}.`);
    const { link } = client;
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
    number("slots", options.slots, 1, true);
    number("lease", options.lease, 0);
    number("timeLimit", options.timeLimit, 0);
    number("grace", options.grace, 0);
    number("tasksPerProcess", options.tasksPerProcess, 1, true);
    number("memory", options.memory, 1, true);
    const names = typeof queues === "string" ? [queues] : [...(queues as readonly string[])];
    const settings = this.#settings = {
      link,
      listener: this.listener,
      queues: new QueueChoice(link, this.listener, names, options.has),
      handlers: file === undefined ? (handlers as Handlers) : undefined,
      file,
      options,
      slots: options.slots ?? 1,
      clock: new Clock(),
      say: sayOf(options),
    };
    this.#shutdown = new Shutdown(settings.say, (how) => {
      if (how && this.#serves) settings.say("info", this.#stopping(how));
      this.#loop.wake();
    });
    this.#ends = new Ends(settings, this.#attempts);
    this.#wakeUps = new WakeUps(settings, this.#shutdown);
    this.#loop = new MainLoop(settings, this.#attempts, this.#shutdown, this.#ends, this.#wakeUps);
  }

  /** Takes no more tasks; `run` resolves when the running tasks have ended. `release`: gives these back at once. */
  stop(options: { readonly release?: boolean } = {}): void {
    this.#shutdown.request(options.release ? "release" : "finish");
  }

  /**
   * Runs until stopped by {@link stop}, SIGTERM or SIGINT. A second signal gives back the running tasks.
   *
   * @returns The number of attempts that have ended here.
   */
  run(): Promise<number> {
    this.#finished ??= this.#run();
    return this.#finished;
  }

  /** Stops, and waits for the running tasks. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.#finished;
  }

  #stopping(stop: "finish" | "release"): string {
    const tasks = this.#attempts.size === 1 ? "1 task" : `${this.#attempts.size} tasks`;
    if (!this.#attempts.size) return "takes no more tasks";
    if (stop === "release") return `gives back ${tasks}`;
    const again = this.#settings.options.signals === false ? "" : "; a second signal gives back what runs";
    return `takes no more, finishes ${tasks}${again}`;
  }

  async #run(): Promise<number> {
    await this.#load();
    await this.#handshake();
    const folder = await WorkFolder.make().catch((error: unknown) => known(error));
    // Handlers in this process may need no folders.
    if (this.#settings.file !== undefined && folder instanceof Error) throw folder;
    try {
      return await this.#serve(folder);
    } finally {
      if (folder instanceof WorkFolder) await folder.remove();
    }
  }

  /** Loads the file of the handlers in a child, because every task fails with an unusable file. */
  async #load(): Promise<void> {
    if (this.#settings.file === undefined) return;
    const child = new Child(this.#settings.file, this.#settings.options.memory);
    const error = await child.loads();
    await child.end();
    if (error === undefined) return;
    const text = `the file of the handlers, ${this.#settings.file}, cannot be used: ${error}.`;
    throw new InvalidCall("BADARG", text, undefined, "Correct it, and start the worker again.");
  }

  /** Waits for the server. */
  async #handshake(): Promise<void> {
    const { limit, connection } = this.#settings.link;
    const until = new Date(Date.now() + limit * 1000).toLocaleTimeString("en-GB");
    const silence = setTimeout(() => {
      const why = connection.trouble ? `: ${textOf(connection.trouble)}` : "";
      this.#settings.say("warning", `no answer from ${connection.place} yet${why}; tries until ${until}`);
    }, SILENCE);
    try {
      await this.#settings.link.run(calls.handshake());
    } finally {
      clearTimeout(silence);
    }
  }

  async #serve(folder: WorkFolder | BluequeError): Promise<number> {
    const { link, options, queues, say, slots } = this.#settings;
    const [attempts, shutdown, loop] = [this.#attempts, this.#shutdown, this.#loop];
    await queues.register();
    const connections = [link.connection.duplicate(), link.connection.duplicate()] as const;
    const wake = (): void => {
      loop.wake();
    };
    const pool = new ProcessPool(this.#settings, wake);
    const runner = new Attempts(this.#settings, shutdown, pool, () => {
      if (folder instanceof WorkFolder) return folder.folder();
      throw folder;
    });
    const leases = new Leases(this.#settings, attempts, shutdown);
    const reports = new Reports(this.#settings, attempts, shutdown);
    const ticks = setInterval(() => {
      leases.tick();
    }, LOOK);
    const end = (): void => {
      this.stop({ release: shutdown.how !== undefined });
    };
    const signals = options.signals === false ? [] : (["SIGTERM", "SIGINT"] as const);
    for (const signal of signals) process.on(signal, end);
    try {
      void this.#wakeUps.wait(connections[0], () => !shutdown.how && attempts.size < slots, wake);
      const hurry = (): void => {
        leases.hurry = true;
      };
      const hear = (): void => {
        hurry();
        void reports.report().catch(() => undefined);
      };
      void awaitOrders(this.#settings, shutdown, connections[1], hear, hurry);
      reports.start();
      const where = `${slots === 1 ? "1 slot" : `${slots} slots`}, ${link.connection.place}, bundle ${VERSION}`;
      if (!shutdown.how) {
        this.#serves = true;
        say("info", `takes tasks of ${queues.names.join(", ")} as ${this.listener}: ${where}`);
      }
      await loop.run(() => pool.rests(), (item, sent) => {
        const held = new HeldAttempt(this.#settings, item, sent);
        attempts.add(held);
        void runner.run(held, item).then((ending) => {
          this.#ends.add(held, ending);
          loop.wake();
        });
      });
    } finally {
      this.#serves = false;
      shutdown.end();
      this.#wakeUps.want();
      clearInterval(ticks);
      for (const signal of signals) process.off(signal, end);
      for (const connection of connections) connection.close();
      await pool.end();
      await queues.unregister();
    }
    return this.#ends.done;
  }
}

function sayOf({ log }: WorkerOptions): Say {
  return (level, text, detail) => {
    const line = oneLine(text); // others choose names and errors
    if (log) log(level, line);
    else if (!detail) console.error(`blueque: ${line}`);
  };
}
