// An attempt that a worker holds.
import { setTimeout as sleep } from "node:timers/promises";
import { type Channel, type Order, Stopped, fieldsOf } from "./attempt.js";
import * as calls from "./calls.js";
import type { Child } from "./child-process.js";
import { CALL_AGAIN, LOG_KEPT_BYTES, LOG_PIECE_BYTES, RESULT_BYTES } from "./contract.js";
import { BluequeError, Lost } from "./errors.js";
import type { Limits } from "./handler-options.js";
import type { Span } from "./tracing.js";
import type { Bytes, Call } from "./wire.js";
import type { WorkerState } from "./worker-state.js";

/** Seconds after which the limits of a task are read; the lowest limit is a second. */
const LIMITS_AFTER = 0.5;

/** A task as returned by `reserve` and `finish_and_reserve`. */
export type Taken = Pick<
  calls.FinishAndReserveItem,
  "id" | "queue" | "token" | "attempt" | "lease" | "parameters" | "checkpoint"
>;

/** An attempt that this worker holds, and the channel of its handler to the server. */
export class HeldAttempt implements Channel {
  readonly #controller = new AbortController();
  readonly id: string;
  readonly queue: string;
  readonly token: number;
  readonly lease: number;
  readonly began: number;
  /** The method, if the worker has several handlers or a file of handlers. */
  method: string | null = null;
  /** The span of OpenTelemetry. */
  span: Span | undefined;
  order: Order | undefined;
  ordered = 0;
  child: Child | undefined;
  over = false;
  /** The path of the folder, if the handler requested it. */
  path: string | undefined;
  #log = "";
  #leftOut = 0;
  #timeLimit: number;
  #noProgress = Infinity;
  #limitsRead = false;
  /** Time of the last sign of progress. */
  #seen: number;
  /** Seconds without progress after which it was ordered to stop. */
  stalled: number | undefined;

  /** @param renewed Time at which the last acknowledged renewal was sent. */
  constructor(private readonly state: WorkerState, readonly item: Taken, public renewed: number) {
    this.id = item.id;
    this.queue = item.queue;
    this.token = item.token;
    this.lease = item.lease / 1e6;
    this.began = state.clock.now();
    this.#seen = this.began;
    this.#timeLimit = state.options.timeLimit ?? Infinity;
  }

  /** Sets the limits of the handler, as far as they are lower. */
  limit({ timeLimit = Infinity, noProgress = Infinity }: Limits): void {
    this.#timeLimit = Math.min(this.#timeLimit, timeLimit);
    this.#noProgress = Math.min(this.#noProgress, noProgress);
  }

  /** Reads the limits of the task itself. Short attempts do not need them. */
  async #readLimits(): Promise<void> {
    if (this.#limitsRead) return;
    this.#limitsRead = true;
    const { connection, namespace } = this.state.link;
    const key = `${namespace}_task_${this.id}`;
    try {
      const [maxRun, noProgress] = (await connection.send(key, ["HMGET", key, "max_run", "no_progress"])) as (Buffer | null)[];
      this.limit({ timeLimit: Number(maxRun ?? Infinity), noProgress: Number(noProgress ?? Infinity) });
    } catch {
      this.#limitsRead = false;
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Seconds until the lease expires. */
  left(): number {
    return this.renewed + this.lease - this.state.clock.now();
  }

  /** Logs an event of the attempt. */
  say(level: "info" | "warning" | "error", text: string, detail?: "detail"): void {
    const { id, queue, method, item: { attempt } } = this;
    this.state.say(level, `task ${id} attempt ${attempt}${text}`, detail, fieldsOf({ id, attempt, queue, method }));
  }

  /** Orders the attempt to stop; `atOnce`: without a grace period. */
  stop(order: Order | "kill", atOnce = false): void {
    if (this.over || this.order === order || this.order === "lost") return;
    if (this.order && order !== "lost" && order !== "kill") return;
    this.order = order === "kill" ? "cancel" : order;
    this.ordered = atOnce ? -Infinity : this.state.clock.now();
    this.say("info", ` is to stop: ${order}`, "detail");
    this.#controller.abort(new Stopped(this.order));
    this.child?.order(this.order);
  }

  /** Enforces the limits of the attempt; kills a child that does not stop. Returns the order to stop. */
  enforce(): Order | undefined {
    if (this.over) return this.order;
    const { grace = 30 } = this.state.options;
    const left = this.left();
    const now = this.state.clock.now();
    if (left <= 0 || (left <= Math.min(grace, this.lease / 6) && !this.order)) this.stop("lost");
    if (now - this.began > LIMITS_AFTER) void this.#readLimits();
    if (!this.order && now - this.began > this.#timeLimit) this.stop("timeout");
    if (!this.order && now - this.#seen > this.#noProgress) {
      this.stalled = this.#noProgress;
      this.stop("timeout");
    }
    if (!this.order && this.state.stopping === "release") this.stop("drain");
    if (this.order && this.child) {
      const since = now - this.ordered;
      // After a lost lease expires, the next owner may run the task.
      if (since > grace || (this.order === "lost" && left <= 0)) this.child.kill("SIGKILL");
      else if (since > grace / 2) this.child.kill("SIGTERM");
    }
    return this.order;
  }

  folder(): string {
    return (this.path ??= this.state.makeFolder());
  }

  /** Adds log output, up to a limit. */
  log(text: string): void {
    this.#seen = this.state.clock.now();
    if (this.#log.length < LOG_KEPT_BYTES) this.#log += text;
    else this.#leftOut += text.length;
  }

  async sendLog(): Promise<void> {
    while (this.#log) {
      // A character of UTF-16 is at most three bytes.
      const text = this.#log.slice(0, Math.floor(LOG_PIECE_BYTES / 3));
      this.#log = this.#log.slice(text.length);
      const call = calls.appendLog(this.id, this.token, "log", text.toWellFormed());
      await this.state.link.run(call, 5).catch(() => undefined);
      if (!this.#log && this.#leftOut) {
        this.#log = `[${this.#leftOut} characters were left out]\n`;
        this.#leftOut = 0;
      }
    }
  }

  persist(kind: "checkpoint" | "progress", body: Bytes): Promise<void> {
    const { tracing } = this.state.link;
    const save = (): Promise<void> => this.#save(kind, body);
    return tracing && kind === "checkpoint" ? tracing.saved(this.queue, save) : save();
  }

  async #save(kind: "checkpoint" | "progress", body: Bytes): Promise<void> {
    const call: Call<unknown> =
      kind === "checkpoint"
        ? calls.checkpoint(this.id, this.token, body, { maxBytes: RESULT_BYTES })
        : calls.progress(this.id, this.token, body);
    for (;;) {
      try {
        await this.state.link.run(call);
        this.#seen = this.state.clock.now();
        return;
      } catch (error) {
        if (error instanceof Lost) this.stop("lost", true);
        if (!(error instanceof BluequeError) || !error.transient || this.order) throw error;
        await sleep(CALL_AGAIN * 1000);
      }
    }
  }
}
