// The attempts of a worker: runs handlers in this process or in a child.
import { type About, type End, Context, attempt, handlerOf, stopped } from "./attempt.js";
import * as calls from "./calls.js";
import { known } from "./errors.js";
import { limitsOf } from "./handler-options.js";
import type { HeldAttempt } from "./held-attempt.js";
import type { ProcessPool } from "./process-pool.js";
import { carried } from "./tracing.js";
import { removed } from "./work-folder.js";
import type { WorkerState } from "./worker-state.js";

/** Runs an attempt, and adds its end to the ends. Never rejects. */
export async function runAttempt(state: WorkerState, pool: ProcessPool, held: HeldAttempt): Promise<void> {
  let end: End;
  try {
    end = await handled(state, pool, held);
  } catch (error) {
    // A full disk or a removed release of the program, for example, is not the task's fault.
    held.say("error", `: cannot begin: ${known(error).message}`);
    end = { how: "uncounted", reason: "noprocess", again: 5 };
  }
  held.over = true;
  if (held.stalled !== undefined && end.group === "timeout") {
    end = { ...end, body: `the attempt has made no progress for ${held.stalled} s: no checkpoint, progress or log` };
  }
  if (held.path) await removed(held.path);
  await held.sendLog();
  state.ends.push([held, end]);
  state.look.make();
}

async function handled(state: WorkerState, pool: ProcessPool, held: HeldAttempt): Promise<End> {
  const { handlers, hooks, link: { serializer, tracing } } = state;
  const { id, queue, attempt: number, parameters, checkpoint } = held.item;
  // Chooses one of several handlers.
  const record = typeof handlers === "function" && !tracing ? null : await state.insist(calls.get(id));
  const method = typeof handlers === "function" ? null : (record?.method ?? null);
  held.method = method;
  held.span = await tracing?.begin(state.link, state.listener, held.item, record);
  const about: About = { id, queue, method, attempt: number, parameters, checkpoint, trace: carried(held.span) };
  // The reply that gave out the task may be old: this process was frozen, or the server away.
  const early = held.enforce();
  if (early) return stopped(early);
  const name = method ?? queue;
  const limits = handlers ? limitsOf(handlerOf(handlers, name)) : (state.limits[name] ?? state.limits[""]);
  if (limits) held.limit(limits);
  if (!handlers) return pool.run(held, about, limits?.memory);
  return attempt(about, handlers, new Context(about, held.signal, serializer, held), serializer, hooks, state.complain);
}
