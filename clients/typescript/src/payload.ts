// Parameters, results and checkpoints: values on the one side, bytes on the other. The server never looks into them.
import { PayloadError } from "./errors.js";
import { shown } from "./given.js";
import type { Bytes } from "./wire.js";

/** Values to bytes and back, such as `msgpackr` behind two methods. */
export interface Serializer {
  /** The bytes of a value. */
  dumps(value: unknown): Bytes;
  /** The value of bytes. */
  loads(data: Buffer): unknown;
}

const DEEPEST = 200;

/**
 * JSON, and nothing else: null, booleans, finite numbers, texts, arrays and plain objects.
 *
 * What JSON would change or leave out without a word is refused with its place: `undefined`, NaN, whole numbers beyond
 * 2^53, big integers, dates, bytes, maps, objects of classes, symbols as keys, properties of arrays besides their entries,
 * halves of surrogate pairs. -0 alone becomes 0, to which it is equal. Send `String(big)`,
 * `date.toISOString()` or `bytes.toString("base64")`, or give the client a serializer of your own.
 */
export class Json implements Serializer {
  dumps(value: unknown): string {
    try {
      check(value, "the value", 0);
      return JSON.stringify(value);
    } catch (error) {
      if (error instanceof PayloadError) throw error;
      throw new PayloadError(`the value cannot be read: ${shown(error)}.`, error); // by a getter or a proxy
    }
  }

  loads(data: Buffer): unknown {
    const text = data.toString();
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new PayloadError(`${JSON.stringify(text.slice(0, 80))} is not JSON.`, error);
    }
  }
}

function check(value: unknown, place: string, depth: number): void {
  switch (typeof value) {
    case "boolean":
      return;
    case "string":
      if (!value.isWellFormed()) {
        throw new PayloadError(`${place} holds half of a surrogate pair, which UTF-8 cannot carry.`);
      }
      return;
    case "number":
      if (!Number.isFinite(value)) throw new PayloadError(`${place} is ${value}, which JSON does not have.`);
      if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
        throw new PayloadError(`${place} is ${value}, a whole number beyond 2^53, which is not exact: send it as a text.`);
      }
      return;
    case "object":
      break;
    default:
      throw new PayloadError(`${place} is of the type ${typeof value}, which JSON does not have.`);
  }
  if (value === null) return;
  if (depth > DEEPEST) throw new PayloadError(`${place.slice(0, 60)}… is nested more than ${DEEPEST} deep.`);
  const [symbol] = Object.getOwnPropertySymbols(value);
  if (symbol) throw new PayloadError(`${place} has the key ${String(symbol)}: JSON has only texts as keys.`);
  const isArray = Array.isArray(value);
  // Not by comparison: those of another realm, such as a test's, are others.
  const kind: unknown = Object.getPrototypeOf(value);
  const last: unknown = isArray && kind !== null ? Object.getPrototypeOf(kind) : kind;
  if (last !== null && Object.getPrototypeOf(last) !== null) {
    throw new PayloadError(`${place} is of the class ${value.constructor.name}, which JSON does not have.`);
  }
  if (isArray) {
    // Not forEach, which passes over holes.
    for (let at = 0; at < value.length; at += 1) check(value[at], `${place}[${at}]`, depth + 1);
    const more = Object.keys(value)[value.length];
    if (more !== undefined) throw new PayloadError(`${place} has \`${more}\` besides its entries, for which JSON has no place.`);
    return;
  }
  if (kind !== null && "toJSON" in value) throw new PayloadError(`${place} has a \`toJSON\`: call it yourself.`);
  for (const [key, each] of Object.entries(value)) {
    if (!key.isWellFormed()) throw new PayloadError(`a key of ${place} holds half of a surrogate pair.`);
    check(each, `${place}.${key}`, depth + 1);
  }
}
