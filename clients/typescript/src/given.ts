// What callers without types pass wrongly is refused where they pass it.
import { InvalidCall } from "./errors.js";

/** A value in a message, whatever it is. */
export function shown(value: unknown): string {
  try {
    return typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : String(value).slice(0, 80);
  } catch {
    return "a value that cannot be shown";
  }
}

/** Options: an object, of whose properties none is misspelt. */
export function options(what: string, given: unknown, names?: readonly string[]): void {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new InvalidCall("BADARG", `${what} takes its options as an object, not ${shown(given)}.`);
  }
  const unknown = names && Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new InvalidCall("BADARG", `${what} has no option \`${unknown}\`; there are ${names?.join(", ") ?? ""}.`);
  }
}

/** A number that may be left out. */
export function number(what: string, given: unknown, low: number, whole = false): void {
  if (given === undefined) return;
  if (typeof given === "number" && given >= low && (!whole || Number.isInteger(given))) return;
  const least = low === -Infinity ? "" : `, at least ${low}`;
  throw new InvalidCall("BADARG", `${what} is ${shown(given)}: it is a ${whole ? "whole " : ""}number${least}.`);
}
