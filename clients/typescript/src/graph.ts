// Graphs: tasks that wait for other tasks. A graph is a value; one call of the client submits it.
import * as calls from "./calls.js";
import type * as contract from "./contract.js";
import { InvalidCall } from "./errors.js";
import { number as checkedNumber, options as optionsOf, shown } from "./argument-checks.js";
import { Task } from "./task.js";
import { type Time, option, randomId } from "./wire.js";

/** A kind of tasks, with the types of its parameters and its result: see {@link taskType}. */
export class TaskType<P = never, R = unknown> {
  declare protected readonly types: (parameters: P) => R;

  /** @internal */
  constructor(/** The queue of the tasks. */ readonly queue: string, /** The options of each task. */ readonly options: NodeOptions) {}
}

/**
 * A kind of tasks of a graph, with the types of a handler, which may belong to another program:
 * `const encode = taskType<typeof handlers.encode>("films", { method: "encode" })`.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- it is given, not inferred
export function taskType<H extends (parameters: never, ...rest: never[]) => unknown>(
  queue: string, options: NodeOptions = {},
): H extends (parameters: infer P, ...rest: never[]) => infer R ? TaskType<Any<P>, Awaited<R>> : never {
  optionsOf("a task type", options);
  return new TaskType(queue, options) as never;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a handler without parameters takes any
type Any<P> = unknown extends P ? any : P;

/** The parameters of a task: a list, in which nodes may stand for results; or the value that a submit takes. */
export type Submitted<P> = P extends readonly unknown[] ? Given<P> : P;

/** Parameters, in which a node or an earlier task stands for its result. */
export type Given<P extends readonly unknown[]> = {
  readonly [K in keyof P]: P[K] | Node<P[K]> | Task<P[K]> | (null extends P[K] ? Optional<P[K]> : never);
};

/** Further parameters and the options of a task. */
export type More<P extends readonly unknown[]> = [] extends P
  ? [parameters?: Given<P>, options?: NodeOptions]
  : [parameters: Given<P>, options?: NodeOptions];

/**
 * A task of a graph, whose result has the type `R`. In the parameters of another task a node stands for this result.
 *
 * There is no method `then`, because `await` would call it.
 */
export class Node<R = unknown> {
  declare protected readonly types: R;

  /** @internal */
  constructor(
    /** @internal */ readonly graph: Graph,
    /** The id. */ readonly id: string,
    /** @internal */ readonly queue: string,
    /** @internal */ readonly parameters: unknown,
    /** @internal */ readonly options: NodeOptions,
  ) {}

  /** Adds a task that runs when this task is complete. Its first parameter is the result of this task. */
  andThen<Rest extends readonly unknown[], S>(type: TaskType<[R, ...Rest], S> | string, ...more: More<Rest>): Node<S> {
    const [parameters, options] = more;
    return this.graph.node(type, [this, ...rest(parameters)], options);
  }

  /** Adds a task that runs only if this task fails or is cancelled; otherwise it is skipped. */
  onFailure<P extends readonly unknown[], S>(type: TaskType<P, S> | string, ...more: More<P>): Node<S> {
    const [parameters, options] = more;
    return this.graph.node(type, rest(parameters), { ...options, afterFailure: [...(options?.afterFailure ?? []), this] });
  }

  /** Adds a task that runs when this task has ended, with any outcome. */
  onEnd<P extends readonly unknown[], S>(type: TaskType<P, S> | string, ...more: More<P>): Node<S> {
    const [parameters, options] = more;
    return this.graph.node(type, rest(parameters), { ...options, after: [...(options?.after ?? []), this] });
  }
}

/** Tasks of a graph that run in parallel, whose results have the type `R`. */
export class Group<R = unknown> implements Iterable<Node<R>> {
  readonly #graph: Graph;
  readonly #least: number | undefined;

  /** @internal */
  constructor(graph: Graph, /** The tasks. */ readonly nodes: readonly Node<R>[], least?: number) {
    this.#graph = graph;
    this.#least = least;
  }

  /** The tasks, which stand for their results in the parameters of another task: `[name, ...parts.results]`. */
  get results(): readonly Node<R>[] {
    return this.nodes;
  }

  /** The number of tasks. */
  get length(): number {
    return this.nodes.length;
  }

  [Symbol.iterator](): Iterator<Node<R>> {
    return this.nodes.values();
  }

  /** Sets the maximum number of tasks that run at once. */
  atMost(number: number): this {
    checkedNumber("atMost", number, 1, true);
    if (this.nodes.some(({ options }) => options.key !== undefined)) {
      throw new InvalidCall("BADARG", "a group with a bound has a key of its own: leave out one of them.");
    }
    const queues = [...new Set(this.nodes.map(({ queue }) => queue))].sort();
    if (queues.length > 1) throw new InvalidCall("BADARG", `a bound is for tasks of one queue, not of ${queues.join(", ")}.`);
    // A maximum that allows all tasks at once is not a bound.
    if (number < this.nodes.length) this.#graph.bounds.push([this.nodes, number]);
    return this;
  }

  /** The same tasks. The next task needs only this number of results, and gets `null` for each missing one. */
  atLeast(number: number): Group<R | null> {
    return new Group<R | null>(this.#graph, this.nodes, number);
  }

  /** Adds a task that runs when all these tasks are complete. Its parameters are the list of their results. */
  andThen<S>(type: TaskType<R[], S> | string, options?: NodeOptions): Node<S>;
  /** Adds a task that runs when all these tasks are complete. Its parameters are this list, then their results. */
  andThen<First extends readonly unknown[], S>(
    type: TaskType<[...First, ...R[]], S> | string, parameters: Given<First>, options?: NodeOptions,
  ): Node<S>;
  andThen<S>(type: object | string, ...more: [NodeOptions?] | [readonly unknown[], NodeOptions?]): Node<S> {
    const [first, options = {}] = Array.isArray(more[0]) ? (more as [readonly unknown[], NodeOptions?]) : [[], more[0] as NodeOptions | undefined];
    const own = this.#least === undefined ? options : { ...options, atLeast: { count: this.#least, of: this.nodes } };
    return this.#graph.node(type, [...first, ...this.nodes], own);
  }

  /** Adds a task after each of these tasks. Its first parameter is the result of that task. */
  map<Rest extends readonly unknown[], S>(type: TaskType<[R, ...Rest], S> | string, ...more: More<Rest>): Group<S> {
    if (this.#least !== undefined) {
      throw new InvalidCall("BADARG", "a task after each of these waits for that one: leave out `atLeast`.");
    }
    const [parameters, options] = more;
    return this.#graph.each(type, this.nodes, parameters, options);
  }
}

/** A result that may be missing: see {@link optional}. */
export class Optional<R = unknown> {
  declare protected readonly types: R;

  /** @internal */
  constructor(/** @internal */ readonly what: Upstream) {}
}

/** In the parameters of a node: the result of another task, or `null` if that task fails or is cancelled. */
export function optional<R>(what: Node<R> | Task<R> | string): Optional<R> {
  return new Optional<R>(what);
}

/** An upstream of a task: another task of the graph, an earlier task, or the id of an earlier task. */
export type Upstream = Node | Task | string;

/** Options of a task of a graph. */
export interface NodeOptions extends Omit<calls.SubmitOptions, "again" | "unique" | "request" | "inputs" | "by"> {
  /** The id of the task; by default the id of the graph and the position of the task. */
  readonly id?: string | undefined;
  /** The name of the task within the graph, for people. The tasks of a group are named `encode[0]`, `encode[1]`, … */
  readonly label?: string | undefined;
  /** The time at which the task is due. */
  readonly eta?: Time | undefined;
  /** Upstreams that must be complete. */
  readonly afterSuccess?: readonly Upstream[] | undefined;
  /** Upstreams that must have ended, with any outcome. */
  readonly after?: readonly Upstream[] | undefined;
  /** Upstreams that must have failed or been cancelled. */
  readonly afterFailure?: readonly Upstream[] | undefined;
  /** The task waits until this number of upstreams are complete. An upstream that is not complete has the result `null`. */
  readonly atLeast?: { readonly count: number; readonly of: readonly Upstream[] } | undefined;
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
 * const parts = graph.add(split, ["a.mkv"]);
 * graph.group(parts.andThen(encode, [1]), parts.andThen(encode, [2])).andThen(join);
 * await client.submitGraph(graph);
 * ```
 */
export class Graph {
  /** The id. */
  readonly id: string;
  /** @internal */
  readonly nodes: Node[] = [];
  /** @internal Tasks, and how many of them may run at once. */
  readonly bounds: (readonly [nodes: readonly Node[], most: number])[] = [];

  constructor(/** The options of the graph. */ readonly options: GraphOptions = {}) {
    this.id = options.id ?? randomId();
  }

  /**
   * Adds a task.
   *
   * @param type A {@link taskType}, or a queue.
   * @param parameters The parameters that its handler gets, as in a submit. Nodes and earlier tasks in a list stand for
   *   their results; inside {@link optional}, for `null` if they fail or are cancelled.
   */
  add<P, R>(type: TaskType<P, R>, parameters: Submitted<P>, options?: NodeOptions): Node<R>;
  add<R = unknown>(type: string, parameters: unknown, options?: NodeOptions): Node<R>;
  add(type: TaskType | string, parameters: unknown, options: NodeOptions = {}): Node {
    if (parameters instanceof Node || parameters instanceof Optional || parameters instanceof Task) {
      throw new InvalidCall("BADARG", "a result is a parameter of its own: pass a list, `[node]`, and the handler gets a list.");
    }
    return this.node(type, parameters, options);
  }

  /** Makes these tasks a group: `graph.group(left, right).andThen(join)`. */
  group<R>(...nodes: Node<R>[]): Group<R> {
    return new Group<R>(this, nodes);
  }

  /** Adds a task for each item, which is its first parameter: `graph.map(encode, parts).atMost(4).andThen(join)`. */
  map<T, Rest extends readonly unknown[], S>(
    type: TaskType<[T, ...Rest], S> | string, items: Iterable<T>, ...more: More<Rest>
  ): Group<S> {
    const [parameters, options] = more;
    return this.each(type, items, parameters, options);
  }

  /** @internal */
  each<S>(type: object | string, items: Iterable<unknown>, parameters?: readonly unknown[], options: NodeOptions = {}): Group<S> {
    if (options.id !== undefined) throw new InvalidCall("BADARG", "the tasks of a group have ids of their own: leave out `id`.");
    const kind = type instanceof TaskType ? type : undefined;
    const first = this.nodes.length;
    const label = options.label ?? `${kind?.options.method ?? kind?.queue ?? shown(type)}-${first}`;
    const nodes = [...items].map((item, at) =>
      this.node<S>(type, [item, ...rest(parameters)], { ...options, label: `${label}[${at}]` }));
    return new Group<S>(this, nodes);
  }

  /** @internal */
  node<R>(type: object | string, parameters: unknown, options: NodeOptions = {}): Node<R> {
    if (typeof type !== "string" && !(type instanceof TaskType)) {
      throw new InvalidCall("BADARG", `${shown(type)} is no task type and no queue: make one with \`taskType\`.`);
    }
    const [queue, own] = typeof type === "string" ? [type, options] : [type.queue, { ...type.options, ...options }];
    checkOptions(own);
    const node = new Node<R>(this, own.id ?? `${this.id}.${this.nodes.length}`, queue, parameters, own);
    this.nodes.push(node);
    return node;
  }
}

/** Options that only the tasks of graphs have. */
const OF_NODES = ["id", "label", "eta", "afterSuccess", "after", "afterFailure", "atLeast"];

/** Refuses options that do not exist, and values that cannot be sent. */
function checkOptions(given: NodeOptions): void {
  if (given.eta !== undefined) option("eta", given.eta);
  calls.submit("queue", [], Object.fromEntries(Object.entries(given).filter(([name]) => !OF_NODES.includes(name))));
}

function rest(parameters: readonly unknown[] = []): readonly unknown[] {
  if (!Array.isArray(parameters)) {
    throw new InvalidCall("BADARG", `further parameters of a node are a list, not ${shown(parameters)}.`);
  }
  return parameters;
}

/** @internal */
export const idOf = (what: Upstream): string => (typeof what === "string" ? what : what.id);
/** @internal */
export const isUpstream = (value: unknown): value is Node | Task | Optional =>
  value instanceof Node || value instanceof Task || value instanceof Optional;
