// The options of a worker, and the state that its parts share.
import { setTimeout as sleep } from "node:timers/promises";
import type { End, Handlers, LogFields } from "./attempt.js";
import { Clock } from "./clock.js";
import { CALL_AGAIN, FAILURES_COUNTED } from "./contract.js";
import { BluequeError } from "./errors.js";
import type { Limits } from "./handler-options.js";
import { type Attempt, type Hooks, call, callOutcome, hooksOf } from "./hooks.js";
import type { HeldAttempt } from "./held-attempt.js";
import type { Link } from "./link.js";
import { listenerId } from "./listener.js";
import { QueueChoice } from "./queue-choice.js";
import { oneLine } from "./text.js";
import type { Call, Names, Seconds } from "./wire.js";

/** Options of a worker. */
export interface WorkerOptions {
  /** Maximum number of tasks that run at the same time. By default 1. */
  readonly slots?: number;
  /** Seconds after the last heartbeat for which the worker keeps a task; by default the setting of its queue. */
  readonly lease?: Seconds;
  /** Capabilities of this worker, such as `gpu,memory=64`. */
  readonly has?: Names;
  /** The name of the worker, for people. */
  readonly name?: string;
  /** Seconds after which an attempt is stopped, and has failed with the group `timeout`. */
  readonly timeLimit?: Seconds;
  /** For child processes: seconds from an order to stop to SIGKILL; SIGTERM comes halfway. By default 30. */
  readonly grace?: Seconds;
  /** For child processes: number of tasks after which a process is replaced. By default 1. */
  readonly tasksPerProcess?: number;
  /** For child processes: maximum heap in bytes; a larger heap crashes the process. By default as in Node.js. */
  readonly memory?: number;
  /** If true, `run` stops at SIGTERM and SIGINT. By default true. */
  readonly signals?: boolean;
  /** The lines of the default log: `text`, or `json` for an object on each line. */
  readonly logFormat?: "text" | "json";
  /** Calls of your own code: those of the client's options are also called. */
  readonly hooks?: Hooks | readonly Hooks[];
  /**
   * Called with the log messages of the worker, and with the task that a message is about, for loggers with fields. By
   * default the worker's begin and end, warnings and errors go to stderr.
   */
  readonly log?: (level: "info" | "warning" | "error", text: string, fields: LogFields) => void;
}

/** The names of all options. */
export const OPTIONS: readonly string[] = [
  "slots", "lease", "has", "name", "timeLimit", "grace", "tasksPerProcess", "memory", "signals", "log", "logFormat", "hooks",
];

/** A request that one part of a worker makes, and another part waits for. */
export class Request {
  #made = false;
  #resolve: (() => void) | undefined;

  make(): void {
    this.#made = true;
    this.#resolve?.();
  }

  /** Returns true once after a request. */
  take(): boolean {
    const made = this.#made;
    this.#made = false;
    return made;
  }

  /** Waits until there is a request that no part has taken. */
  async wait(): Promise<void> {
    if (!this.#made) await new Promise<void>((resolve) => { this.#resolve = resolve; });
  }
}

/** The settings of a worker, and the state that its parts share. */
export class WorkerState {
  /** The id of the listener on the server. */
  readonly listener = listenerId();
  readonly queues: QueueChoice;
  readonly slots: number;
  readonly clock = new Clock();
  /** The attempts that the worker holds. */
  readonly attempts = new Set<HeldAttempt>();
  /** Attempts whose end must be sent. */
  readonly ends: (readonly [HeldAttempt, End])[] = [];
  /** Number of attempts that have ended. */
  done = 0;
  /** Times of the last failed attempts, in milliseconds of `performance.now()`. */
  readonly failures: number[] = [];
  /** `finish`: the running tasks end; `release`: they are given back; undefined: the worker takes tasks. */
  stopping: "finish" | "release" | undefined;
  /** True while the worker takes tasks or waits for their ends. */
  serves = false;
  /** Requests to the main loop to look for tasks, and of the main loop for a wake-up. */
  readonly look = new Request();
  readonly wakeUp = new Request();
  /** True if the server has woken the worker since its last request for tasks. */
  woken: true | undefined;
  /** True to renew all leases now. */
  renewsNow = false;
  /** Creates the folder of an attempt, and returns its path. */
  makeFolder = (): string => { throw new Error("the worker has not begun"); };
  readonly hooks: readonly Hooks[];
  /** The limits of the handlers of a file by method; of a single handler by the empty text. */
  limits: Readonly<Record<string, Limits>> = {};
  #outcomes: Promise<void> = Promise.resolve();
  readonly #over = new AbortController();

  /** @param handlers The handlers. Undefined: `file` has the handlers. */
  constructor(
    readonly link: Link, names: readonly string[], readonly handlers: Handlers | undefined, readonly file: string | undefined,
    readonly options: WorkerOptions,
  ) {
    this.queues = new QueueChoice(link, this.listener, names, options.has);
    this.slots = options.slots ?? 1;
    this.hooks = [...new Set([...link.hooks, ...hooksOf(options.hooks)])];
  }

  /** Returns the number of failed attempts that the reports of the worker count. */
  failed(): number {
    const since = performance.now() - FAILURES_COUNTED * 1000;
    while ((this.failures[0] ?? since) < since || this.failures.length > 10_000) this.failures.shift();
    return this.failures.length;
  }

  /** Logs the error of a hook. */
  readonly complain = (text: string): void => { this.say("error", text); };

  /** Calls the hooks for the verdict of the server on an attempt, one after another. */
  outcome(verdict: string, attempt: Attempt): void {
    if (this.hooks.length) this.#outcomes = this.#outcomes.then(() => callOutcome(this.hooks, verdict, attempt, this.complain));
  }

  /** Calls a hook of the worker, after the hooks of all attempts. */
  event(name: "onWorkerStart" | "onWorkerStop"): Promise<void> {
    return (this.#outcomes = this.#outcomes.then(() => call(this.hooks, name, [], this.complain)));
  }

  /** Logs a message of the worker. `detail`: only the `log` of the options gets the message, not stderr. */
  say(level: "info" | "warning" | "error", text: string, detail?: "detail", fields: LogFields = {}): void {
    const line = oneLine(text); // others choose names and errors
    if (this.options.log) this.options.log(level, line, fields);
    else if (!detail) console.error(this.#written(level, line, fields));
  }

  /** A line of the default log, as that of `blueque worker`. */
  #written(level: string, message: string, fields: LogFields): string {
    const time = new Date().toISOString();
    if (this.options.logFormat === "json") return JSON.stringify({ time, level, message, ...fields });
    return `${time} ${level.toUpperCase().padEnd(5)} ${message}`;
  }

  stop(how: "finish" | "release" = "finish"): void {
    if (this.stopping !== "release" && this.stopping !== how) {
      this.stopping = how;
      if (this.serves) this.say("info", this.#reaction());
    }
    this.look.make();
  }

  /** Describes the reaction to the order to stop, for people. */
  #reaction(): string {
    const { size } = this.attempts;
    if (!size) return "takes no more tasks";
    const tasks = size === 1 ? "1 task" : `${size} tasks`;
    if (this.stopping === "release") return `gives back ${tasks}`;
    const again = this.options.signals === false ? "" : "; a second signal gives back what runs";
    return `takes no more, finishes ${tasks}${again}`;
  }

  /** Stops the worker because the server ordered this. */
  drain(): void {
    if (this.stopping) return;
    this.say("info", "is ordered to drain");
    this.stop();
  }

  /** Returns true at the end of the worker. */
  isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Ends the work of all parts. */
  end(): void {
    this.#over.abort();
    this.wakeUp.make();
  }

  /** Sleeps, at most until the end of the worker. */
  async sleep(seconds: number): Promise<void> {
    await sleep(seconds * 1000, undefined, { signal: this.#over.signal }).catch(() => undefined);
  }

  /**
   * Repeats a call until the server has acknowledged it, because hours of work may depend on the call.
   *
   * @param orStop The call is not repeated after the order to stop.
   */
  async insist<T>(call: Call<T>, orStop = false): Promise<T> {
    for (;;) {
      try {
        return await this.link.run(call);
      } catch (error) {
        if (!(error instanceof BluequeError) || !error.transient || (orStop && this.stopping)) throw error;
        this.say("warning", `the server is away: ${error.message}`);
        await sleep(CALL_AGAIN * 1000);
      }
    }
  }
}
