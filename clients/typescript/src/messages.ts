// Messages between a worker and a child process: a small object and bytes, over their own pipe. Messages of a child are
// bounded and checked, because a handler may have forged them, and they must not crash the worker of all tasks.
import type { Readable } from "node:stream";
import { type About, type End, type Order, isEnd } from "./attempt.js";
import { RESULT_BYTES } from "./contract.js";
import { type Limits, areLimits } from "./handler-options.js";
import type { Bytes } from "./wire.js";

/** The file descriptor of the pipe in a child, after stdin, stdout and stderr. */
export const PIPE = 3;
/** Maximum size of the object of a message from a child. */
const MOST_ABOUT = 64 << 10;

/** A message to a child. The bytes of `start` are the parameters (`parameters` is their length), then the checkpoint. */
export type ToChild =
  | {
      readonly kind: "start";
      readonly about: Omit<About, "parameters" | "checkpoint">;
      readonly folder: string;
      readonly parameters: number;
      readonly checkpoint: boolean;
    }
  | { readonly kind: "order"; readonly order: Order }
  /** The child has no more tasks: it calls its hooks and ends. */
  | { readonly kind: "stop" }
  | { readonly kind: "answer"; readonly number: number; readonly error?: readonly [string, string] };

/** A message of a child. The bytes are the body of an end, a checkpoint, progress, log, or the error of a load. */
export type FromChild =
  /** `hooked`: the child has a hook for its end. `limits`: those of its handlers. */
  | { readonly kind: "loaded"; readonly good: boolean; readonly hooked?: boolean; readonly limits?: Readonly<Record<string, Limits>> }
  | { readonly kind: "begun" }
  /** The streams, stdout and stderr, that have the mark of the end. */
  | { readonly kind: "end"; readonly end: Omit<End, "body">; readonly marked: readonly boolean[] }
  | { readonly kind: "ask"; readonly number: number; readonly what: "checkpoint" | "progress" }
  | { readonly kind: "log" };

export function packed(about: ToChild | FromChild, ...bodies: readonly Bytes[]): Buffer {
  const head = Buffer.from(JSON.stringify(about));
  const body = bodies.map((each) => Buffer.from(each as Uint8Array));
  const sizes = Buffer.alloc(8);
  sizes.writeUInt32BE(head.length, 0);
  sizes.writeUInt32BE(body.reduce((sum, each) => sum + each.length, 0), 4);
  return Buffer.concat([sizes, head, ...body]);
}

/** Reads the messages of a stream. Throws if the bytes are not messages. */
async function* messages(stream: Readable, mostAbout: number, most: number): AsyncGenerator<readonly [unknown, Buffer], void, undefined> {
  let [parts, size, needed]: [Buffer[], number, number] = [[], 0, 8];
  for await (const part of stream as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    while (size >= needed) {
      const all: Buffer = Buffer.concat(parts);
      const [about, body] = [all.readUInt32BE(0), all.readUInt32BE(4)];
      if (about > mostAbout || body > most) throw new RangeError("a message is too long");
      needed = 8 + about + body;
      parts = [all];
      if (size < needed) break;
      yield [JSON.parse(all.toString("utf8", 8, 8 + about)), all.subarray(8 + about, needed)];
      size -= needed;
      parts = size ? [Buffer.from(all.subarray(needed))] : [];
      needed = 8;
    }
  }
}

export async function* fromWorker(stream: Readable): AsyncGenerator<readonly [ToChild, Buffer], void, undefined> {
  for await (const [about, body] of messages(stream, Infinity, Infinity)) yield [about as ToChild, body];
}

/** Messages of a child. Invalid messages, which no child of this package sends, are errors. */
export async function* fromChild(stream: Readable): AsyncGenerator<readonly [FromChild, Buffer], void, undefined> {
  for await (const [about, body] of messages(stream, MOST_ABOUT, RESULT_BYTES)) {
    if (!isFromChild(about)) throw new TypeError("a message is of another shape");
    yield [about, body];
  }
}

function isFromChild(about: unknown): about is FromChild {
  if (typeof about !== "object" || about === null) return false;
  const { kind, good, end, limits, marked, number, what } = about as Partial<Record<string, unknown>>;
  switch (kind) {
    case "begun":
    case "log":
      return true;
    case "loaded":
      return typeof good === "boolean" && (limits === undefined || areLimits(limits));
    case "end":
      return isEnd(end) && Array.isArray(marked);
    case "ask":
      return typeof number === "number" && (what === "checkpoint" || what === "progress");
    default:
      return false;
  }
}
