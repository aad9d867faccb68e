// A graph that was submitted.
import * as calls from "./calls.js";
import { STATES } from "./contract.js";
import { NotFound } from "./errors.js";
import type { Node } from "./graph.js";
import type { Link } from "./link.js";
import { Task, type Wait, until } from "./task.js";
import { waiting } from "./tracing.js";
import type { Time } from "./wire.js";

/** A graph that was submitted. */
export class GraphHandle {
  readonly #link: Link;

  /** @internal */
  constructor(link: Link, /** The id. */ readonly id: string) {
    this.#link = link;
  }

  /** Returns the task of a node, or the task with this id. */
  task<R = unknown>(node: Node<R> | string): Task<R> {
    return new Task<R>(this.#link, typeof node === "string" ? node : node.id);
  }

  /** The task with this label, such as `encode[2]` of a group with the label `encode`. */
  async taskOf<R = unknown>(label: string): Promise<Task<R>> {
    const labels: string[] = [];
    for (const each of await this.tasks()) {
      if (each.label === label) return new Task<R>(this.#link, each.id);
      if (each.label !== null) labels.push(each.label);
    }
    const known = labels.length ? `; there are ${labels.slice(0, 20).join(", ")}${labels.length > 20 ? "…" : ""}` : "";
    throw new NotFound("NOTASK", `no task of the graph ${this.id} has the label ${label}${known}.`);
  }

  /** The numbers of complete, failed, cancelled and skipped tasks. */
  info(): Promise<calls.ShowGraphReply> {
    return this.#page("0", 1);
  }

  async #page(cursor: string, limit = 500): Promise<calls.ShowGraphReply> {
    const found = await this.#link.run(calls.showGraph(this.id, cursor, limit));
    if (!found) throw new NotFound("NOTASK", `there is no graph ${this.id}.`);
    return found;
  }

  /** All tasks of the graph, with their states and numbers of open upstreams. */
  async tasks(): Promise<calls.ShowGraphItem[]> {
    const found: calls.ShowGraphItem[] = [];
    for (let cursor = "0"; ; ) {
      const page = await this.#page(cursor);
      found.push(...page.items);
      cursor = page.cursor;
      if (cursor === "0") return found;
    }
  }

  /** Waits until all tasks have ended or are deleted, and returns the tasks. */
  wait(wait: Wait = {}): Promise<calls.ShowGraphItem[]> {
    // Deletions lower the numbers of `info`, so this checks the tasks, from the first unfinished page on.
    let first = "0";
    const look = async (): Promise<calls.ShowGraphItem[] | undefined> => {
      const ended: calls.ShowGraphItem[] = [];
      for (let cursor = first; ; ) {
        const page = await this.#page(cursor);
        if (!page.items.every(({ status }) => status === "deleted" || STATES[status]?.final === true)) {
          first = cursor;
          return undefined;
        }
        ended.push(...page.items);
        cursor = page.cursor;
        if (cursor !== "0") continue;
        if (first === "0") return ended;
        first = "0"; // tasks of earlier pages may run again
        ended.length = 0;
      }
    };
    const unfinished = (within: string): string => `the graph ${this.id} has not ended ${within}.`;
    return waiting(this.#link.tracing, this.id, "graph", () => until(look, wait, unfinished));
  }

  /** Cancels all unfinished tasks; with `task` only this task and the tasks that wait for it. */
  async cancel(reason = "", options: { readonly task?: string; readonly force?: boolean } = {}): Promise<void> {
    await this.#link.make(calls.cancelGraph(this.id, reason, { ...options, by: this.#link.by }));
  }

  /** Retries failed and cancelled tasks. With `task`, reruns this task and everything downstream. */
  async retry(options: { readonly task?: string; readonly deadline?: Time } = {}): Promise<void> {
    await this.#link.make(calls.retryGraph(this.id, { ...options, by: this.#link.by }));
  }
}
