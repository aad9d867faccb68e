// OpenTelemetry: spans of submits, waits, attempts and checkpoints in one trace, and metrics of messaging.
//
// The option `trace` of a task holds the context of its submit, as traceparent and tracestate of the W3C Trace Context,
// so that workers in every language continue the trace. The field `span` holds the context of the last attempt: the next
// attempt and dependents link to it.
// Bundled programs often have a banner with an own `createRequire`.
import * as modules from "node:module";
import type * as opentelemetry from "@opentelemetry/api";
import * as calls from "./calls.js";
import { TRACE_STATE, VERSION } from "./contract.js";
import { BluequeError, InvalidCall } from "./errors.js";
import type { Link } from "./link.js";

type Api = typeof opentelemetry;
/** A span, for modules whose declarations must not need the package of OpenTelemetry. */
export type Span = object;
type Attributes = Record<string, string | number>;
type SubmitOptions = calls.SubmitOptions;
type TaskRecord = calls.GetReply;

/** A taken task. */
interface Taken {
  readonly id: string;
  readonly queue: string;
  readonly token: number;
  readonly attempt: number;
  /** In microseconds. */
  readonly lease: number;
}

/** Maximum number of upstreams to which the span of an attempt links. */
const MOST_UPSTREAMS = 32;
/** Maximum number of seconds of a call for a span. */
const PATIENCE = 5;
/** Bounds of the histograms in seconds. An attempt may take days. */
const BOUNDS = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1800, 3600, 21600, 86400];
/** The outcomes of attempts that are errors. */
const FAILED: readonly string[] = ["failed", "retrying", "lost"];
const SCOPE = "@blueque/client";

/** The API; null if it is not installed. Its loading is left to the first trace. */
let found: Api | null | undefined;

function api(): Api | null {
  if (found === undefined) {
    try {
      found = modules.createRequire(import.meta.url)("@opentelemetry/api") as Api;
    } catch {
      found = null;
    }
  }
  return found;
}

/** The spans and metrics of a client and its workers. */
export class Tracing {
  readonly #api: Api;
  readonly #tracer: opentelemetry.Tracer;
  readonly #operations: opentelemetry.Histogram;
  readonly #attempts: opentelemetry.Histogram;
  readonly #sent: opentelemetry.Counter;
  readonly #consumed: opentelemetry.Counter;

  /** @param given True, or the module `@opentelemetry/api`. */
  constructor(given: unknown) {
    if (given !== true) {
      const { trace, metrics } = (given ?? {}) as Partial<Api>;
      if (typeof trace?.getTracer !== "function" || typeof metrics?.getMeter !== "function") {
        throw new InvalidCall("BADARG", "the option `tracing` is true, or the module @opentelemetry/api.");
      }
      found = given as Api;
    }
    const used = api();
    if (!used) throw new InvalidCall("BADARG", "tracing needs the package @opentelemetry/api.", undefined, "Run `npm install @opentelemetry/api`.");
    this.#api = used;
    this.#tracer = used.trace.getTracer(SCOPE, VERSION);
    const meter = used.metrics.getMeter(SCOPE, VERSION);
    const histogram = (name: string, description: string): opentelemetry.Histogram =>
      meter.createHistogram(name, { unit: "s", description, advice: { explicitBucketBoundaries: BOUNDS } });
    const counter = (name: string, description: string): opentelemetry.Counter =>
      meter.createCounter(name, { unit: "{message}", description });
    this.#operations = histogram("messaging.client.operation.duration", "Duration of submits and checkpoints.");
    this.#attempts = histogram("messaging.process.duration", "Duration of attempts.");
    this.#sent = counter("messaging.client.sent.messages", "Number of submitted tasks.");
    this.#consumed = counter("messaging.client.consumed.messages", "Number of attempts.");
  }

  /** Makes a submit in a span. `queue`: undefined for a graph. `count` returns the number of tasks that were sent. */
  submit<T>(
    queue: string | undefined, options: SubmitOptions, about: Attributes, work: (options: SubmitOptions) => Promise<T>,
    count: (done: T) => number,
  ): Promise<T> {
    const common = aboutOf("submit", "send", queue);
    return this.#within(`submit ${queue ?? "graph"}`, this.#api.SpanKind.PRODUCER, { ...common, ...about }, async (span) => {
      const trace = carried(span);
      const submit = (): Promise<T> => work(trace === undefined ? options : { trace, ...options });
      const done = await this.#measure(common, submit);
      const number = count(done);
      if (!("messaging.message.id" in about)) span.setAttribute("messaging.batch.message_count", number);
      this.#sent.add(number, common);
      return done;
    });
  }

  /** Measures the duration of a call. */
  async #measure<T>(common: Attributes, work: () => Promise<T>): Promise<T> {
    const [began, error] = [performance.now(), {} as Attributes];
    try {
      return await work();
    } catch (cause) {
      error["error.type"] = kindOf(cause);
      throw cause;
    } finally {
      this.#operations.record((performance.now() - began) / 1000, { ...common, ...error });
    }
  }

  /** Waits in a span for the end of a task or of a graph, with a link to the last attempt of the task. */
  wait<T>(id: string, what: "task" | "graph", work: () => Promise<T>, recordOf: (done: T) => TaskRecord | undefined): Promise<T> {
    const attributes = { "messaging.system": "blueque", [`messaging.message.${what === "task" ? "id" : "conversation_id"}`]: id };
    return this.#within(`wait for ${what}`, this.#api.SpanKind.INTERNAL, attributes, async (span) => {
      const done = await work();
      const record = recordOf(done);
      if (record) {
        span.setAttributes({ "messaging.destination.name": record.queue ?? "", "blueque.status": record.status ?? "" });
        for (const link of this.#links("awaited", id, record.span ?? record.trace)) span.addLink(link);
      }
      return done;
    });
  }

  /**
   * Starts the span of an attempt, after the span of the time for which the task has waited. The caller must end the span.
   * `record`: the record of the task, if it could be read.
   */
  async begin(link: Link, listener: string, item: Taken, record: TaskRecord | null): Promise<Span> {
    const { SpanKind } = this.#api;
    const { id, queue, token, attempt, lease } = item;
    const parent = contextOf(this.#api, record?.trace);
    const since = record && available(record);
    if (since && since < Date.now() / 1000) {
      const attributes = { ...aboutOf("wait", "receive", queue), "messaging.message.id": id };
      this.#tracer.startSpan(`wait ${queue}`, { kind: SpanKind.INTERNAL, attributes, startTime: since * 1000 }, parent).end();
    }
    const common = aboutOf("run", "process", queue);
    const attributes = {
      ...common, "messaging.message.id": id, "messaging.client.id": listener, "blueque.attempt": attempt,
      ...(record?.method != null && { "blueque.method": record.method }),
    };
    const links = record ? [...this.#links("previous", id, record.span), ...await this.#upstreams(link, record)] : [];
    const span = this.#tracer.startSpan(`run ${queue}`, { kind: SpanKind.CONSUMER, attributes, links }, parent);
    this.#consumed.add(1, common);
    const own = carried(span);
    if (own !== undefined && span.isRecording()) {
      // Without its span, the attempt is only missing among the links of later spans.
      await link.run(calls.start(id, token, process.pid, { lease: lease / 1e6, span: own }), PATIENCE).catch(() => undefined);
    }
    return span;
  }

  #links(kind: string, id: string, trace: string | null | undefined): opentelemetry.Link[] {
    const context = spanContextOf(this.#api, trace);
    return context ? [{ context, attributes: { "blueque.link": kind, "messaging.message.id": id } }] : [];
  }

  /** Links to the last attempts of the tasks on which a task depends. */
  async #upstreams(link: Link, { inputs }: TaskRecord): Promise<opentelemetry.Link[]> {
    const named = (inputs ?? "").split(" ").filter((entry) => entry.includes("=") && !entry.startsWith("value/"));
    const ids = [...new Set(named.map((entry) => entry.slice(entry.indexOf("=") + 1)))].slice(0, MOST_UPSTREAMS);
    const found = ids.length ? await link.run(calls.getMany(ids), PATIENCE).catch(() => []) : [];
    return found.flatMap(({ id, extra }) => this.#links("upstream", id ?? "", (extra["span"] ?? extra["trace"])?.toString()));
  }

  /** Ends the span of an attempt. */
  end(given: Span, queue: string, verdict: string, error: string | undefined, group: string | undefined, seconds: number): void {
    const [outcome, common] = [verdict.toLowerCase(), aboutOf("run", "process", queue)];
    const span = given as opentelemetry.Span;
    span.setAttribute("blueque.outcome", outcome);
    if (FAILED.includes(outcome)) {
      span.setAttribute("error.type", outcome);
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: error ?? "the lease was lost" });
      common["error.type"] = group ?? outcome;
    }
    span.end();
    this.#attempts.record(seconds, common);
  }

  /** Measures a checkpoint. Its span belongs to the process of the handler. */
  saved(queue: string, work: () => Promise<void>): Promise<void> {
    return this.#measure(aboutOf("checkpoint", "settle", queue), work);
  }

  #within<T>(
    name: string, kind: opentelemetry.SpanKind, attributes: Attributes, work: (span: opentelemetry.Span) => Promise<T>,
  ): Promise<T> {
    return this.#tracer.startActiveSpan(name, { kind, attributes }, (span) => spanned(this.#api, span, () => work(span)));
  }
}

/** Makes a submit, in a span if the client has tracing. */
export function submitting<T>(
  tracing: Tracing | undefined, queue: string | undefined, options: SubmitOptions, about: Attributes,
  work: (options: SubmitOptions) => Promise<T>, count: (done: T) => number,
): Promise<T> {
  return tracing ? tracing.submit(queue, options, about, work, count) : work(options);
}

/** Waits, in a span if the client has tracing. */
export function waiting<T>(
  tracing: Tracing | undefined, id: string, what: "task" | "graph", work: () => Promise<T>,
  recordOf: (done: T) => TaskRecord | undefined = () => undefined,
): Promise<T> {
  return tracing ? tracing.wait(id, what, work, recordOf) : work();
}

/** Runs a handler within the span of its attempt. */
export function within<T>(trace: string | undefined, work: () => Promise<T>): Promise<T> {
  const used = trace === undefined ? null : api();
  return used ? used.context.with(contextOf(used, trace), work) : work();
}

/** Saves a checkpoint, in a span if its attempt has a span. */
export function saving(trace: string | undefined, id: string, queue: string, work: () => Promise<void>): Promise<void> {
  const used = trace === undefined ? null : api();
  if (!used) return work();
  const attributes = { ...aboutOf("checkpoint", "settle", queue), "messaging.message.id": id };
  const span = used.trace.getTracer(SCOPE, VERSION).startSpan(`checkpoint ${queue}`, { kind: used.SpanKind.CLIENT, attributes });
  return spanned(used, span, work);
}

async function spanned<T>(used: Api, span: opentelemetry.Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    span.setAttribute("error.type", kindOf(error));
    span.setStatus({ code: used.SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
    throw error;
  } finally {
    span.end();
  }
}

/** The attributes that spans and metrics share, in the words of the semantic conventions for messaging. */
function aboutOf(name: string, type: string, queue: string | undefined): Attributes {
  return {
    "messaging.system": "blueque", "messaging.operation.name": name, "messaging.operation.type": type,
    ...(queue !== undefined && { "messaging.destination.name": queue }),
  };
}

/** Returns since when a task could run, in seconds, if this is known: not for a retry without a delay. */
function available({ attempt, promoted, failures, created, readied }: TaskRecord): number | undefined {
  const known = attempt === 1 || (promoted !== null && (failures ?? 0) > 0);
  return known ? Math.max(created ?? 0, readied ?? 0, promoted ?? 0) : undefined;
}

function kindOf(error: unknown): string {
  return error instanceof BluequeError ? error.code : error instanceof Error ? error.name : typeof error;
}

/** The context of a span in the form of the option `trace`. */
export function carried(span: Span | undefined): string | undefined {
  const context = (span as opentelemetry.Span | undefined)?.spanContext();
  if (!context || !api()?.isSpanContextValid(context)) return undefined;
  const flags = (context.traceFlags & 1).toString(16).padStart(2, "0");
  const parent = `00-${context.traceId}-${context.spanId}-${flags}`;
  const state = context.traceState?.serialize() ?? "";
  return state && state.length <= TRACE_STATE ? `${parent} ${state}` : parent;
}

function spanContextOf(used: Api, trace: string | null | undefined): opentelemetry.SpanContext | undefined {
  const [, traceId, spanId, flags, state] = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?: (.+))?$/.exec(trace ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const traceState = state === undefined ? {} : { traceState: used.createTraceState(state) };
  return { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true, ...traceState };
}

function contextOf(used: Api, trace: string | null | undefined): opentelemetry.Context {
  const parent = spanContextOf(used, trace);
  return parent ? used.trace.setSpanContext(used.ROOT_CONTEXT, parent) : used.ROOT_CONTEXT;
}
