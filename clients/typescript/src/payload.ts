// Conversion of parameters, results and checkpoints between values and bytes. The server never looks into them.
import { randomUUID } from "node:crypto";
import { PayloadError } from "./errors.js";
import { shown } from "./argument-checks.js";
import type { Bytes } from "./wire.js";

/** Converts values to bytes and back. An example is `msgpackr` behind two methods. */
export interface Serializer {
  /** The bytes of a value. */
  dumps(value: unknown): Bytes;
  /** The value of bytes. */
  loads(data: Buffer): unknown;
}

/** The bytes of a value. If it is refused, the error names what it is. */
export function dumped(serializer: Serializer, what: string, value: unknown): Bytes {
  try {
    return serializer.dumps(value);
  } catch (error) {
    throw error instanceof PayloadError ? new PayloadError(`${what}: ${error.detail}`, error) : error;
  }
}

const DEEPEST = 200;

/**
 * JSON, and nothing else: null, booleans, finite numbers, texts, arrays and plain objects.
 *
 * Values that JSON silently changes or omits are refused with their place: `undefined`, NaN, whole numbers beyond
 * 2^53, big integers, dates, bytes, maps, objects of classes, symbols as keys, properties of arrays besides their entries,
 * halves of surrogate pairs. -0 alone becomes 0, to which it is equal. Send `String(big)`,
 * `date.toISOString()` or `bytes.toString("base64")`, or give the client your own serializer. A number of another
 * language that would change its value here is also refused when it is read, with its place.
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
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw new PayloadError(`${JSON.stringify(text.slice(0, 80))} is not JSON.`, error);
    }
    if (PERHAPS_CHANGED.test(text)) unchanged(text);
    return value;
  }
}

/** Matches each text that may have a number that this language changes. */
const PERHAPS_CHANGED = /\d{16}|[eE]\+?\d{3}/;
/** A text or a number of JSON. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Returns true if a number changes when it is read. Digits behind a point are rounded in every language. */
function isChanged(token: string): boolean {
  const read = Number(token);
  return !Number.isFinite(read) || (/^-?\d+$/.test(token) && BigInt(token) !== BigInt(read));
}

/** Refuses numbers that `JSON.parse` has changed. */
function unchanged(text: string): void {
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token.startsWith('"') || !isChanged(token)) continue;
    const mark = randomUUID();
    const place = placeOf(JSON.parse(`${text.slice(0, index)}"${mark}"${text.slice(index + token.length)}`), mark);
    const number = token.length > 60 ? `${token.slice(0, 60)}…` : token;
    throw new PayloadError(`the value${place ?? ""} is ${number}, which this language cannot hold: send it as a text.`);
  }
}

/** The position of a text in a value. */
function placeOf(value: unknown, text: string): string | undefined {
  if (value === text) return "";
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, each] of Object.entries(value)) {
    const place = placeOf(each, text);
    if (place !== undefined) return (Array.isArray(value) ? `[${key}]` : `.${key}`) + place;
  }
  return undefined;
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
  // Counts prototypes and does not compare them: objects of another realm, as in some test runners, have other prototypes.
  const kind: unknown = Object.getPrototypeOf(value);
  const last: unknown = isArray && kind !== null ? Object.getPrototypeOf(kind) : kind;
  if (last !== null && Object.getPrototypeOf(last) !== null) {
    throw new PayloadError(`${place} is of the class ${value.constructor.name}, which JSON does not have.`);
  }
  if (isArray) {
    // Not forEach, which skips holes.
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
