// The reply of `why` as a sentence, by the contract's table of its parts.
import type * as calls from "./calls.js";
import { SENTENCES } from "./contract.js";

/** The facts that decide whether and when a task runs. `toString()` is a sentence about them, for people. */
export interface Why extends calls.WhyReply {
  toString(): string;
}

type Value = string | number | undefined;

const UNITS = [[31_557_600, "year"], [2_630_016, "month"], [86_400, "day"], [3600, "h"], [60, "m"], [1, "s"]] as const;
/** Seconds since 1970 at the end of the year 9999. */
const LAST = 253_402_300_800;

/** The reply with its sentence. `record`: the record of the task, read at the same time. */
export function whyOf(reply: calls.WhyReply, record: calls.GetReply): Why {
  const text = new Sentence(reply, record).part("sentence");
  return Object.defineProperty({ ...reply }, "toString", { value: () => text });
}

/** Returns true if the record is of the same state: the task may change between the two calls. */
export function agrees(reply: calls.WhyReply, record: calls.GetReply): boolean {
  return record.status === reply.status && record.failures === reply.failures;
}

class Sentence {
  readonly #reply: Readonly<Record<string, unknown>>;
  readonly #record: Readonly<Record<string, unknown>>;
  readonly #now: number;

  constructor(reply: calls.WhyReply, record: calls.GetReply) {
    this.#reply = { ...reply };
    this.#record = { ...record };
    this.#now = reply.now;
  }

  part(name: string): string {
    const holds = (condition: string): boolean => this.#holds(condition);
    const found = SENTENCES[name]?.find(([when]) => when.split(" ").filter(Boolean).every(holds));
    return found?.[1].replace(/\{([^|}]+)\|?([^}]*)\}/g, (_, value: string, form: string) => this.#filled(value, form)) ?? "";
  }

  #holds(condition: string): boolean {
    const [, no, name = "", sign, other = ""] = /^(!?)([^!=<>]+?)(?:(<=|>=|!=|=|<|>)(.+))?$/.exec(condition) ?? [];
    const left = this.#value(name);
    if (!sign) return (left === undefined) === Boolean(no);
    const right = other.startsWith("'") ? other.slice(1, -1) : this.#value(other);
    if (left === undefined || right === undefined) return false;
    const difference = Number(left) - Number(right);
    const order = Number.isNaN(difference) ? (String(left) < String(right) ? -1 : Number(String(left) > String(right))) : difference;
    switch (sign) {
      case "=": return order === 0;
      case "!=": return order !== 0;
      case "<": return order < 0;
      case "<=": return order <= 0;
      case ">": return order > 0;
      default: return order >= 0;
    }
  }

  #filled(name: string, form: string): string {
    const value = this.#value(name);
    if (value === undefined) return "";
    switch (form) {
      case "": return String(value);
      case "both": return `${toTheSecond(Number(value))} (${relative(Number(value), this.#now)})`;
      case "relative": return relative(Number(value), this.#now);
      case "span": return span(Number(value));
      case "quoted": return JSON.stringify(value);
      case "headline": return headline(String(value));
      default: return `${value} ${form.replace(/^many /, "")}${value === 1 ? "" : "s"}`;
    }
  }

  /** The value of an operand; undefined if it is absent or empty. */
  #value(name: string): Value {
    const [, one = "", sign, other = ""] = /^([a-z_.0-9]+)([+-])([a-z_.0-9]+)$/.exec(name) ?? [];
    if (sign) {
      const [left, right] = [this.#value(one), this.#value(other)];
      if (left === undefined || right === undefined) return undefined;
      return sign === "+" ? Number(left) + Number(right) : Math.max(Number(left) - Number(right), 0);
    }
    if (/^\d+$/.test(name)) return Number(name);
    if (Object.hasOwn(SENTENCES, name)) return this.part(name) || undefined;
    if (name === "usable") return /^[A-Za-z0-9._:@-]{1,128}$/.test(String(this.#reply["queue"])) ? 1 : undefined;
    if (name.startsWith("paused.")) {
      const [, at, by, reason] = /^(\S*) ?(\S*) ?(.*)$/s.exec((this.#reply["paused"] ?? "") as string) ?? [];
      const found = { "paused.at": at, "paused.by": by, "paused.reason": reason }[name];
      return found === "" ? undefined : found;
    }
    if (name === "task.error" && this.#record["status"] !== "failed") return undefined;
    let found = name.startsWith("task.") ? this.#record[camel(name.slice(5))] : this.#reply[camel(name)];
    if (found instanceof Uint8Array) found = Buffer.from(found).toString();
    if (name === "deadline" && typeof found === "number") return found / 1e6; // microseconds
    return found === null || found === undefined || found === "" ? undefined : (found as Value);
  }
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A duration in its two largest units. */
function span(seconds: number): string {
  // As in other languages, a half is rounded to the even digit.
  if (seconds < 9.95) return `${(seconds % 1 === 0.25 ? seconds - 0.05 : seconds).toFixed(1)}s`;
  let rest = Math.floor(seconds);
  const words: string[] = [];
  for (const [size, unit] of UNITS) {
    const number = Math.floor(rest / size);
    rest %= size;
    if (number) words.push(`${number}${unit}${number > 1 && unit.length > 1 ? "s" : ""}`);
  }
  return words.slice(0, 2).join(" ");
}

function relative(time: number, now: number): string {
  return now >= time ? `${span(now - time)} ago` : `in ${span(time - now)}`;
}

function toTheSecond(time: number): string {
  if (!(time >= 0 && time < LAST)) return "an unknown time";
  return new Date(Math.floor(time) * 1000).toISOString().replace(/\.\d+Z$/, "Z");
}

/** The most important line of an error. */
function headline(error: string): string {
  const lines = error.split("\n").map((line) => line.trim()).filter(Boolean);
  const [first = ""] = lines;
  if (lines.length > 1 && first.startsWith("Traceback")) return lines.at(-1) ?? "";
  if (lines.length > 1 && /^(exit code|killed by) /.test(first)) return first;
  return error;
}
