// A queue used like one of redis-work-queue: items are added, leased, completed and cleaned, without a worker.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as calls from "./calls.js";
import type { Client } from "./client.js";
import { STATES } from "./contract.js";
import { BluequeError, InvalidCall, Lost, NotFound, Refused } from "./errors.js";
import { shown } from "./argument-checks.js";
import type { Link } from "./link.js";
import { Json } from "./payload.js";
import { Queue } from "./queue.js";
import { type Bytes, type Seconds, randomId, written } from "./wire.js";

/** The cap of losses that no task reaches. */
const UNLIMITED = 1_000_000_000;
/** Maximum number of tries to add an item while others add and complete it at the same time. */
const TRIES = 10;
/** The longest wait for a wake-up, in seconds: shorter than the time limit of a connection. */
const LONGEST_WAIT = 5;

/** The attempt of a leased item. */
interface Lease {
  readonly task: string;
  readonly token: number;
  ended: boolean;
}

const leases = new WeakMap<WorkItem, Lease>();

/** An item: bytes and an id. */
export class WorkItem {
  /** The data of the item. */
  readonly data: Buffer;
  /** The id of the item, any text. */
  readonly id: string;

  /**
   * @param data Its data; a text is sent as UTF-8.
   * @param id Its id, any text; by default a random one.
   */
  constructor(data: Bytes, id: string = randomId()) {
    if (typeof data !== "string" && !((data as unknown) instanceof Uint8Array)) {
      throw new InvalidCall("BADARG", `the data of an item is bytes or a text, not ${shown(data)}.`);
    }
    if (typeof (id as unknown) !== "string") throw new InvalidCall("BADARG", `the id of an item is a text, not ${shown(id)}.`);
    this.data = Buffer.from(written(data) as string);
    this.id = id;
  }

  /** An item with a random id, and JSON as its data. */
  static fromJson(value: unknown, id?: string): WorkItem {
    return new WorkItem(new Json().dumps(value), id);
  }

  /** The data of the item, read as JSON. */
  json(): unknown {
    return new Json().loads(this.data);
  }

  /**
   * Encodes any text as the name of a task or queue: each byte (UTF-8) that names cannot have, and `@`, becomes `@` and
   * two hexadecimal digits. The empty text becomes `@`.
   */
  static encode(text: string): string {
    if (!text.isWellFormed()) throw new InvalidCall("BADARG", "a name holds half of a surrogate pair.");
    const letter = (byte: number): string => String.fromCharCode(byte);
    const plain = (byte: number): boolean => /[A-Za-z0-9._:-]/.test(letter(byte));
    const hex = (byte: number): string => `@${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    return Array.from(Buffer.from(text), (byte) => (plain(byte) ? letter(byte) : hex(byte))).join("") || "@";
  }

  /** Decodes a name made by {@link WorkItem.encode}. Any other name is returned unchanged. */
  static decode(name: string): string {
    if (name === "@") return "";
    const bytes = name.replace(/@([0-9A-F]{2})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
    const text = Buffer.from(bytes, "latin1").toString();
    return WorkItem.encode(text) === name ? text : name;
  }
}

/** Options of a {@link WorkQueue}, and of the items that it adds. */
export interface WorkQueueOptions extends Omit<calls.SubmitOptions, "again" | "unique" | "request"> {
  /** If true, records of completed items are kept for the time of the queue's settings. By default false. */
  readonly keepRecords?: boolean;
}

/** Options of a wait for an item. */
export interface LeaseOptions {
  /** Waits for an item; by default true. */
  readonly block?: boolean;
  /** Maximum number of seconds; by default there is no limit. */
  readonly timeout?: Seconds;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/**
 * A queue by its name, which may be any text. Its items are tasks with unlimited losses. With `maxLosses`,
 * `maxFailures` and `maxReleases` of 0 an item runs at most once.
 *
 * The first lease registers a listener. `close` unregisters the listener; otherwise maintenance removes it later.
 *
 * ```ts
 * await using films = new WorkQueue(client, "films");
 * await films.addItem(new WorkItem("movie-17.mkv", "movie-17"));
 * for (let item; (item = await films.lease(600, { timeout: 1 })); await films.complete(item)) {
 *   // … work on item.data …
 * }
 * ```
 */
export class WorkQueue implements AsyncDisposable {
  readonly #link: Link;
  readonly #options: calls.SubmitOptions;
  readonly #keep: boolean;
  readonly #listener = `work-queue.${randomUUID()}_${process.pid}`;
  #registered = false;
  /** Connections for waits, and the idle connections among them. */
  readonly #waits = new Set<Link["connection"]>();
  readonly #idle: Link["connection"][] = [];

  /** The queue, for everything else. */
  readonly queue: Queue;

  constructor(client: Client, name: string, options: WorkQueueOptions = {}) {
    const { keepRecords = false, ...more } = options;
    this.#link = client.link;
    this.queue = client.queue(WorkItem.encode(name));
    this.#keep = keepRecords;
    this.#options = { maxLosses: UNLIMITED, ...more };
  }

  /**
   * Adds an item and returns true; a finished item with this id is created again. Returns false and changes nothing if
   * an unfinished item has this id.
   */
  async addItem(item: WorkItem): Promise<boolean> {
    if (!((item as unknown) instanceof WorkItem)) throw new InvalidCall("BADARG", `${shown(item)} is no WorkItem.`);
    const id = WorkItem.encode(item.id);
    for (let turn = 0; turn < TRIES; turn += 1) {
      const each = [{ id, eta: null, parameters: item.data }];
      const [outcome] = await this.#link.make(calls.submit(this.queue.name, each, this.#options));
      if (outcome !== "existing") return true;
      const info = await this.#link.run(calls.get(id));
      if (info === null) continue;
      if (info.status === null || !STATES[info.status]?.final) return false;
      try {
        await this.#link.run(calls.delete(id));
      } catch (error) {
        // Another client has already done this.
        if (!(error instanceof NotFound || error instanceof Refused)) throw error;
      }
    }
    return false;
  }

  /** Leases the next item for 1 second to 7 days; waits for an item unless `block` is false. Null if there is none. */
  async lease(lease: Seconds, options: LeaseOptions = {}): Promise<WorkItem | null> {
    const { block = true, timeout, signal } = options;
    if (!this.#registered) {
      await this.#link.run(calls.register(this.queue.name, this.#listener));
      this.#registered = true;
    }
    const end = timeout === undefined ? Infinity : performance.now() + timeout * 1000;
    for (let woken = false; ; ) {
      signal?.throwIfAborted();
      // Each try has its own request, because the reply of a try without a task is not kept.
      const take = calls.reserve(this.#listener, [this.queue.name], { lease, woken }).once();
      let taken: calls.ReserveItem[] | null;
      try {
        taken = await this.#link.run(take);
      } catch (error) {
        if (!(error instanceof Refused) || error.code !== "NOLISTENER") throw error;
        // The server has removed a listener that was silent for long, or has lost its data.
        await this.#link.run(calls.register(this.queue.name, this.#listener));
        taken = await this.#link.run(take);
      }
      const [task] = taken ?? [];
      if (task) {
        const item = new WorkItem(task.parameters, WorkItem.decode(task.id));
        leases.set(item, { task: task.id, token: task.token, ended: false });
        return item;
      }
      const left = end - performance.now();
      if (!block || left <= 0) return null;
      woken = await this.#wait(Math.min(left / 1000, signal ? 0.5 : LONGEST_WAIT));
    }
  }

  async #wait(seconds: number): Promise<boolean> {
    const wakes = `${this.#link.namespace}_wake_${this.queue.name}`;
    // Each wait has its own connection, so that it delays no other call and no other wait.
    const connection = this.#idle.pop() ?? this.#link.connection.duplicate();
    this.#waits.add(connection);
    try {
      return (await connection.send(wakes, ["BLPOP", wakes, String(Math.max(seconds, 0.01))])) !== null;
    } catch {
      await sleep(Math.min(seconds, 0.5) * 1000);
      return false;
    } finally {
      if (this.#waits.has(connection)) this.#idle.push(connection);
    }
  }

  /** Completes an item. Returns true once for each added item: for the owner of its latest lease. */
  async complete(item: WorkItem): Promise<boolean> {
    const lease = leases.get(item);
    if (!lease || lease.ended) return false;
    lease.ended = true;
    try {
      const outcome = await this.#link.run(calls.complete(lease.task, lease.token, "null"));
      if (outcome !== "complete") return false;
    } catch (error) {
      if (error instanceof Lost || error instanceof NotFound) return false;
      lease.ended = false;
      throw error;
    }
    if (!this.#keep) {
      await this.#link.run(calls.delete(lease.task)).catch((error: unknown) => {
        // The item is complete: retention deletes the remaining record.
        if (!(error instanceof BluequeError)) throw error;
      });
    }
    return true;
  }

  /** The number of items that wait to be leased. */
  async queueLength(): Promise<number> {
    return (await this.queue.counts()).pending;
  }

  /** The number of leased items, including items with expired leases that no clean has given back. */
  async processing(): Promise<number> {
    const counts = await this.queue.counts();
    return counts.reserved + counts.started;
  }

  /**
   * Gives back the items whose leases have expired, and returns their number. If no process has used the namespace for
   * a while, owners first get the time of a lease to report.
   */
  async lightClean(): Promise<number> {
    for (let number = 0; ; ) {
      const { requeued, more } = await this.#link.run(calls.requeueOrphans(this.queue.name, 25));
      number += requeued;
      if (!more) return number;
    }
  }

  /**
   * Does a light clean, repairs data left by clients without the scripts, and deletes records according to the queue's
   * settings. Returns the number of items given back, repairs and deleted records.
   */
  async deepClean(): Promise<number> {
    let number = await this.lightClean();
    for (let cursor = ""; ; ) {
      const repaired = await this.#link.run(calls.repair(this.queue.name, cursor, 200));
      number += repaired.repaired;
      cursor = repaired.cursor ?? "";
      if (cursor === "") break;
    }
    for (;;) {
      const { deleted, more } = await this.#link.run(calls.prune(this.queue.name, 100));
      number += deleted;
      if (!more) return number;
    }
  }

  /** Unregisters the listener, unless an item is still leased: then maintenance removes the listener later. */
  async close(): Promise<void> {
    for (const connection of this.#waits) connection.close();
    this.#waits.clear();
    this.#idle.length = 0;
    if (!this.#registered) return;
    this.#registered = false;
    try {
      await this.#link.run(calls.unregister(this.queue.name, this.#listener));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
