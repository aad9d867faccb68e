// Checks of arguments, for callers without types: an invalid value is refused where it is passed.
import { InvalidCall } from "./errors.js";
import { perhaps } from "./names.js";

/** Any value as text, for a message. */
export function shown(value: unknown): string {
  try {
    return typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : String(value).slice(0, 80);
  } catch {
    return "a value that cannot be shown";
  }
}

/** Refuses options that are no object, and names that are not among `names`. */
export function options(what: string, given: unknown, names?: readonly string[]): void {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new InvalidCall("BADARG", `${what} takes its options as an object, not ${shown(given)}.`);
  }
  const unknown = Object.keys(given).filter((name) => names && !names.includes(name));
  if (unknown.length) {
    throw new InvalidCall("BADARG", `${what} has no option ${unknown.map((name) => `\`${name}\``).join(", ")}${perhaps(unknown, names ?? [])}`);
  }
}

/** Refuses a value that is neither undefined nor a number of at least `low`. */
export function number(what: string, given: unknown, low: number, whole = false): void {
  if (given === undefined) return;
  if (typeof given === "number" && given >= low && (!whole || Number.isInteger(given))) return;
  const least = low === -Infinity ? "" : `, at least ${low}`;
  throw new InvalidCall("BADARG", `${what} is ${shown(given)}: it is a ${whole ? "whole " : ""}number${least}.`);
}
