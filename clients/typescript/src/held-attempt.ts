// An attempt that a worker holds.
import { type Order, Stopped } from "./attempt.js";
import * as calls from "./calls.js";
import type { Child } from "./child-process.js";
import { LOG_KEPT_BYTES, LOG_PIECE_BYTES } from "./contract.js";
import type { Link } from "./link.js";
import type { WorkerSettings } from "./worker-settings.js";

/** A task as returned by `reserve` and `finish_and_reserve`. */
export type Taken = Pick<
  calls.FinishAndReserveItem,
  "id" | "queue" | "token" | "attempt" | "lease" | "parameters" | "checkpoint"
>;

/** An attempt that this worker holds. */
export class HeldAttempt {
  readonly #controller = new AbortController();
  readonly id: string;
  readonly queue: string;
  readonly token: number;
  readonly attempt: number;
  readonly lease: number;
  readonly began: number;
  order: Order | undefined;
  ordered = 0;
  child: Child | undefined;
  over = false;
  /** The folder of the attempt, if the handler requested it. */
  folder: string | undefined;
  #log = "";
  #leftOut = 0;

  /** @param renewed Time at which the last acknowledged renewal was sent. */
  constructor(private readonly settings: WorkerSettings, item: Taken, public renewed: number) {
    this.id = item.id;
    this.queue = item.queue;
    this.token = item.token;
    this.attempt = item.attempt;
    this.lease = item.lease / 1e6;
    this.began = settings.clock.now();
  }

  /** The signal of the handler. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Seconds until the lease passes. */
  left(): number {
    return this.renewed + this.lease - this.settings.clock.now();
  }

  /** Logs an event of the attempt. */
  say(level: "info" | "warning" | "error", text: string, detail?: "detail"): void {
    this.settings.say(level, `task ${this.id} attempt ${this.attempt}${text}`, detail);
  }

  /** Orders the attempt to stop; `atOnce`: without a grace period. */
  stop(order: Order | "kill", atOnce = false): void {
    if (this.over || this.order === order || this.order === "lost") return;
    if (this.order && order !== "lost" && order !== "kill") return;
    this.order = order === "kill" ? "cancel" : order;
    this.ordered = atOnce ? -Infinity : this.settings.clock.now();
    this.say("info", ` is to stop: ${order}`, "detail");
    this.#controller.abort(new Stopped(this.order));
    this.child?.order(this.order);
  }

  /** Enforces the limits of the attempt; kills its child if that does not stop. */
  enforce(release: boolean): void {
    if (this.over) return;
    const { grace = 30, timeLimit = Infinity } = this.settings.options;
    const left = this.left();
    const now = this.settings.clock.now();
    if (left <= 0 || (left <= Math.min(grace, this.lease / 6) && !this.order)) this.stop("lost");
    if (!this.order && now - this.began > timeLimit) this.stop("timeout");
    if (!this.order && release) this.stop("drain");
    if (!this.order || !this.child) return;
    const since = now - this.ordered;
    // When a lost lease has passed, the next owner may run the task.
    if (since > grace || (this.order === "lost" && left <= 0)) this.child.kill("SIGKILL");
    else if (since > grace / 2) this.child.kill("SIGTERM");
  }

  /** Adds log output, up to a limit. */
  addLog(text: string): void {
    if (this.#log.length < LOG_KEPT_BYTES) this.#log += text;
    else this.#leftOut += text.length;
  }

  /** Sends the log output. */
  async sendLog(link: Link): Promise<void> {
    while (this.#log) {
      // A character of UTF-16 is at most three bytes.
      const text = this.#log.slice(0, Math.floor(LOG_PIECE_BYTES / 3));
      this.#log = this.#log.slice(text.length);
      await link.run(calls.appendLog(this.id, this.token, "log", text.toWellFormed()), 5).catch(() => undefined);
      if (!this.#log && this.#leftOut) {
        this.#log = `[${this.#leftOut} characters were left out]\n`;
        this.#leftOut = 0;
      }
    }
  }
}
