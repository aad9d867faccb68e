// Writing of calls and reading of replies; `calls` is made of these pieces.
import { randomBytes } from "node:crypto";
import { InvalidCall, ReplyError } from "./errors.js";
import { shown } from "./argument-checks.js";
import { MORE, camel, perhaps } from "./names.js";
import type { Command } from "./scripts.js";

/** A point in time: seconds since 1970, or a date. */
export type Time = number | Date;
/** A duration in seconds. */
export type Seconds = number;
/** Several names: an array, or one text with commas. */
export type Names = string | readonly string[];
/** Opaque bytes; a text is sent as UTF-8. */
export type Bytes = Uint8Array | string;
/** A part of a command on the wire. */
export type Argument = Buffer | string;
/** A reply of the server. */
export type Reply = Buffer | string | number | null | Reply[];

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * A new id: 128 random bits as 22 letters and digits. The server keeps an id at several places, so it is shorter than a
 * UUID. The first character is a digit: the server then recognises the id in the text of an error.
 */
export function randomId(): string {
  let id = "";
  let bits = BigInt(`0x${randomBytes(16).toString("hex")}`);
  for (let place = 0; place < 22; place++, bits /= 62n) id = DIGITS.charAt(Number(bits % 62n)) + id;
  return id;
}

/** A value in the form that is sent. */
export function written(value: unknown): Argument {
  switch (typeof value) {
    case "string":
      if (!value.isWellFormed()) throw new InvalidCall("BADARG", "a text holds half of a surrogate pair.");
      return value;
    case "number":
      if (!Number.isFinite(value) || Math.abs(value) >= 1e21) break;
      return Number.isInteger(value) ? String(value) : value.toFixed(6);
    case "boolean":
      return value ? "1" : "0";
    case "bigint":
      return String(value);
    case "object":
      if (value === null) return "";
      if (Buffer.isBuffer(value)) return value;
      if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      if (value instanceof Date && Number.isFinite(value.getTime())) return written(value.getTime() / 1000);
      if (Array.isArray(value)) return value.map((each) => String(written(each))).join(",");
  }
  throw new InvalidCall("BADARG", `${shown(value)} is no value of an argument.`);
}

/** A call that has not been made yet. A call that is sent again after a lost reply is executed once. */
export class Call<T> {
  /**
   * @param command The command of the bundle.
   * @param sent Its arguments from `now` on, in the form that is sent.
   * @param read Reads the server's reply.
   * @param takesRequest True if the call may carry a `request`.
   */
  constructor(
    readonly command: Command, readonly sent: readonly Argument[], readonly read: (reply: Reply) => T, readonly takesRequest: boolean,
  ) {}

  /** This call at a given time, in a namespace for tests. */
  at(now: Time): Call<T> {
    return new Call(this.command, [written(now), ...this.sent.slice(1)], this.read, this.takesRequest);
  }

  /** This call with a random `request`: a repeated call has no second effect, even after changes by others. */
  once(): Call<T> {
    if (!this.takesRequest) return this;
    return new Call(this.command, [...this.sent, "request", randomId()], this.read, true);
  }
}

/** Seconds since 1970 in the year 5138. A later time is a number of milliseconds. */
const LATEST = 1e11;
/** Options that are times. */
const TIMES = ["eta", "deadline", "start", "end"];

/** The value of an option in the form that is sent. An error names the option. */
export function option(name: string, value: unknown): Argument {
  if (TIMES.includes(name) && typeof value === "number" && value > LATEST) {
    throw new InvalidCall("BADARG", `${name}: ${value} are milliseconds. Times are seconds since 1970, or a Date.`);
  }
  try {
    return written(value);
  } catch (error) {
    throw error instanceof InvalidCall ? new InvalidCall(error.code, `${camel(name)}: ${error.detail}`, error) : error;
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** A rate such as `100/1h` or `10/m` in the form that is sent: `100/3600`, `10/60`. */
export function rate(text: string): string {
  const [, starts, number = "", unit = ""] = /^\s*(\d+)\s*\/\s*(\d*)\s*(s|sec|m|min|h|hour|d|day|w|week)s?\s*$/.exec(text) ?? [];
  return starts === undefined ? text : `${starts}/${(number === "" ? 1 : Number(number)) * (UNITS[unit[0] ?? ""] ?? 1)}`;
}

/** Refuses misspelt options of callers without types. Otherwise these options are silently ignored. */
function known(command: string, options: readonly (readonly [string, unknown])[], all: object): void {
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  if (given.length === options.filter(([, value]) => value !== undefined).length) return;
  const names = options.map(([name]) => camel(name));
  const unknown = given.map(([name]) => name).filter((name) => !names.includes(name));
  const every = [...names, ...(MORE[command] ?? [])].sort();
  throw new InvalidCall("BADARG", `there is no option ${unknown.map((name) => `\`${name}\``).join(", ")}${perhaps(unknown, every)}`);
}

/** A call: the arguments from `now` on, then the given options. */
export function call<T>(
  command: Command, given: readonly unknown[], options: readonly (readonly [string, unknown])[], shape: Shape<T>,
  takesRequest: boolean, all: object = {},
): Call<T> {
  const sent: Argument[] = [""];
  known(command, options, all);
  for (const value of given) sent.push(written(value));
  for (const [name, value] of options) if (value !== undefined) sent.push(name, option(name, value));
  const read = (reply: Reply): T => {
    try {
      return shape(reply);
    } catch (error) {
      if (!(error instanceof Misfit)) throw error;
      throw new ReplyError("REPLY", `the reply to ${command} does not match the contract: ${error.message}.`);
    }
  };
  return new Call(command, sent, read, takesRequest);
}

// Replies

class Misfit extends Error {}

export interface Type {
  readonly form: string;
  readonly low?: number;
  readonly high?: number;
  readonly words?: readonly string[];
}

/** A part of a reply: its type, additional words, and whether it may be nil, empty or missing. */
export interface Field {
  readonly name: string;
  readonly property: string;
  readonly type?: Type;
  readonly words?: readonly string[];
  readonly nil?: boolean;
  readonly empty?: boolean;
  readonly absent?: boolean;
}

/** The shape of a reply, and the value that it becomes. */
export type Shape<T> = (reply: Reply) => T;

type Got = Buffer | string | number | boolean | string[] | null;

const WHOLE = /^-?\d+$/;
const DECIMAL = /^\d+(\.\d*)?$/;

function typed(of: Type, raw: Buffer | string, text: string): Got | undefined {
  const { form, low = 0, high = Infinity, words = [] } = of;
  const within = (size: number): boolean => low <= size && size <= high;
  switch (form) {
    case "whole":
      return WHOLE.test(text) && within(Number(text)) ? Number(text) : undefined;
    case "seconds":
    case "decimal":
      return DECIMAL.test(text) && within(Number(text)) ? Number(text) : undefined;
    case "flag":
      return text === "0" || text === "1" ? text === "1" : undefined;
    case "word":
      return words.includes(text) ? text : undefined;
    case "words":
      return text.split(",").every((word) => words.includes(word)) ? text.split(",") : undefined;
    case "bytes":
      return within(raw.length) ? Buffer.from(raw as string) : undefined;
    case "text":
      return raw.length >= 1 && raw.length <= high ? text : undefined;
    default:
      return undefined;
  }
}

function excerpt(got: Reply | undefined): string {
  return got instanceof Buffer ? JSON.stringify(got.toString().slice(0, 80)) : JSON.stringify(got ?? null).slice(0, 80);
}

/** The value of a field; null if it is nil, or empty because it does not apply. */
function valueOf(field: Field, got: Reply | undefined): Got {
  if (got === null && field.nil) return null;
  if (typeof got === "number") {
    const text = String(got);
    if (field.words?.includes(text)) return text;
    const value = field.type && typed(field.type, text, text);
    if (value !== undefined) return value;
  } else if (got instanceof Buffer || typeof got === "string") {
    if (got.length === 0 && field.empty) return null;
    if (field.type?.form === "bytes" && got instanceof Buffer && !field.words) {
      if (got.length >= (field.type.low ?? 0) && got.length <= (field.type.high ?? Infinity)) return got;
    } else {
      const text = got.toString();
      if (field.words?.includes(text)) return text;
      const value = field.type && typed(field.type, got, text);
      if (value !== undefined) return value;
    }
  }
  throw new Misfit(`${field.name} is ${excerpt(got)}`);
}

function array(reply: Reply | undefined): Reply[] {
  if (!Array.isArray(reply)) throw new Misfit("it is no array");
  return reply;
}

export function single<T>(field: Field): Shape<T> {
  return (reply) => valueOf(field, reply) as T;
}

/** Reads a reply that may be nil: null. */
export function maybe<T>(shape: Shape<T>): Shape<T | null> {
  return (reply) => (reply === null ? null : shape(reply));
}

/** Reads the repeated values of one field. */
export function values<T>(field: Field): Shape<T[]> {
  return (reply) => array(reply).map((got) => valueOf(field, got) as T);
}

/** Reads repeated fields. */
export function rows<T>(fields: readonly Field[]): Shape<T[]> {
  return (reply) => {
    const [all, found] = [array(reply), []] as [Reply[], T[]];
    if (all.length % fields.length) throw new Misfit("a wrong number of fields");
    for (let at = 0; at < all.length; at += fields.length) {
      const row: Record<string, Got> = {};
      fields.forEach((field, index) => {
        row[field.property] = valueOf(field, all[at + index]);
      });
      found.push(row as T);
    }
    return found;
  };
}

/** Reads fields, then optional items. Fields that later versions append are ignored. */
export function list<T>(fields: readonly Field[], items?: Shape<unknown[]>): Shape<T> {
  return (reply) => {
    const all = array(reply);
    const found: Record<string, unknown> = {};
    fields.forEach((field, at) => {
      if (at >= all.length && !field.absent) throw new Misfit(`it lacks ${field.name}`);
      found[field.property] = at < all.length ? valueOf(field, all[at]) : null;
    });
    if (items) found["items"] = items(all.slice(fields.length));
    return found as T;
  };
}

interface Flags {
  /** Any field may be missing. */
  readonly absent: boolean;
  /** Unknown names are kept in `extra`. */
  readonly open: boolean;
}

/** Names and values in turn. A field `NAME.*` collects all names that begin with `NAME.`. */
export function pairs<T>(fields: readonly Field[], flags: Flags): Shape<T> {
  const named = new Map(fields.map((field) => [field.name, field]));
  const collecting = fields.filter((field) => field.name.endsWith("*"));
  return (reply) => {
    const all = array(reply);
    if (all.length % 2) throw new Misfit("a name without a value");
    const found: Record<string, unknown> = {};
    const extra: Record<string, Reply> = {};
    for (const field of fields) found[field.property] = field.name.endsWith("*") ? {} : undefined;
    for (let at = 0; at < all.length; at += 2) {
      const name = String(all[at]);
      const field = named.get(name);
      const others = field ? undefined : collecting.find((each) => name.startsWith(each.name.slice(0, -1)));
      if (field) found[field.property] = valueOf(field, all[at + 1]);
      else if (others) {
        (found[others.property] as Record<string, Got>)[name.slice(others.name.length - 1)] = valueOf(others, all[at + 1]);
      } else extra[name] = all[at + 1] ?? null;
    }
    for (const field of fields) {
      if (found[field.property] !== undefined) continue;
      if (!flags.absent && !field.absent) throw new Misfit(`it lacks ${field.name}`);
      found[field.property] = null;
    }
    if (flags.open) found["extra"] = extra;
    return found as T;
  };
}

/** Several groups of pairs. Each group begins with the same name. */
export function groups<T>(begins: string, shape: Shape<T>): Shape<T[]> {
  return (reply) => {
    const all = array(reply);
    const starts: number[] = [];
    for (let at = 0; at < all.length; at += 2) if (String(all[at]) === begins) starts.push(at);
    if (!starts.length) starts.push(0);
    return starts.map((start, index) => shape(all.slice(start, starts[index + 1])));
  };
}

