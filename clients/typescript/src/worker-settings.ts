// The options of a worker, and the values that all its parts use.
import { setTimeout as sleep } from "node:timers/promises";
import type { Handlers } from "./attempt.js";
import type { Clock } from "./clock.js";
import { CALL_AGAIN } from "./contract.js";
import { BluequeError } from "./errors.js";
import type { Link } from "./link.js";
import type { QueueChoice } from "./queue-choice.js";
import type { Shutdown } from "./shutdown.js";
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
  /** Called with the log messages of the worker. By default its begin and end, warnings and errors go to stderr. */
  readonly log?: (level: "info" | "warning" | "error", text: string) => void;
}

/** The names of all options. */
export const OPTIONS: readonly string[] = [
  "slots", "lease", "has", "name", "timeLimit", "grace", "tasksPerProcess", "memory", "signals", "log",
];

/** Logs a message of a worker. `detail`: only the `log` of the options gets the message, not stderr. */
export type Say = (level: "info" | "warning" | "error", text: string, detail?: "detail") => void;

/** The settings of a worker, and the objects that all its parts use. */
export interface WorkerSettings {
  readonly link: Link;
  /** The id of the listener on the server. */
  readonly listener: string;
  readonly queues: QueueChoice;
  /** The handlers, or the file of the handlers. */
  readonly handlers: Handlers | undefined;
  readonly file: string | undefined;
  readonly options: WorkerOptions;
  readonly slots: number;
  readonly clock: Clock;
  readonly say: Say;
}

/**
 * Repeats a call until the server has acknowledged it, because hours of work may depend on the call.
 *
 * @param until The call is not repeated after the order to stop.
 */
export async function insist<T>({ link, say }: WorkerSettings, call: Call<T>, until?: Shutdown): Promise<T> {
  for (;;) {
    try {
      return await link.run(call);
    } catch (error) {
      if (!(error instanceof BluequeError) || !error.transient || until?.how) throw error;
      say("warning", `the server is away: ${error.message}`);
      await sleep(CALL_AGAIN * 1000);
    }
  }
}
