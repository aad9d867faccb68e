// The interface of a running handler, and the end of an attempt.
import type * as contract from "./contract.js";
import { LOG_KEPT_BYTES, RESULT_BYTES } from "./contract.js";
import { BluequeError, InvalidCall, PayloadError } from "./errors.js";
import { number } from "./argument-checks.js";
import { judged, optionsOfHandler } from "./handler-options.js";
import { type Complain, type Hooks, aroundAttempt } from "./hooks.js";
import { type Serializer, dumped } from "./payload.js";
import { oneLine } from "./text.js";
import { saving, within } from "./tracing.js";
import type { Bytes } from "./wire.js";

/** The reason to stop an attempt: `stop`: the task is given back for another attempt; `drain`: the worker ends. */
export type Order = "cancel" | "stop" | "drain" | "timeout" | "lost";

/** The attempt must stop: the reason of its signal. Save a checkpoint if you like, and let the error propagate. */
export class Stopped extends Error {
  /** @param order The order to stop. */
  constructor(readonly order: Order) {
    super(`stopped: ${order}`);
    this.name = "Stopped";
  }
}

/** A failure that determines the next attempt. */
export class Failure extends Error {
  /** The kind of the failure; by default `Failure`. */
  readonly group: string;
  /** Seconds until the next attempt, if retries are left; by default the task's backoff. */
  readonly again: number | undefined;
  /** No retry follows, even if some are left. */
  readonly permanent: boolean;

  constructor(text: string, options: { readonly group?: string; readonly again?: number; readonly permanent?: boolean } = {}) {
    super(text);
    number("the `again` of a Failure (`permanent` says that no attempt follows)", options.again, 0);
    this.name = "Failure";
    this.group = options.group ?? "Failure";
    this.again = options.again;
    this.permanent = options.permanent ?? false;
  }
}

/** Gives the task back with its checkpoint, not as a failure. The next attempt begins after this many seconds. */
export class Again extends Error {
  constructor(readonly seconds = 0, readonly reason?: string) {
    super(reason ?? `again in ${seconds} s`);
    number("the time of Again", seconds, 0);
    this.name = "Again";
  }
}

/** The end of an attempt: the words of `finish_and_reserve`, and the data for them. */
export interface End {
  readonly how: contract.Ending;
  readonly body?: Bytes;
  readonly group?: string;
  readonly again?: number;
  readonly reason?: string;
  /** The queue of the next step, and its method. */
  readonly next?: string | undefined;
  readonly method?: string | undefined;
}

/** Maximum length of a text in an end, except its body: names of its group and of the next step, and a reason. */
const MOST_TEXT = 1000;
const ENDINGS: readonly unknown[] = ["complete", "fail", "final", "release", "uncounted"] satisfies contract.Ending[];

/** Returns true if a value of a handler or of a child process is a valid end. */
export function isEnd(given: unknown): given is End {
  if (typeof given !== "object" || given === null) return false;
  const { how, body, group, again, reason, next, method } = given as Partial<Record<string, unknown>>;
  return (
    ENDINGS.includes(how) &&
    (body === undefined || typeof body === "string" || body instanceof Uint8Array) &&
    (again === undefined || (typeof again === "number" && Number.isFinite(again))) &&
    [group, reason, next, method].every((text) => text === undefined || (typeof text === "string" && text.length <= MOST_TEXT))
  );
}

/** The data of an attempt, for the code that runs its handler. */
export interface About {
  readonly id: string;
  readonly queue: string;
  readonly method: string | null;
  readonly attempt: number;
  readonly parameters: Buffer;
  readonly checkpoint: Buffer | null;
  /** The context of the span of the attempt. */
  readonly trace?: string | undefined;
}

/** The task that a log message is about; empty if it is about no task. */
export interface LogFields {
  readonly task?: string;
  readonly attempt?: number;
  readonly queue?: string;
  readonly method?: string;
}

/** The fields of a message about an attempt. */
export function fieldsOf({ id, attempt, queue, method }: Pick<About, "id" | "attempt" | "queue" | "method">): LogFields {
  return { task: oneLine(id), attempt, queue, ...(method !== null && { method: oneLine(method) }) };
}

/** The connection of a handler to the worker. */
export interface Channel {
  /** Saves a value; fails if the lease was lost. */
  persist(kind: "checkpoint" | "progress", body: Bytes): Promise<void>;
  /** Adds to the log. */
  log(text: string): void;
  /** Creates the folder of the attempt, and returns its path. */
  folder(): string;
}

/** The attempt that a handler works on. */
export class Context {
  readonly #serializer: Serializer;
  readonly #channel: Channel;
  readonly #checkpoint: Buffer | null;
  readonly #trace: string | undefined;
  /** @internal */
  step: { readonly next: string; readonly method: string | undefined } | undefined;

  /** The task. */
  readonly id: string;
  /** Its queue. */
  readonly queue: string;
  /** Its method, if the worker has several handlers. */
  readonly method: string | null;
  /** The number of the attempt, from 1 on. */
  readonly attempt: number;

  /** @internal */
  constructor(
    about: About,
    /** Aborted with {@link Stopped} when the attempt must stop. Pass it on to functions that take a signal. */
    readonly signal: AbortSignal,
    serializer: Serializer,
    channel: Channel,
  ) {
    this.id = about.id;
    this.queue = about.queue;
    this.method = about.method;
    this.attempt = about.attempt;
    this.#serializer = serializer;
    this.#channel = channel;
    this.#checkpoint = about.checkpoint;
    this.#trace = about.trace;
  }

  /**
   * The folder of the attempt: empty at the start, and removed with its contents at the end. In a child process it is
   * also the current folder.
   */
  get folder(): string {
    return this.#channel.folder();
  }

  /** The order to stop, or `undefined`. */
  get order(): Order | undefined {
    return this.signal.reason instanceof Stopped ? this.signal.reason.order : undefined;
  }

  /** Throws {@link Stopped} if the attempt must stop: call it between two steps of the work. */
  check(): void {
    this.signal.throwIfAborted();
  }

  /** The task, as fields for a logger: `pino().child(context.fields)`, `winston.child(context.fields)`. */
  get fields(): LogFields {
    return fieldsOf(this);
  }

  /** The checkpoint that the previous attempt saved. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller knows the type
  lastCheckpoint<T = unknown>(): T | undefined {
    return this.#checkpoint === null ? undefined : (this.#serializer.loads(this.#checkpoint) as T);
  }

  /** Saves a checkpoint for the next attempt. When this resolves, the server has stored the checkpoint. */
  checkpoint(value: unknown): Promise<void> {
    return this.#persist("checkpoint", value);
  }

  /**
   * Reports progress, for people: `progress(3, 10, "files")`, `progress(3, undefined, "files")` if the total is not known,
   * or any value.
   */
  progress(done: unknown, total?: number, unit?: string): Promise<void> {
    const of = { ...(total !== undefined && { total }), ...(unit && { unit }) };
    return this.#persist("progress", Object.keys(of).length ? { done, ...of } : done);
  }

  #persist(kind: "checkpoint" | "progress", value: unknown): Promise<void> {
    const saved = (async (): Promise<void> => {
      const body = dumped(this.#serializer, `the ${kind}`, value);
      if (Buffer.byteLength(body) > RESULT_BYTES) {
        throw new InvalidCall("TOOBIG", `the ${kind} is over 8 MiB: store it elsewhere, and save its place.`);
      }
      const save = (): Promise<void> => this.#channel.persist(kind, body);
      await (kind === "checkpoint" ? saving(this.#trace, this.id, this.queue, save) : save());
    })();
    // A failed report without an `await`, for example from a timer that runs for too long, must not end the process.
    saved.catch(() => undefined);
    return saved;
  }

  /** Adds a line to the task's log. A line is cut after 1 Mi characters. */
  log(text: string): void {
    const more = text.length - LOG_KEPT_BYTES;
    if (more > 0) text = `${text.slice(0, LOG_KEPT_BYTES)}\n[${more} characters were left out]`;
    this.#channel.log(text.endsWith("\n") ? text : `${text}\n`);
  }

  /** After the handler returns, the task continues in another queue, with the result as its parameters. */
  next(queue: string, options: { readonly method?: string } = {}): void {
    this.step = { next: queue, method: options.method };
  }
}

/** Does the work of a task, and returns its result. */
export type Handler<P = unknown, R = unknown> = (parameters: P, context: Context) => R | Promise<R>;

/** Handlers: one for all tasks, or several by method, and by queue for tasks without a method. */
export type Handlers = Handler<never> | Readonly<Record<string, Handler<never>>>;

/** Returns true if a value, possibly of a caller without types, is at least one handler. */
export function isHandlers(given: unknown): given is Handlers {
  if (typeof given !== "object" || given === null) return typeof given === "function";
  const each = Object.values(given);
  return each.length > 0 && each.every((handler) => typeof handler === "function");
}

/** Maximum length of the text of an error. */
const MOST_ERROR = 32 << 10;

/** Runs the handler of an attempt; never rejects. */
export async function attempt(
  about: About, handlers: Handlers, context: Context, serializer: Serializer, hooks: readonly Hooks[] = [], complain?: Complain,
): Promise<End> {
  const { id, queue, method, attempt } = about;
  const hooked = (work: () => Promise<unknown>): Promise<unknown> =>
    aroundAttempt(hooks, { id, queue, method, attempt, seconds: 0 }, work, complain);
  const end = await within(about.trace, () => ended(about, handlers, context, serializer, hooked));
  if (isEnd(end)) return end;
  return { how: "fail", body: "it ended with a name, a time or a result of another type", group: "permanent" };
}

async function ended(
  about: About, handlers: Handlers, context: Context, serializer: Serializer,
  hooked: (work: () => Promise<unknown>) => Promise<unknown>,
): Promise<End> {
  const name = about.method ?? about.queue;
  const handler = handlerOf(handlers, name);
  try {
    if (!handler) throw new Failure(`this worker has no handler for ${name}`, { group: "unknown" });
    // A task of a graph's document may have no parameters: then the handler gets no argument.
    const parameters = about.parameters.length ? serializer.loads(about.parameters) : [];
    const result = await hooked(async () => await handler(parameters, context));
    const body = dumped(serializer, "the result of the task", result === undefined ? null : result);
    if (Buffer.byteLength(body) > RESULT_BYTES) {
      return { how: "final", body: "the result is over 8 MiB: store it elsewhere", group: "toobig" };
    }
    return { how: "complete", body, ...context.step };
  } catch (error) {
    if (context.order && isStop(error)) return stopped(context.order);
    const end = failed(error);
    if (error instanceof Failure) return end;
    try {
      return judged(end, error, about.attempt, optionsOfHandler(handler));
    } catch (worse) {
      return failed(worse);
    }
  }
}

/** The handler of a method. */
export function handlerOf(handlers: Handlers, name: string): Handler | undefined {
  const own = typeof handlers === "function" ? handlers : Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  return own as Handler | undefined;
}

/** Returns true if an error is only the order to stop. */
function isStop(error: unknown): boolean {
  return (
    error instanceof Stopped ||
    (error instanceof Error && (error.name === "AbortError" || error.cause instanceof Stopped)) ||
    (error instanceof BluequeError && error.code === "LOST")
  );
}

/** The end of an attempt that was ordered to stop. */
export function stopped(order: Order): End {
  if (order === "timeout") {
    return { how: "fail", body: "the attempt has taken longer than its time limit", group: "timeout" };
  }
  return { how: order === "drain" ? "uncounted" : "release" };
}

function failed(error: unknown): End {
  if (error instanceof Again) {
    const { seconds, reason } = error;
    return { how: "release", again: seconds, ...(reason !== undefined && { reason: brief(reason) }) };
  }
  if (error instanceof Failure) {
    const { group, again, permanent } = error;
    const next = again !== undefined && !permanent ? { again } : {};
    return { how: permanent ? "final" : "fail", body: readable(error.message), group: named(group), ...next };
  }
  const permanent = error instanceof PayloadError;
  return { how: permanent ? "final" : "fail", body: readable(text(error)), group: permanent ? "permanent" : kind(error) };
}

/** Any value as the text of a reason. */
function brief(reason: unknown): string {
  return String(reason).slice(0, MOST_TEXT);
}

/** The name of an error. */
function kind(error: unknown): string {
  try {
    return named(error instanceof Error ? error.name : "");
  } catch {
    return "Error";
  }
}

/** Any value as the name of a group. */
function named(name: unknown): string {
  return typeof name === "string" && name ? name.toWellFormed().slice(0, MOST_TEXT) : "Error";
}

/** The error text, then the last lines of the stack, for any thrown value. */
function text(error: unknown): string {
  try {
    if (!(error instanceof Error)) return `thrown: ${String(error)}`;
    const all = chain(error);
    const [, ...reasons] = all.map(({ line }) => line);
    const last = all.at(-1)?.error;
    const rest = last === error ? [] : [`the stack of ${line(last)}`, ...stackOf(last, 10)];
    return [line(error), ...reasons, ...stackOf(error, 20), ...rest].join("\n");
  } catch {
    return "thrown: a value that cannot be shown";
  }
}

/** Maximum number of errors that are reported for an error and its causes. */
const MOST_REASONS = 20;

function line(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function stackOf(error: unknown, most: number): string[] {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return stack.split("\n").filter((each) => /^\s+at /.test(each)).slice(0, most);
}

/** Returns an error and its causes. */
function chain(error: unknown): { readonly error: unknown; readonly line: string }[] {
  const found = [{ error, line: line(error) }];
  const seen = new Set([error]);
  const look = (of: unknown): void => {
    if (!(of instanceof Error)) return;
    const parts: unknown[] = of instanceof AggregateError ? of.errors : [];
    for (const [word, each] of [...parts.map((part) => ["of these", part]), ["caused by", of.cause]] as [string, unknown][]) {
      if (each === undefined || each === null || seen.has(each) || found.length > MOST_REASONS) continue;
      seen.add(each);
      found.push({ error: each, line: `${word} ${line(each)}` });
      look(each);
    }
  };
  look(error);
  return found;
}

function readable(text: string): string {
  return text.toWellFormed().slice(0, MOST_ERROR);
}
