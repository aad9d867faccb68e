// A task.
import { setTimeout as sleep } from "node:timers/promises";
import * as calls from "./calls.js";
import { LONGEST_PAUSE, STATES, WARN_AFTER, type Signal } from "./contract.js";
import { NotFound, TaskCancelled, TaskFailed, TimedOut } from "./errors.js";
import { number, options } from "./argument-checks.js";
import type { Link } from "./link.js";
import { type LogEntry, type TaskRecord, entryOf, recordOf } from "./records.js";
import { waiting } from "./tracing.js";
import { type Why, agrees, whyOf } from "./why.js";
import { type Bytes, type Time, option } from "./wire.js";

/** Longest interval between two checks of a wait, in milliseconds. */
export const LONGEST_INTERVAL = LONGEST_PAUSE * 1000;

/** Options of a wait. */
export interface Wait {
  /** Maximum number of seconds; by default there is no limit. */
  readonly timeout?: number | undefined;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns true if a task in this state has ended. */
export function isFinal(state: string | null): boolean {
  return state !== null && (STATES[state]?.final ?? false);
}

/** Checks at growing intervals until it finds something. */
export async function until<T>(
  look: () => Promise<T | undefined>, wait: Wait, unfinished: (within: string) => string | Promise<string>,
  warn?: () => Promise<void>,
): Promise<T> {
  options("a wait", wait, ["timeout", "signal"]);
  number("timeout", wait.timeout, -Infinity);
  const began = performance.now();
  const end = wait.timeout === undefined ? Infinity : began + wait.timeout * 1000;
  for (let interval = 5; ; interval = Math.min(interval * 2, LONGEST_INTERVAL)) {
    wait.signal?.throwIfAborted();
    const found = await look();
    if (found !== undefined) return found;
    const left = end - performance.now();
    if (left <= 0) throw new TimedOut("TIMEDOUT", await unfinished(`within ${wait.timeout ?? 0} s`));
    if (warn && performance.now() > began + WARN_AFTER * 1000) {
      await warn();
      warn = undefined;
    }
    await sleep(Math.min(interval, left));
  }
}

/** Changes of a task: its parameters, eta, queue and options. */
export interface EditOptions<P = unknown> extends Omit<calls.EditOptions, "parameters"> {
  /** The new parameters, as the handler gets them. */
  readonly parameters?: P | undefined;
}

/** A task by its id; `R` is its result, `P` are its parameters. Nothing is read until a method is called. */
export class Task<R = unknown, P = unknown> {
  readonly #link: Link;

  /** @internal */
  constructor(link: Link, /** The id of the task. */ readonly id: string) {
    this.#link = link;
  }

  /** The record of the task. */
  async info(): Promise<TaskRecord<R, P>> {
    return recordOf(await this.#raw(), this.#link.serializer);
  }

  async #raw(): Promise<calls.GetReply> {
    const record = await this.#link.run(calls.get(this.id));
    if (record === null) throw new NotFound("NOTASK", `there is no task ${this.id}.`);
    return record;
  }

  /** The state, such as `pending`, `started`, `complete`; null if the task's graph is not released yet. */
  async state(): Promise<calls.GetReply["status"]> {
    return (await this.#raw()).status;
  }

  /** Waits until the task has ended, and returns its record. Throws {@link TimedOut} after the timeout. */
  async wait(wait: Wait = {}): Promise<TaskRecord<R, P>> {
    return recordOf(await this.#ended(wait), this.#link.serializer);
  }

  #ended(wait: Wait): Promise<calls.GetReply> {
    let state: string | null = null;
    const look = async (): Promise<calls.GetReply | undefined> => {
      const record = await this.#raw();
      state = record.status;
      return isFinal(state) ? record : undefined;
    };
    const unfinished = async (within: string): Promise<string> => {
      const why = await this.why().catch(() => undefined);
      const text = `the task ${this.id} is ${state ?? "of a graph that is not released"}, not finished ${within}`;
      return why ? `${text}: ${why.toString()}` : `${text}.`;
    };
    const warn = async (): Promise<void> => {
      const why = await this.why().catch(() => undefined);
      if (why?.status !== "pending" || why.listeners > 0 || why.paused !== null) return;
      process.emitWarning(`waits for the task ${this.id}: ${why.toString()}`, "BluequeWarning");
    };
    return waiting(this.#link.tracing, this.id, "task", () => until(look, wait, unfinished, warn), (record) => record);
  }

  /** Waits for the result. Throws {@link TaskFailed}, {@link TaskCancelled}, and {@link TimedOut}. */
  async result(wait: Wait = {}): Promise<R> {
    const record = await this.#ended(wait);
    if (record.status === "complete") return this.#value(record.result) as R;
    if (record.status === "cancelled") throw new TaskCancelled(record.reason);
    throw new TaskFailed(record.error?.toString() ?? "", record.group);
  }

  /** The parameters of the task. */
  async parameters(): Promise<P> {
    return this.#value((await this.#raw()).parameters) as P;
  }

  /** The progress that its attempt has reported, such as `{ done: 3, total: 10, unit: "files" }`; or null. */
  async progress(): Promise<unknown> {
    return this.#value((await this.#raw()).progress);
  }

  /** The checkpoint for the next attempt; null if none is saved. */
  async checkpoint(): Promise<unknown> {
    return this.#value((await this.#raw()).checkpoint);
  }

  #value(data: Buffer | null): unknown {
    return data?.length ? this.#link.serializer.loads(data) : null;
  }

  /** The reasons why the task waits: limits, needs, pauses, other tasks. Its `toString()` is a sentence. */
  async why(): Promise<Why> {
    for (let tries = 1; ; tries += 1) {
      const [record, reply] = [await this.#raw(), await this.#link.run(calls.why(this.id))];
      // The task may change between the two calls.
      if (agrees(reply, record) || tries === 3) return whyOf(reply, record);
    }
  }

  /**
   * The expected start and end of the task.
   *
   * @param progress The completed part, 0 to 1, if known.
   */
  estimate(progress?: number): Promise<calls.EstimateReply> {
    return this.#link.run(calls.estimate(this.id, { progress }));
  }

  /** The stored transitions of the task, the earliest first. */
  async history(): Promise<calls.HistoryItem[]> {
    const found: calls.HistoryItem[] = [];
    for (;;) {
      const page = await this.#link.run(calls.history(this.id, found.at(-1)?.number ?? 0, 500));
      if (!page.items.length) return found;
      found.push(...page.items);
    }
  }

  /** The log of the task; with `follow` also new entries, until the task has ended. */
  async *logs(options: { readonly follow?: boolean } = {}): AsyncGenerator<LogEntry, void, undefined> {
    let [after, interval] = ["0", 50];
    for (;;) {
      const ended = !options.follow || isFinal(await this.state());
      const page = await this.#link.run(calls.logs(this.id, after, 100));
      yield* page.items.map(entryOf);
      after = page.last;
      if (page.items.length) interval = 50;
      else if (ended) return;
      else {
        await sleep(interval);
        interval = Math.min(interval * 2, LONGEST_INTERVAL);
      }
    }
  }

  /**
   * Cancels the task. Returns `cancelled`, or `cancelling` while its owner still runs.
   *
   * `force`: the owner must kill the task at once, without a grace period. `atOnce`: the task is cancelled
   * now, even if its program still runs for a while.
   */
  cancel(reason = "", options: { readonly force?: boolean; readonly atOnce?: boolean } = {}): Promise<string> {
    return this.#link.make(calls.cancel(this.id, reason, { ...options, by: this.#link.by }));
  }

  /** Asks the owner to save a checkpoint and give the task back. */
  requeue(options: { readonly atOnce?: boolean } = {}): Promise<string> {
    return this.#link.make(calls.requeue(this.id, { ...options, by: this.#link.by }));
  }

  /** Runs a failed or cancelled task again, from its checkpoint, or with `fresh` from its beginning. */
  retry(options: { readonly fresh?: boolean; readonly deadline?: Time } = {}): Promise<string> {
    return this.#link.make(calls.retry(this.id, { ...options, by: this.#link.by }));
  }

  /** Changes an unfinished task. */
  async edit(given: EditOptions<P>): Promise<string> {
    options("an edit", given);
    if (given.eta !== undefined) option("eta", given.eta);
    const { parameters, ...more } = given;
    const changed = parameters === undefined ? more : { ...more, parameters: this.#link.serializer.dumps(parameters) };
    return this.#link.make(calls.edit(this.id, { by: this.#link.by, ...changed }));
  }

  /** Changes the priority of a waiting task: -1,000 to 1,000, higher first. */
  async prioritise(priority: number): Promise<void> {
    await this.#link.make(calls.prioritise(this.id, priority, { by: this.#link.by }));
  }

  /** Holds a pending or scheduled task: it does not start until `unhold`. */
  async hold(): Promise<void> {
    await this.#link.make(calls.hold(this.id, { by: this.#link.by }));
  }

  /** Releases a held task; returns its state, `pending` or `scheduled`. */
  async unhold(): Promise<string> {
    return this.#link.make(calls.unhold(this.id, { by: this.#link.by }));
  }

  /** Asks the worker to suspend the running program; false if it is suspended already. Limits of time do not run. */
  async suspend(): Promise<boolean> {
    return (await this.#link.make(calls.suspend(this.id, { by: this.#link.by }))) === "suspending";
  }

  /** Asks the worker to continue the suspended program; false if it is not suspended. */
  async unsuspend(): Promise<boolean> {
    return (await this.#link.make(calls.unsuspend(this.id, { by: this.#link.by }))) === "continuing";
  }

  /** Asks the worker to send the program a signal, such as `USR1`; returns the number of the request. */
  async signal(signal: Signal): Promise<number> {
    return this.#link.make(calls.signal(this.id, signal, { by: this.#link.by }));
  }

  /** Moves a waiting task into another queue. */
  async move(queue: string): Promise<void> {
    await this.#link.make(calls.move(this.id, queue, { by: this.#link.by }));
  }

  /** Adds a note to the task's history. */
  async note(text: string, data?: Bytes): Promise<void> {
    await this.#link.make(calls.note(this.id, text, { data, by: this.#link.by }));
  }

  /** Adds tags; returns all tags of the task. */
  tag(...tags: string[]): Promise<string[]> {
    return this.#link.run(calls.tag(this.id, tags));
  }

  /** Removes tags; returns the remaining tags. */
  untag(...tags: string[]): Promise<string[]> {
    return this.#link.run(calls.untag(this.id, tags));
  }

  /** Adds upstreams to the task: `success=ID`, `after=ID`, `failure=ID`, separated by spaces. */
  depend(inputs: string): Promise<string> {
    return this.#link.make(calls.depend(this.id, inputs));
  }

  /** Deletes the task. It must have ended. */
  async delete(): Promise<void> {
    await this.#link.make(calls.delete(this.id, { by: this.#link.by }));
  }
}
