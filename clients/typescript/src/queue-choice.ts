// The queues from which a worker takes tasks: named queues, or queues that match patterns and have tasks.
import * as calls from "./calls.js";
import * as contract from "./contract.js";
import { InvalidCall, NotFound } from "./errors.js";
import type { Link } from "./link.js";
import type { Names } from "./wire.js";

/** The queues of a worker: names; or patterns, if a name contains a `*` or begins with `!`. */
export class QueueChoice {
  /** The queues on which the worker is registered. */
  readonly #known = new Set<string>();
  #list = "";
  #next = "0";
  #at = -Infinity;

  /** True if the names are patterns. */
  readonly byPattern: boolean;
  /** The queues of the next call for tasks. */
  now: readonly string[];

  /** @param names The names or patterns of the worker. */
  constructor(
    private readonly link: Link, private readonly listener: string, readonly names: readonly string[],
    private readonly has: Names | undefined,
  ) {
    this.byPattern = names.some((name) => name.includes("*") || name.startsWith("!"));
    const most = this.byPattern ? contract.PATTERNS_OF_WORKER : contract.QUEUES_OF_WORKER;
    if (names.length < 1 || names.length > most) {
      const what = this.byPattern ? "patterns" : "queues";
      throw new InvalidCall("BADARG", `${names.length} ${what}: a worker takes 1 to ${most}.`);
    }
    if (this.byPattern && names.every((name) => name.startsWith("!"))) {
      throw new InvalidCall("BADARG", "these patterns only leave queues out: add one for those to take, such as *.");
    }
    this.now = this.byPattern ? [] : names;
  }

  /** Registers the worker, also after its removal. With patterns: on the queues in which it has found tasks. */
  async register(): Promise<void> {
    for (const name of this.byPattern ? [...this.#known] : this.names) {
      await this.link.run(calls.register(name, this.listener, { has: this.has }));
      this.#known.add(name);
    }
  }

  async unregister(): Promise<void> {
    for (const name of this.#known) {
      try {
        await this.link.run(calls.unregister(name, this.listener), 2);
      } catch (error) {
        if (!(error instanceof NotFound)) return; // a queue that was removed; otherwise the server is away
      }
    }
  }

  /** Asks the server which queues have tasks, unless the last reply is recent. Returns true if any has tasks. */
  async look(woken: true | undefined, fresh = false): Promise<boolean> {
    if (this.byPattern && (fresh || woken || !this.now.length || performance.now() - this.#at > contract.QUEUES_FRESH * 1000)) {
      await this.#page("0", woken);
      return this.now.length > 0 || this.more();
    }
    return this.now.length > 0;
  }

  /** Continues with the next queues. Returns true if there are any. */
  async more(): Promise<boolean> {
    for (let page = 0; page < contract.EMPTY_PAGES && this.#next !== "0"; page += 1) {
      await this.#page(this.#next, undefined);
      if (this.now.length) return true;
    }
    return false;
  }

  async #page(cursor: string, woken: true | undefined): Promise<void> {
    const found = await this.link.run(calls.ready(this.listener, cursor, contract.QUEUES_OF_WORKER, this.names, { has: this.has, woken }));
    this.now = found.items.map((each) => each.queue);
    for (const name of this.now) this.#known.add(name);
    [this.#list, this.#next, this.#at] = [found.list ?? "", found.cursor, performance.now()];
  }

  /** The lists on which the worker waits for a task of any queue. Empty: the worker looks again after a second. */
  lists(): string[] {
    const { namespace } = this.link;
    if (!this.byPattern) return this.names.map((name) => `${namespace}_wake_${name}`);
    return this.#list ? [`${namespace}_${this.#list}`] : [];
  }

  /** The queues whose maintenance the worker does, in groups of the size of a call. */
  async toKeep(): Promise<(readonly string[])[]> {
    if (!this.byPattern) return [this.names];
    const found = new Set<string>();
    const live = (cursor: string): ReturnType<typeof calls.ready> =>
      calls.ready(this.listener, cursor, contract.QUEUES_FOUND, this.names, { live: true });
    for await (const { queue } of this.link.items(live)) found.add(queue);
    const names = [...found];
    // The namespace needs maintenance even without a queue.
    const parts: string[][] = names.length ? [] : [[]];
    for (let at = 0; at < names.length; at += contract.QUEUES_OF_WORKER) parts.push(names.slice(at, at + contract.QUEUES_OF_WORKER));
    return parts;
  }
}
