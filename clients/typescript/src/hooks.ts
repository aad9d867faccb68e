// Hooks: calls of your own code around submits and attempts, and at the events of a worker.
import { Again, Failure } from "./attempt.js";
import type * as calls from "./calls.js";
import { BluequeError, InvalidCall } from "./errors.js";
import { shown } from "./argument-checks.js";

/** An attempt, as hooks see it. */
export interface Attempt {
  readonly id: string;
  readonly queue: string;
  /** The method; null also if the worker has a single handler. */
  readonly method: string | null;
  /** The number of the attempt, from 1 on. */
  readonly attempt: number;
  /** First line of the error, and its group, if the attempt has failed. */
  readonly error?: string;
  readonly group?: string;
  /** Duration of the attempt in seconds. 0 before its end. */
  readonly seconds: number;
}

/** A submit, as hooks see it. A hook may change `options` before it calls `next`: for a graph only its `tags`. */
export interface Submit {
  /** The queue; `graph` for a graph. */
  readonly queue: string;
  options: calls.SubmitOptions;
  /** The id of the task, or of the graph; undefined for several tasks. */
  readonly id?: string;
}

type Maybe = void | Promise<void>;

/**
 * Hooks, all optional. An error of a hook is logged and changes nothing, with these exceptions: `Failure` and `Again`
 * around an attempt end the attempt as they say, and a `BluequeError` around a submit prevents the submit.
 *
 * The process of a handler calls `aroundAttempt`, `beforeAttempt`, `afterAttempt`, and `onProcess…`: handlers in a file
 * export them as `hooks`. The worker calls the others.
 */
export interface Hooks {
  /** Wraps a submit: `next` makes the submit, and rejects with its error. */
  aroundSubmit?(submit: Submit, next: () => Promise<void>): Promise<void>;
  /** Wraps a handler: `next` runs the handler, and rejects with its error. */
  aroundAttempt?(attempt: Attempt, next: () => Promise<void>): Promise<void>;
  /** An attempt begins, within `aroundAttempt`. */
  beforeAttempt?(attempt: Attempt): Maybe;
  /** A handler has returned, or thrown this error; within `aroundAttempt`. */
  afterAttempt?(attempt: Attempt, error: unknown): Maybe;
  /** The task, or one of its steps, is complete. */
  onSuccess?(attempt: Attempt): Maybe;
  /** The task has failed, and no retry follows. */
  onFailure?(attempt: Attempt): Maybe;
  /** The attempt has failed, and a retry follows. */
  onRetry?(attempt: Attempt): Maybe;
  /** The task was cancelled. */
  onCancel?(attempt: Attempt): Maybe;
  /** The task was given back for another attempt, not as a failure. */
  onRelease?(attempt: Attempt): Maybe;
  /** The lease was lost: another worker may have the task. */
  onLost?(attempt: Attempt): Maybe;
  /** The worker begins to take tasks. */
  onWorkerStart?(): Maybe;
  /** The worker has ended all its attempts. */
  onWorkerStop?(): Maybe;
  /** A child process of the worker begins. */
  onProcessStart?(): Maybe;
  /** A child process of the worker ends. A child that is killed does not call this. */
  onProcessStop?(): Maybe;
}

const NAMES: readonly string[] = [
  "aroundSubmit", "aroundAttempt", "beforeAttempt", "afterAttempt", "onSuccess", "onFailure", "onRetry", "onCancel",
  "onRelease", "onLost", "onWorkerStart", "onWorkerStop", "onProcessStart", "onProcessStop",
] satisfies (keyof Hooks)[];

/** The hook that the worker calls for each verdict of the server on an attempt. */
const OUTCOMES: Readonly<Record<string, keyof Hooks>> = {
  complete: "onSuccess",
  failed: "onFailure",
  retrying: "onRetry",
  cancelled: "onCancel",
  released: "onRelease",
  LOST: "onLost",
};

/** Returns the hooks of an option. */
export function hooksOf(given: Hooks | readonly Hooks[] | undefined): readonly Hooks[] {
  const all = (given === undefined ? [] : Array.isArray(given) ? given : [given]) as readonly Hooks[];
  for (const each of all as readonly unknown[]) {
    if (typeof each === "function") throw new InvalidCall("BADARG", `hooks are objects: pass new ${each.name}().`);
    if (typeof each !== "object" || each === null) throw new InvalidCall("BADARG", `hooks are objects, not ${shown(each)}.`);
    // The methods of a class are not properties of its object, so only own properties can be misspelled.
    const wrong = Object.entries(each).find(([name, what]) => /^(on|around|before|after)[A-Z]/.test(name) && typeof what === "function" && !NAMES.includes(name));
    if (wrong) throw new InvalidCall("BADARG", `there is no hook ${wrong[0]}: there are ${NAMES.join(", ")}.`);
  }
  return all;
}

/** Logs the error of a hook. */
export type Complain = (text: string) => void;

const toStderr: Complain = (text) => { console.error(text); };

function complaint(name: string, error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `the hook ${name} has failed, which changes nothing: ${text}`;
}

/** Calls a hook of all. Errors for which `passes` returns true are thrown. */
export async function call(
  hooks: readonly Hooks[], name: Exclude<keyof Hooks, "aroundSubmit" | "aroundAttempt">, about: readonly unknown[] = [],
  complain: Complain = toStderr, passes: (error: unknown) => boolean = () => false,
): Promise<void> {
  for (const each of hooks) {
    try {
      await (each[name] as ((...about: readonly unknown[]) => Maybe) | undefined)?.(...about);
    } catch (error) {
      if (passes(error)) throw error;
      complain(complaint(name, error));
    }
  }
}

/** Calls the hook for the verdict of the server on an attempt. */
export function callOutcome(hooks: readonly Hooks[], verdict: string, attempt: Attempt, complain?: Complain): Promise<void> {
  const name = OUTCOMES[verdict];
  return name && hooks.length ? call(hooks, name as "onSuccess", [attempt], complain) : Promise.resolve();
}

/**
 * Runs some work with all middleware around it. Its outcome is that of the work, even if a middleware does not run it or
 * fails; `passes` selects the errors of middleware that count.
 */
async function around<A, T>(
  wrappers: readonly (((about: A, next: () => Promise<void>) => Promise<void>) | undefined)[], name: string, about: A,
  work: () => Promise<T>, passes: (error: unknown) => boolean, complain: Complain,
): Promise<T> {
  let outcome: Promise<T> | undefined;
  const once = (): Promise<T> => (outcome ??= work());
  let next: () => Promise<void> = async () => { await once(); };
  for (const wrapper of [...wrappers].reverse()) {
    if (!wrapper) continue;
    const inner = next;
    next = async () => {
      let passed: { readonly error: unknown } | undefined;
      try {
        await wrapper(about, () => inner().catch((error: unknown) => { passed = { error }; throw error; }));
      } catch (error) {
        if (passes(error)) {
          await outcome?.catch(() => undefined); // the middleware may not have awaited it
          throw error;
        }
        if (!passed || passed.error !== error) complain(complaint(name, error));
      }
      // An error of the work is not swallowed, and work is not skipped.
      if (passed) throw passed.error;
      await once();
    };
  }
  await next();
  return once();
}

const ends = (error: unknown): boolean => error instanceof Failure || error instanceof Again;
const refuses = (error: unknown): boolean => error instanceof BluequeError;

/** Runs a handler with all hooks around it. */
export function aroundAttempt<T>(hooks: readonly Hooks[], attempt: Attempt, work: () => Promise<T>, complain = toStderr): Promise<T> {
  if (!hooks.length) return work();
  const within = async (): Promise<T> => {
    await call(hooks, "beforeAttempt", [attempt], complain, ends);
    let result: T;
    try {
      result = await work();
    } catch (error) {
      await call(hooks, "afterAttempt", [attempt, error], complain, ends);
      throw error;
    }
    await call(hooks, "afterAttempt", [attempt, undefined], complain, ends);
    return result;
  };
  return around(hooks.map((each) => each.aroundAttempt?.bind(each)), "aroundAttempt", attempt, within, ends, complain);
}

/** Makes a submit with all hooks around it. */
export function aroundSubmit<T>(
  hooks: readonly Hooks[], queue: string, options: calls.SubmitOptions, id: string | undefined,
  work: (options: calls.SubmitOptions) => Promise<T>,
): Promise<T> {
  if (!hooks.length) return work(options);
  const submit: Submit = { queue, options: { ...options }, ...(id !== undefined && { id }) };
  const wrappers = hooks.map((each) => each.aroundSubmit?.bind(each));
  return around(wrappers, "aroundSubmit", submit, () => work(submit.options), refuses, toStderr);
}
