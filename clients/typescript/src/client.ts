// The client of a namespace on a server.
import { fromEnvironment } from "./address.js";
import * as calls from "./calls.js";
import { Connection, type NodeRedis } from "./connection.js";
import { Cron } from "./cron.js";
import { InvalidCall, Unsuitable, duplicate } from "./errors.js";
import { number, options as optionsOf, shown } from "./argument-checks.js";
import { callsOf } from "./graph-entries.js";
import { GraphHandle } from "./graph-handle.js";
import { Graph } from "./graph.js";
import { type Hooks, aroundSubmit, hooksOf } from "./hooks.js";
import { Link } from "./link.js";
import { Json, type Serializer } from "./payload.js";
import { Queue } from "./queue.js";
import { Schedule } from "./schedule.js";
import { Task } from "./task.js";
import { Tracing, submitting } from "./tracing.js";
import type { Call, Seconds, Time } from "./wire.js";

/** Options of a client. */
export interface ClientOptions {
  /** The beginning of all keys; on a cluster with a `{tag}`. By default `blueque`. */
  readonly namespace?: string;
  /** Maximum number of seconds of a call, including its repetitions. By default 30. */
  readonly limit?: number;
  /** The author of the changes, for the audit. */
  readonly by?: string;
  /** Serializer of parameters, results, checkpoints and progress; by default JSON. */
  readonly serializer?: Serializer;
  /** Calls of your own code, around submits and by the client's workers. */
  readonly hooks?: Hooks | readonly Hooks[];
  /**
   * If true, OpenTelemetry records spans and metrics of submits, waits and the client's workers. A bundled program passes
   * the module `@opentelemetry/api` instead.
   */
  readonly tracing?: boolean | object;
  /** The time of each call, for tests in their own namespace. */
  readonly clock?: () => Time;
}

/** The times of a schedule: an interval, or a cron expression. */
export type Recurrence =
  | {
    /** Seconds between two tasks, counted from 1970. */
    readonly every: Seconds;
    /** Offset in seconds from each multiple of `every`. */
    readonly offset?: Seconds | undefined;
    readonly cron?: undefined;
    readonly zone?: undefined;
  }
  | {
    /** Minute, hour, day of the month, month, day of the week, such as `0 3 * * MON-FRI`; or `@daily`. */
    readonly cron: string;
    /** The time zone of `cron`, such as `Europe/Berlin`. By default UTC. */
    readonly zone?: string | undefined;
    readonly every?: undefined;
    readonly offset?: undefined;
  };

/** Options of a schedule, and of the tasks that it creates. */
export type ScheduleOptions = Omit<calls.ScheduleOptions, "request" | "by"> & Recurrence;

/**
 * A namespace on a server.
 *
 * ```ts
 * await using client = new Client("redis://127.0.0.1:6379");
 * const task = await client.queue("transcode").submit({ path: "a.mkv" });
 * ```
 */
export class Client implements AsyncDisposable {
  /** @internal */
  readonly link: Link;

  /**
   * @param server A URL (`redis://`, `rediss://`, `unix://`, `redis+sentinel://`, `redis+cluster://`), or a client of
   *   node-redis with options of its own: `createClient`, `createSentinel`, `createCluster`. Without it the client reads
   *   `BLUEQUE_URL`, the login and `BLUEQUE_NAMESPACE` from the environment, as `blueque` does.
   */
  constructor(server?: string | NodeRedis, options: ClientOptions = {}) {
    optionsOf("a client", options, ["namespace", "limit", "by", "serializer", "clock", "hooks", "tracing"]);
    number("limit", options.limit, 0);
    const { serializer } = options as { serializer?: Partial<Serializer> | null };
    if (serializer !== undefined && (typeof serializer?.dumps !== "function" || typeof serializer.loads !== "function")) {
      throw new InvalidCall("BADARG", `${shown(serializer)} is no serializer: it lacks \`dumps\` or \`loads\`.`);
    }
    const usual = server === undefined ? fromEnvironment(process.env) : { url: server, namespace: "blueque" };
    const { namespace = usual.namespace, limit = 30, by, clock } = options;
    const tracing = options.tracing === undefined || options.tracing === false ? undefined : new Tracing(options.tracing);
    const hooks = hooksOf(options.hooks);
    this.link = new Link(new Connection(usual.url), namespace, limit, by, options.serializer ?? new Json(), clock, hooks, tracing);
  }

  /** Closes the connections of the client. */
  close(): Promise<void> {
    this.link.connection.close();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Makes any call of {@link calls}. Pass `call.once()` if a repetition must have no second effect. */
  run<T>(call: Call<T>): Promise<T> {
    return this.link.run(call);
  }

  /** Checks that the server is suitable: its schema, its eviction policy, the permissions of this user. */
  async check(): Promise<calls.HandshakeReply> {
    const reply = await this.link.run(calls.handshake());
    if (reply.lacks) throw new Unsuitable("NOPERM", `this user may not do all that is needed: ${reply.lacks}.`);
    return reply;
  }

  /** A queue by its name; `P` are the parameters of its tasks, `R` is their result. */
  queue<P = unknown, R = unknown>(name: string): Queue<P, R> {
    return new Queue<P, R>(this.link, name);
  }

  /** A task by its id. */
  task<R = unknown>(id: string): Task<R> {
    return new Task<R>(this.link, id);
  }

  /** Submits all tasks of a graph together. May be repeated; another graph with this id is refused (`DUPLICATE`). */
  async submitGraph(graph: Graph): Promise<GraphHandle> {
    if (!((graph as unknown) instanceof Graph)) throw new InvalidCall("BADARG", `${shown(graph)} is no Graph.`);
    const { name, onFailure, tags, deadline, notify } = graph.options;
    const submit = async ({ tags: more, trace }: calls.SubmitOptions): Promise<void> => {
      const { total, bounds, digest, batches } = callsOf(graph, this.link.serializer, more);
      try {
        for (const batch of batches) {
          const options = { name, onFailure, tags, deadline, notify, bounds, trace, digest };
          await this.link.make(calls.submitGraph(graph.id, total, batch, options));
        }
      } catch (error) {
        throw duplicate(error, "Choose another id for the graph.");
      }
    };
    await aroundSubmit(this.link.hooks, "graph", {}, graph.id, (more) =>
      submitting(this.link.tracing, undefined, more, { "messaging.message.conversation_id": graph.id }, submit, () => graph.nodes.length));
    return new GraphHandle(this.link, graph.id);
  }

  /** A graph by its id. */
  graph(id: string): GraphHandle {
    return new GraphHandle(this.link, id);
  }

  /** All graphs. */
  graphs(): Promise<calls.GraphsItem[]> {
    return this.link.pages((cursor) => calls.graphs(cursor, 500));
  }

  /**
   * Creates a task at each multiple of `every`, plus the offset, or at the times of a cron expression in a time zone.
   * Changes an existing schedule.
   */
  async schedule(name: string, queue: string, parameters: unknown, options: ScheduleOptions): Promise<Schedule> {
    optionsOf("a schedule", options);
    const { every, offset, cron, zone, ...more } = options;
    const data = this.link.serializer.dumps(parameters);
    const given: Partial<Record<string, unknown>> = options;
    const [mine, other] = given["cron"] === undefined ? ["every", "zone"] : ["cron", "every"];
    if (given[mine] === undefined || given[other] !== undefined || (mine === "cron" && given["offset"] !== undefined)) {
      throw new InvalidCall("BADARG", "a schedule takes `every` and its `offset`, or `cron` and its `zone`.");
    }
    let [recurrence, times] = [`every ${every ?? 0} ${offset ?? 0}`, [] as number[]];
    if (cron !== undefined) {
      const parsed = new Cron(cron, zone);
      recurrence = parsed.toString();
      times = parsed.first((await this.link.run(calls.handshake())).now, more.start);
    } else if (!Number.isInteger(every) || !Number.isInteger(offset ?? 0)) {
      throw new InvalidCall("BADARG", `every ${every} with the offset ${offset ?? 0}: these are whole seconds.`);
    }
    await this.link.make(calls.schedule(name, queue, recurrence, data, times, { ...more, by: this.link.by }));
    return new Schedule(this.link, name);
  }

  /** A schedule by its name. */
  scheduleOf(name: string): Schedule {
    return new Schedule(this.link, name);
  }

  /** All schedules. */
  schedules(): Promise<calls.SchedulesItem[]> {
    return this.link.pages((cursor) => calls.schedules(cursor, 500));
  }

  /** All queues. */
  queues(): Promise<calls.QueuesItem[]> {
    return this.link.pages((cursor) => calls.queues(cursor, 500));
  }

  /** All workers, alive or dead. */
  workers(): Promise<calls.WorkersItem[]> {
    return this.link.pages((cursor) => calls.workers(cursor, 500));
  }
}
