// Records of tasks and entries of logs, with values and texts in place of bytes.
import { inspect } from "node:util";
import type * as calls from "./calls.js";
import type { Serializer } from "./payload.js";

const VALUES = ["parameters", "result", "progress", "checkpoint"] as const;
const TEXTS = ["error", "lastError", "cost"] as const;

/**
 * The record of a task: its parameters, result, progress and checkpoint are values, its errors are texts. A value that
 * the serializer cannot read, such as the result of a program, is a `Buffer`. `console.log` shows only fields that are set.
 */
export type TaskRecord<R = unknown, P = unknown> = Omit<calls.GetReply, (typeof VALUES)[number] | (typeof TEXTS)[number]> & {
  /** The parameters of the task. */
  readonly parameters: P | null;
  /** The result of the task. */
  readonly result: R | null;
  /** The progress that its attempt has reported. */
  readonly progress: unknown;
  /** The checkpoint for the next attempt. */
  readonly checkpoint: unknown;
} & Readonly<Record<(typeof TEXTS)[number], string | null>>;

/** An entry of a log, with its text. */
export type LogEntry = Omit<calls.LogsItem, "text"> & { readonly text: string };

/** @internal */
export function recordOf<R, P>(raw: calls.GetReply, serializer: Serializer): TaskRecord<R, P> {
  const made: Record<string, unknown> = { ...raw };
  for (const name of VALUES) made[name] = valueOf(raw[name], serializer);
  for (const name of TEXTS) made[name] = raw[name]?.toString() ?? null;
  const set = (): object => Object.fromEntries(Object.entries(made).filter(([, value]) => !isUnset(value)));
  return Object.defineProperty(made, inspect.custom, { value: set }) as TaskRecord<R, P>;
}

/** @internal */
export const entryOf = (raw: calls.LogsItem): LogEntry => ({ ...raw, text: raw.text.toString() });

function valueOf(data: Buffer | null, serializer: Serializer): unknown {
  if (!data?.length) return null;
  try {
    return serializer.loads(data);
  } catch {
    return data; // any serializer, any bytes
  }
}

function isUnset(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype && !Object.keys(value).length);
}
