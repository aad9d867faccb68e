// Options of a handler: limits of its attempts, and the errors that are retried.
import { number, options as optionsOf, shown } from "./argument-checks.js";
import type { End } from "./attempt.js";
import { InvalidCall } from "./errors.js";
import type { Seconds } from "./wire.js";

/** Limits of the attempts of a handler. */
export interface Limits {
  /** Seconds after which an attempt is stopped, and has failed with the group `timeout`. */
  readonly timeLimit?: Seconds;
  /** Seconds without a checkpoint, progress or log after which it is stopped, and has failed with the group `timeout`. */
  readonly noProgress?: Seconds;
  /** For child processes: maximum heap in bytes, instead of the worker's `memory`. */
  readonly memory?: number;
}

/** A kind of errors: a class, or the `name` or the `code` of an error, such as `ECONNRESET`. */
export type Kind = (abstract new (...parameters: never[]) => unknown) | string;

/** Options of a handler. */
export interface HandlerOptions extends Limits {
  /** Kinds of errors that are retried, as often as `maxFailures` allows. All other kinds are permanent. */
  readonly retryFor?: Kind | readonly Kind[];
  /** Kinds of errors that are not retried, even if they are also kinds of `retryFor`. */
  readonly permanentFor?: Kind | readonly Kind[];
  /**
   * Decides first: true: retry; false: do not; a number: retry after so many seconds; undefined: `retryFor` and
   * `permanentFor` decide.
   */
  readonly retry?: (error: unknown, attempt: number) => boolean | number | undefined;
}

const NAMES = ["timeLimit", "noProgress", "memory", "retryFor", "permanentFor", "retry"];
const known = new WeakMap<object, HandlerOptions>();

/** Checks the options of a handler, and stores them. */
export function setOptions(handler: object, options: HandlerOptions): void {
  optionsOf("a handler", options, NAMES);
  number("timeLimit", options.timeLimit, 0);
  number("noProgress", options.noProgress, 0);
  number("memory", options.memory, 1, true);
  const wrong = [...kinds(options.retryFor), ...kinds(options.permanentFor)].find((each) => !["function", "string"].includes(typeof each));
  if (wrong !== undefined) throw new InvalidCall("BADARG", `${shown(wrong)} is no kind of error: a class, or a name or code of errors.`);
  known.set(handler, options);
}

/** The options of a handler. */
export function optionsOfHandler(handler: unknown): HandlerOptions {
  return (typeof handler === "function" ? known.get(handler) : undefined) ?? {};
}

/** The limits of a handler; undefined if it has none. */
export function limitsOf(handler: unknown): Limits | undefined {
  const { timeLimit, noProgress, memory } = optionsOfHandler(handler);
  if (timeLimit === undefined && noProgress === undefined && memory === undefined) return undefined;
  return { ...(timeLimit !== undefined && { timeLimit }), ...(noProgress !== undefined && { noProgress }), ...(memory !== undefined && { memory }) };
}

/** Returns true if a value of a child process is the limits of handlers. */
export function areLimits(given: unknown): given is Readonly<Record<string, Limits>> {
  const isLimits = (of: unknown): boolean =>
    typeof of === "object" && of !== null && Object.entries(of).every(([name, value]) => NAMES.includes(name) && typeof value === "number" && value >= 0);
  return typeof given === "object" && given !== null && Object.values(given).every(isLimits);
}

function kinds(given: Kind | readonly Kind[] | undefined): readonly Kind[] {
  return given === undefined ? [] : Array.isArray(given) ? (given as readonly Kind[]) : [given as Kind];
}

function isKind(error: unknown, kind: Kind): boolean {
  if (typeof kind !== "string") return error instanceof kind;
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  return name === kind || code === kind;
}

/** The end of an attempt after an error that does not itself determine the next attempt. */
export function judged(end: End, error: unknown, attempt: number, { retryFor, permanentFor, retry }: HandlerOptions): End {
  if (end.how !== "fail") return end;
  let verdict = retry?.(error, attempt);
  verdict ??= !kinds(permanentFor).some((kind) => isKind(error, kind)) && (retryFor === undefined || kinds(retryFor).some((kind) => isKind(error, kind)));
  if (typeof verdict === "number") return { ...end, again: verdict };
  return verdict ? end : { ...end, how: "final" };
}
