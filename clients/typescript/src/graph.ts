// Graphs: tasks that wait for other tasks. A graph is a value; one call of the client submits it.
import { createHash, randomUUID } from "node:crypto";
import { batches } from "./batches.js";
import * as calls from "./calls.js";
import type * as contract from "./contract.js";
import { STATES } from "./contract.js";
import { InvalidCall, NotFound } from "./errors.js";
import { shown } from "./argument-checks.js";
import type { Link } from "./link.js";
import type { Serializer } from "./payload.js";
import { Task, type Wait, until } from "./task.js";
import { type Bytes, type Names, type Time, written } from "./wire.js";

/** A task of a graph. In the parameters of another task a node stands for the result of its task. */
export class Node {
  /** @internal */
  constructor(
    /** The id. */ readonly id: string,
    /** @internal */ readonly queue: string,
    /** @internal */ readonly parameters: readonly unknown[],
    /** @internal */ readonly options: NodeOptions,
  ) {}
}

/** A result that may be missing: see {@link optional}. */
export class Optional {
  /** @internal */
  constructor(/** @internal */ readonly what: Upstream) {}
}

/** In the parameters of a node: the result of another task, or `null` if that task fails or is cancelled. */
export function optional(what: Upstream): Optional {
  return new Optional(what);
}

/** An upstream of a task: another task of the graph, an earlier task, or the id of an earlier task. */
export type Upstream = Node | Task | string;

/** Options of a task of a graph. */
export interface NodeOptions extends Omit<calls.SubmitOptions, "again" | "unique" | "request" | "inputs" | "by"> {
  /** The id of the task; by default the id of the graph and the position of the task. */
  readonly id?: string | undefined;
  /** The name of the task within the graph, for people. */
  readonly label?: string | undefined;
  /** The time at which the task is due. */
  readonly eta?: Time | undefined;
  /** Upstreams that must be complete. */
  readonly afterSuccess?: readonly Upstream[] | undefined;
  /** Upstreams that must have ended, with any outcome. */
  readonly after?: readonly Upstream[] | undefined;
  /** Upstreams that must have failed or been cancelled. */
  readonly afterFailure?: readonly Upstream[] | undefined;
}

/** Options of a graph. */
export interface GraphOptions {
  /** The id of the graph. With your own id a repeated submit changes nothing; another graph with this id is refused. */
  readonly id?: string;
  /** The name of the graph, for people. */
  readonly name?: string;
  /** What happens after a failure: `cancel` tasks that no other task needs, `continue`, or `hold`. */
  readonly onFailure?: contract.OnFailure;
  /** Tags of each task. */
  readonly tags?: readonly string[];
  /** The time by which all tasks must have ended. */
  readonly deadline?: Time;
  /** The targets that are notified when all tasks have ended, such as `ops:failed`. */
  readonly notify?: string;
}

/**
 * Tasks that wait for other tasks. A node among the parameters of a task stands for the result of that node:
 *
 * ```ts
 * const graph = new Graph({ name: "film" });
 * const parts = graph.add("split", ["a.mkv"]);
 * graph.add("join", [graph.add("encode", [parts, 1]), graph.add("encode", [parts, 2])]);
 * await client.submitGraph(graph);
 * ```
 */
export class Graph {
  /** The id. */
  readonly id: string;
  readonly #nodes: Node[] = [];

  constructor(/** The options of the graph. */ readonly options: GraphOptions = {}) {
    this.id = options.id ?? randomUUID();
  }

  /**
   * Adds a task.
   *
   * @param queue The queue of the task.
   * @param parameters The list that its handler gets. Nodes and earlier tasks in the list stand for their results;
   *   inside {@link optional}, for `null` if they fail or are cancelled.
   */
  add(queue: string, parameters: readonly unknown[], options: NodeOptions = {}): Node {
    if (!Array.isArray(parameters)) {
      throw new InvalidCall("BADARG", `the parameters of a node are a list, not ${shown(parameters)}.`);
    }
    const node = new Node(options.id ?? `${this.id}.${this.#nodes.length}`, queue, parameters, options);
    this.#nodes.push(node);
    return node;
  }

  /** @internal The nodes in the form of the call, with more tags, split into calls. The digest is that without them. */
  batches(serializer: Serializer, tags: Names = []): { total: number; digest: string; batches: calls.SubmitGraphEach[][] } {
    const each = this.#nodes.map((node) => entry(node, serializer));
    const tagged = !tags.length ? each : this.#nodes.map((node) => {
      const all = [node.options.tags ?? [], tags].flat();
      return entry(new Node(node.id, node.queue, node.parameters, { ...node.options, tags: all }), serializer);
    });
    return { total: each.length, digest: digest(this.options, each), batches: batches(tagged) };
  }
}

/** The digest of a graph and all its tasks, as the contract defines it. */
function digest({ name, onFailure, tags, deadline, notify }: GraphOptions, each: readonly calls.SubmitGraphEach[]): string {
  const part = (data: Bytes | string): Buffer => {
    const bytes = Buffer.from(data as string);
    return Buffer.concat([Buffer.from(`${bytes.length}:`), bytes, Buffer.from(",")]);
  };
  const sorted = (options: [string, string][]): Buffer =>
    // Only the presence of a deadline counts, because times are often relative to the submit.
    Buffer.concat(options.sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, value]) => [part(name), part(name === "deadline" ? "1" : value)]));
  const own = Object.entries({ name, on_failure: onFailure, tags, deadline, notify })
    .filter(([, value]) => value !== undefined);
  const hash = createHash("sha1").update(part(sorted(own.map(([name, value]) => [name, String(written(value))]))));
  for (const one of each) {
    const inputs = one.inputs.split(" ").sort().join(" ");
    const options = one.options.split(" ").filter(Boolean).map((entry): [string, string] => {
      const [name = "", value = ""] = entry.split("=");
      return [name, decodeURIComponent(value)];
    });
    for (const data of [one.id, one.queue, one.eta == null ? "" : "1", one.parameters, inputs]) hash.update(part(data));
    hash.update(part(sorted(options)));
  }
  return hash.digest("hex");
}

const idOf = (what: Upstream): string => (typeof what === "string" ? what : what.id);
const isUpstream = (value: unknown): value is Node | Task | Optional =>
  value instanceof Node || value instanceof Task || value instanceof Optional;

function entry(node: Node, serializer: Serializer): calls.SubmitGraphEach {
  const { eta = null, afterSuccess = [], after = [], afterFailure = [], ...more } = node.options;
  const inputs = Object.entries({ success: afterSuccess, after, failure: afterFailure })
    .flatMap(([kind, upstreams]) => upstreams.map((each) => `${kind}=${idOf(each)}`));
  const options = (Object.entries(more) as [string, unknown][])
    .filter(([name, value]) => name !== "id" && value !== undefined)
    .map(([name, value]) => `${snake(name)}=${encodeURIComponent(String(written(value)))}`)
    .join(" ");
  let parameters: Bytes;
  if (node.parameters.some(isUpstream)) {
    const values: Buffer[] = [];
    node.parameters.forEach((value, at) => {
      if (value instanceof Optional) inputs.push(`optional/${at}=${idOf(value.what)}`);
      else if (value instanceof Node || value instanceof Task) inputs.push(`result/${at}=${value.id}`);
      else {
        const data = Buffer.from(serializer.dumps(value) as string);
        inputs.push(`value/${at}=${data.length}`);
        values.push(data);
      }
    });
    parameters = Buffer.concat(values);
  } else parameters = serializer.dumps(node.parameters);
  return { id: node.id, queue: node.queue, eta, parameters, inputs: inputs.join(" "), options };
}

/** The name of an option in the contract. */
function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A graph that was submitted. */
export class GraphHandle {
  readonly #link: Link;

  /** @internal */
  constructor(link: Link, /** The id. */ readonly id: string) {
    this.#link = link;
  }

  /** Returns the task of a node, or the task with this id. */
  task(node: Node | string): Task {
    return new Task(this.#link, typeof node === "string" ? node : node.id);
  }

  /** The numbers of complete, failed and cancelled tasks. */
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
    return until(look, wait, (within) => `the graph ${this.id} has not ended ${within}.`);
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
