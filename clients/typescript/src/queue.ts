// A queue: its tasks, its settings, its events.
import { setTimeout as sleep } from "node:timers/promises";
import * as calls from "./calls.js";
import type * as contract from "./contract.js";
import { CALL_AGAIN, CALL_BYTES, SETTINGS, TASKS_OF_CALL } from "./contract.js";
import { BluequeError, InvalidCall, PayloadError, duplicate } from "./errors.js";
import { options as optionsOf, shown } from "./argument-checks.js";
import { aroundSubmit } from "./hooks.js";
import type { Link } from "./link.js";
import { LONGEST_INTERVAL, Task } from "./task.js";
import { hint, perhaps } from "./names.js";
import { submitting } from "./tracing.js";
import { type Bytes, type Time, option, randomId, rate as rateSent } from "./wire.js";

/** Remedy if another task has the unique name. */
const UNIQUE = 'Wait for its end, or submit with `uniquePolicy: "existing"`, which returns that task.';

/** Options of a task. */
export interface TaskOptions extends Omit<calls.SubmitOptions, "again" | "unique" | "request"> {
  /** With your own id you may repeat the submit: a second submit with the same id changes nothing. */
  readonly id?: string | undefined;
  /** The time at which the task is due; by default at once. */
  readonly eta?: Time | undefined;
  /**
   * A name that only one task of the queue has at a time. While another task has the name, this throws
   * {@link Refused}, or returns that task with `uniquePolicy: "existing"`.
   */
  readonly unique?: string | undefined;
  /** If true, a finished task with this id runs again, and a waiting task is updated. */
  readonly again?: boolean | undefined;
}

/** Options of the events of a queue. */
export interface EventsOptions {
  /** The `event` of the last event that you have read, or {@link Queue.latestEvent}; by default all stored events. */
  readonly after?: string;
  /** If true, the events continue until the signal. */
  readonly follow?: boolean;
  /** Ends the events. */
  readonly signal?: AbortSignal;
}

/** A queue by its name. The first submit creates the queue. */
export class Queue<P = unknown, R = unknown> {
  readonly #link: Link;

  /** @internal */
  constructor(link: Link, /** The name of the queue. */ readonly name: string) {
    this.#link = link;
  }

  /** Adds a task. Its handler gets these parameters. */
  submit(parameters: P, options: TaskOptions = {}): Promise<Task<R, P>> {
    return this.submitBytes(this.#link.serializer.dumps(parameters), options);
  }

  /** Adds a task with parameters in bytes, without the serializer. */
  async submitBytes(parameters: Bytes, options: TaskOptions = {}): Promise<Task<R, P>> {
    optionsOf("a submit", options);
    if (options.eta !== undefined) option("eta", options.eta);
    const { id = randomId(), eta = null, unique, again, ...more } = options;
    const each = [{ id, eta, parameters }];
    const submit = async (more: calls.SubmitOptions): Promise<string> => {
      try {
        if (again) await this.#link.make(calls.submitAgain(this.name, each, { ...more, unique, again: true }));
        else if (unique !== undefined) {
          const reply = await this.#link.make(calls.submitUnique(this.name, each, { ...more, unique }));
          if (reply.outcome === "existing" && reply.id !== null) return reply.id;
        } else await this.#link.run(calls.submit(this.name, each, more));
        return id;
      } catch (error) {
        throw duplicate(error, UNIQUE);
      }
    };
    const found = await aroundSubmit(this.#link.hooks, this.name, more, id, (more) =>
      submitting(this.#link.tracing, this.name, more, { "messaging.message.id": id }, submit, () => 1));
    return new Task(this.#link, found);
  }

  /** Adds a task for each of these parameters. One call adds many tasks. */
  async submitMany(parameters: Iterable<P>, options: Omit<TaskOptions, "id" | "unique" | "again"> = {}): Promise<Task<R, P>[]> {
    const list = parameters as Partial<Iterable<P>> | string | null | undefined;
    if (typeof list === "string" || typeof list?.[Symbol.iterator] !== "function") {
      throw new InvalidCall("BADARG", `submitMany takes a list, with the parameters of a task each, not ${shown(list)}.`);
    }
    optionsOf("a submit", options);
    if (options.eta !== undefined) option("eta", options.eta);
    const { eta = null, ...given } = options;
    const submit = (more: calls.SubmitOptions): Promise<Task<R, P>[]> => this.#submitAll(parameters, eta, more);
    return aroundSubmit(this.#link.hooks, this.name, given, undefined, (more) =>
      submitting(this.#link.tracing, this.name, more, {}, submit, ({ length }) => length));
  }

  async #submitAll(parameters: Iterable<P>, eta: Time | null, more: calls.SubmitOptions): Promise<Task<R, P>[]> {
    const tasks: Task<R, P>[] = [];
    let [batch, size, at, sent] = [[] as calls.SubmitEach[], 0, -1, 0];
    for (const value of parameters) {
      at += 1;
      const data = this.#dumped(value, at, sent);
      const bytes = Buffer.byteLength(data);
      if (batch.length === TASKS_OF_CALL || (batch.length && size + bytes > CALL_BYTES)) {
        await this.#submitSome(batch, more, sent);
        [batch, size, sent] = [[], 0, at];
      }
      const id = randomId();
      batch.push({ id, eta, parameters: data });
      size += bytes;
      tasks.push(new Task(this.#link, id));
    }
    if (batch.length) await this.#submitSome(batch, more, sent);
    return tasks;
  }

  /** The bytes of one of many parameters. If it is refused, the error has its index. */
  #dumped(value: unknown, at: number, sent: number): Bytes {
    try {
      return this.#link.serializer.dumps(value);
    } catch (error) {
      throw error instanceof PayloadError ? new PayloadError(`${oneOf(at, sent)}: ${error.detail}`, error) : error;
    }
  }

  /** Submits a batch that begins at the index `sent`. The error for a task that is too large names its index. */
  async #submitSome(batch: readonly calls.SubmitEach[], options: calls.SubmitOptions, sent: number): Promise<void> {
    try {
      await this.#link.run(calls.submit(this.name, batch, options));
    } catch (error) {
      const size = error instanceof InvalidCall && error.code === "TOOBIG" && / is (\d+) bytes/.exec(error.detail)?.[1];
      const at = batch.findIndex((each) => Buffer.byteLength(each.parameters) === Number(size));
      throw size && at >= 0 ? new InvalidCall("TOOBIG", `${oneOf(sent + at, sent)}: ${error.detail}`, error) : error;
    }
  }

  /** A task by its id. */
  task(id: string): Task<R, P> {
    return new Task(this.#link, id);
  }

  // Contents

  /** The number of its tasks in each state. */
  counts(): Promise<calls.CountsReply> {
    return this.#link.run(calls.counts(this.name));
  }

  /** The tasks of the queue in a state. */
  async *tasks(state: contract.List = "all"): AsyncGenerator<Task<R, P>, void, undefined> {
    for await (const id of this.#link.items((cursor) => calls.list(this.name, state, cursor, 500))) yield this.task(id);
  }

  /** The tasks that match all filters, newest first: `status`, `tag`, `method`, `key`, `group`, … */
  async *search(filters: calls.FindOptions): AsyncGenerator<Task<R, P>, void, undefined> {
    const page = (cursor: string): ReturnType<typeof calls.find> => calls.find(this.name, cursor, 500, filters);
    for await (const id of this.#link.items(page)) yield this.task(id);
  }

  /** Applies an action to every matching task, in bounded steps. Returns the number of changed tasks. */
  async bulk(action: contract.Action, options: calls.BulkOptions = {}): Promise<number> {
    let changed = 0;
    for (let cursor = "0"; ; ) {
      const call = calls.bulk(this.name, action, cursor, 50, { by: this.#link.by, ...options });
      const step = await this.#link.make(call);
      changed += step.changed;
      cursor = step.cursor;
      if (cursor === "0") return changed;
    }
  }

  /**
   * The events of the queue, one for each transition of a task. With `follow` the events never end: while the server is
   * away, they wait for it, and continue after the last one. If the server has already deleted events that were not
   * read, this emits a `BluequeWarning`.
   */
  async *events(options: EventsOptions = {}): AsyncGenerator<calls.EventsItem, void, undefined> {
    let [after, interval] = [options.after ?? "0", 10];
    let known = after !== "0";
    while (!options.signal?.aborted) {
      let page: calls.EventsReply;
      try {
        page = await this.#link.run(calls.events(this.name, after, 500));
      } catch (error) {
        if (!options.follow || !(error instanceof BluequeError) || !error.transient) throw error;
        await sleep(CALL_AGAIN * 1000);
        continue;
      }
      if (page.missed && known) process.emitWarning(`events of the queue ${this.name} were deleted unread`, "BluequeWarning");
      known = true;
      yield* page.items;
      if (page.last !== after) [after, interval] = [page.last, 10];
      else if (!options.follow) return;
      else {
        await sleep(interval);
        interval = Math.min(interval * 2, LONGEST_INTERVAL);
      }
    }
  }

  /** The latest event, after which {@link events} begins with the next one; `0` if the queue has no events. */
  async latestEvent(): Promise<string> {
    for (let after = "0"; ; ) {
      const { last } = await this.#link.run(calls.events(this.name, after, 500));
      if (last === after) return after;
      after = last;
    }
  }

  /** Counts and durations of these days in total, then of each day (UTC). */
  statistics(days = 1, options: calls.StatisticsOptions = {}): Promise<calls.StatisticsReply[]> {
    return this.#link.run(calls.statistics(this.name, days, options));
  }

  /** The failure groups of the queue. */
  groups(): Promise<calls.GroupsItem[]> {
    return this.#link.pages((cursor) => calls.groups(this.name, cursor, 500));
  }

  /** The tags of its tasks. */
  tags(): Promise<calls.TagsItem[]> {
    return this.#link.pages((cursor) => calls.tags(this.name, cursor, 500));
  }

  /** The listeners of the queue. */
  listeners(): Promise<calls.ListenersItem[]> {
    return this.#link.pages((cursor) => calls.listeners(this.name, cursor, 500));
  }

  // Settings

  /** Stops giving out tasks; with `stop` the owners of running tasks must give them back. */
  async pause(reason = "", options: { readonly stop?: boolean } = {}): Promise<void> {
    await this.#link.run(calls.pause(this.name, this.#link.by ?? "typescript", reason, options));
  }

  /** Gives out tasks again. */
  async resume(): Promise<void> {
    await this.#link.run(calls.resume(this.name, { by: this.#link.by }));
  }

  /** Changes a setting of the queue; an empty text unsets the setting. A rate is `10/60`, or `10/1m`. */
  async configure(setting: contract.Setting, value: string | number): Promise<void> {
    if (!(SETTINGS as readonly string[]).includes(setting)) {
      throw new InvalidCall("BADARG", `there is no setting \`${setting}\`${perhaps([setting], SETTINGS)}`);
    }
    if (typeof value === "string" && (setting === "rate" || setting === "key_rate")) value = rateSent(value);
    await this.#link.run(calls.configure(this.name, setting, String(value), { by: this.#link.by }));
  }

  /** Each setting, with its value and the place where it is set. */
  settings(): Promise<calls.SettingsItem[]> {
    return this.#link.run(calls.settings(this.name));
  }

  /** Limits running tasks of a key, and their starts, such as `10/60` or `10/1m`. Null: the settings of the queue apply. */
  async limit(key: string, concurrency: number | null = null, rate: string | null = null): Promise<void> {
    const of = concurrency === null ? "-" : String(concurrency);
    await this.#link.run(calls.limit(this.name, key, of, rate === null ? "-" : rateSent(rate), { by: this.#link.by }));
  }

  /** Removes the data of an empty queue. */
  async delete(): Promise<void> {
    await this.#link.make(calls.deleteQueue(this.name, { by: this.#link.by }));
  }
}

hint(Queue, "a queue", {
  "add enqueue push": "queue.submit(parameters, { method, maxFailures, eta })",
  "addBulk": "queue.submitMany([…], options)",
  "getJob": "queue.task(id)",
  "getJobs getWaiting getActive getCompleted getFailed getDelayed": 'queue.tasks("failed")',
  "getJobCounts getWaitingCount getActiveCount count": "queue.counts()",
  "drain obliterate clean": 'queue.bulk("purge")',
  "retryJobs": 'queue.bulk("retry")',
  "upsertJobScheduler": "client.schedule(name, queue, parameters, { every })",
  "on once": "queue.events({ after: await queue.latestEvent(), follow: true })",
}, (text) => new InvalidCall("BADARG", text));

/** Names one of many parameters by its index, for an error. */
function oneOf(at: number, sent: number): string {
  return `the parameters with the index ${at} (${sent ? `the first ${sent} tasks are submitted` : "no task is submitted"})`;
}
