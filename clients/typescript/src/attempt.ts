// What a handler may say while it runs, and how an attempt ends.
import type * as contract from "./contract.js";
import { LOG_KEPT_BYTES, RESULT_BYTES } from "./contract.js";
import { BluequeError, InvalidCall, PayloadError } from "./errors.js";
import { number } from "./given.js";
import type { Serializer } from "./payload.js";
import type { Bytes } from "./wire.js";

/** Why an attempt is to stop: `stop`: given back, for another attempt; `drain`: the worker ends. */
export type Order = "cancel" | "stop" | "drain" | "timeout" | "lost";

/** The attempt is to stop: the reason of its signal. Save a checkpoint if you like, and let it pass. */
export class Stopped extends Error {
  /** @param order Who wants it. */
  constructor(readonly order: Order) {
    super(`stopped: ${order}`);
    this.name = "Stopped";
  }
}

/** A failure that says what comes next. */
export class Failure extends Error {
  /** The kind; by default `Failure`. */
  readonly group: string;
  /** Seconds until the next attempt, if retries are left; by default as the task's backoff says. */
  readonly again: number | undefined;
  /** No retry follows, even if some are left. */
  readonly permanent: boolean;

  constructor(
    text: string,
    options: { readonly group?: string; readonly again?: number; readonly permanent?: boolean } = {},
  ) {
    super(text);
    number("the `again` of a Failure (`permanent` says that no attempt follows)", options.again, 0);
    this.name = "Failure";
    this.group = options.group ?? "Failure";
    this.again = options.again;
    this.permanent = options.permanent ?? false;
  }
}

/** Gives the task back, not as a failure: with its checkpoint, for another attempt in so many seconds. */
export class Again extends Error {
  constructor(
    readonly seconds = 0,
    readonly reason?: string,
  ) {
    super(reason ?? `again in ${seconds} s`);
    number("the time of Again", seconds, 0);
    this.name = "Again";
  }
}

/** How an attempt ends: the words of `exchange`, and what goes with them. */
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

/** The longest text in an end, besides its body: names of its group and of the next step, and a reason. */
const MOST_TEXT = 1000;
const ENDINGS: readonly unknown[] = ["complete", "fail", "final", "release", "uncounted"] satisfies contract.Ending[];

/** Whether it is an end, whatever a handler has given to `Again` or `next`, or a child process sends. */
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

/** An attempt, as it is handed to whatever runs its handler. */
export interface About {
  readonly id: string;
  readonly queue: string;
  readonly method: string | null;
  readonly attempt: number;
  readonly parameters: Buffer;
  readonly checkpoint: Buffer | null;
}

/** The way from a handler to the worker. */
export interface Way {
  /** Saves something; fails if the lease was lost. */
  persist(kind: "checkpoint" | "progress", body: Bytes): Promise<void>;
  /** Adds to the log. */
  log(text: string): void;
  /** The folder of the attempt, which is there from now on. */
  folder(): string;
}

/** The attempt that a handler works on. */
export class Context {
  readonly #serializer: Serializer;
  readonly #way: Way;
  readonly #checkpoint: Buffer | null;
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
    /** Is aborted when the attempt is to stop, with {@link Stopped} as the reason. Pass it on to whatever takes one. */
    readonly signal: AbortSignal,
    serializer: Serializer,
    way: Way,
  ) {
    this.id = about.id;
    this.queue = about.queue;
    this.method = about.method;
    this.attempt = about.attempt;
    this.#serializer = serializer;
    this.#way = way;
    this.#checkpoint = about.checkpoint;
  }

  /**
   * A folder of the attempt's own, empty at its begin and removed at its end, with all that is in it. In a child process it is
   * the current one, too.
   */
  get folder(): string {
    return this.#way.folder();
  }

  /** The order to stop, if there is one. */
  get order(): Order | undefined {
    return this.signal.reason instanceof Stopped ? this.signal.reason.order : undefined;
  }

  /** Throws {@link Stopped} if the attempt is to stop: call it between two steps of the work. */
  check(): void {
    this.signal.throwIfAborted();
  }

  /** What the attempt before has saved, to go on from there. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- whoever calls it knows what it saved
  lastCheckpoint<T = unknown>(): T | undefined {
    return this.#checkpoint === null ? undefined : (this.#serializer.loads(this.#checkpoint) as T);
  }

  /** Saves what the next attempt is to go on from. When it resolves, the server has it. */
  checkpoint(value: unknown): Promise<void> {
    return this.#persist("checkpoint", value);
  }

  /** Reports progress, for people: `progress(3, 10, "files")`, or any value. */
  progress(done: unknown, total?: number, unit?: string): Promise<void> {
    return this.#persist("progress", total === undefined ? done : { done, total, ...(unit && { unit }) });
  }

  #persist(kind: "checkpoint" | "progress", value: unknown): Promise<void> {
    const saved = (async (): Promise<void> => {
      const body = this.#serializer.dumps(value);
      if (Buffer.byteLength(body) > RESULT_BYTES) {
        throw new InvalidCall("TOOBIG", `the ${kind} is over 8 MiB: store it elsewhere, and save its place.`);
      }
      await this.#way.persist(kind, body);
    })();
    // Of a report that nobody awaits, as of a timer that goes on for too long, nobody needs to hear: it ends no process.
    saved.catch(() => undefined);
    return saved;
  }

  /** Adds a line to the task's log; of a longer one than 1 Mi characters the rest is left out. */
  log(text: string): void {
    const more = text.length - LOG_KEPT_BYTES;
    if (more > 0) text = `${text.slice(0, LOG_KEPT_BYTES)}\n[${more} characters were left out]`;
    this.#way.log(text.endsWith("\n") ? text : `${text}\n`);
  }

  /** Once the handler has returned, the task goes on in another queue, with the result as its parameters. */
  next(queue: string, options: { readonly method?: string } = {}): void {
    this.step = { next: queue, method: options.method };
  }
}

/** Does the work of a task. What it returns is the result. */
export type Handler<P = unknown, R = unknown> = (parameters: P, context: Context) => R | Promise<R>;

/** Handlers: one for all tasks, or by their methods, and by the queue for those without one. */
export type Handlers = Handler<never> | Readonly<Record<string, Handler<never>>>;

/** Whether they are handlers, at least one, whatever a caller without types has passed. */
export function isHandlers(given: unknown): given is Handlers {
  if (typeof given !== "object" || given === null) return typeof given === "function";
  const each = Object.values(given);
  return each.length > 0 && each.every((handler) => typeof handler === "function");
}

/** The longest text of an error. */
const MOST_ERROR = 32 << 10;

/** Runs the handler of an attempt; never rejects. */
export async function attempt(about: About, handlers: Handlers, context: Context, serializer: Serializer): Promise<End> {
  const end = await ended(about, handlers, context, serializer);
  if (isEnd(end)) return end;
  return { how: "fail", body: "it ended with a name, a time or a result of another type", group: "permanent" };
}

async function ended(about: About, handlers: Handlers, context: Context, serializer: Serializer): Promise<End> {
  try {
    const name = about.method ?? about.queue;
    const own = typeof handlers === "function" ? handlers : Object.hasOwn(handlers, name) && handlers[name];
    const handler = own as Handler | false | undefined;
    if (!handler) throw new Failure(`this worker has no handler for ${name}`, { group: "unknown" });
    // A task may have none, as one of a document of graphs: that is no argument.
    const parameters = about.parameters.length ? serializer.loads(about.parameters) : [];
    const result: unknown = await handler(parameters, context);
    const body = serializer.dumps(result === undefined ? null : result);
    if (Buffer.byteLength(body) > RESULT_BYTES) {
      return { how: "final", body: "the result is over 8 MiB: store it elsewhere", group: "toobig" };
    }
    return { how: "complete", body, ...context.step };
  } catch (error) {
    return context.order && isStop(error) ? stopped(context.order) : failed(error);
  }
}

/** Whether an error is only the order to stop. */
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

/** A reason, whatever is in its place. */
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

/** A group, whatever is in its place. */
function named(name: unknown): string {
  return typeof name === "string" && name ? name.toWellFormed().slice(0, MOST_TEXT) : "Error";
}

/** What went wrong, then the last lines of the stack; whatever was thrown. */
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

/** The most errors that are told of one that others have caused. */
const MOST_REASONS = 20;

function line(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function stackOf(error: unknown, most: number): string[] {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return stack.split("\n").filter((each) => /^\s+at /.test(each)).slice(0, most);
}

/** An error, and those that have caused it. */
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
