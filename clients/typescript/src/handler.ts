// Handlers with options.
import type { Context } from "./attempt.js";
import { type HandlerOptions, setOptions } from "./handler-options.js";
import { localContext } from "./local-context.js";

/**
 * A handler with options: `new Worker(client, "films", { encode: task(encode, { timeLimit: 3600 }) })`. Called directly
 * without a context, it gets a {@link localContext}.
 */
export function task<P, R>(
  handler: (parameters: P, context: Context) => R | Promise<R>, options: HandlerOptions = {},
): (parameters: P, context?: Context) => R | Promise<R> {
  // A function of its own, because the same handler may have other options elsewhere.
  const own = (parameters: P, context: Context = localContext()): R | Promise<R> => handler(parameters, context);
  setOptions(own, options);
  return own;
}
