// Sends ends of attempts: in batches with `finish_and_reserve`, or each with its own call.
import type { End } from "./attempt.js";
import * as calls from "./calls.js";
import { CALL_BYTES, END_BYTES, RESULT_BYTES } from "./contract.js";
import { Lost, known } from "./errors.js";
import type { HeldAttempt } from "./held-attempt.js";
import type { Call } from "./wire.js";
import type { WorkerState } from "./worker-state.js";

/** An attempt with its end. */
type Ended = readonly [HeldAttempt, End];

/** Takes the ends for the next call, at most `most`. */
export function takeEnds({ ends }: WorkerState, most: number): Ended[] {
  let [count, size] = [0, 0];
  for (const [, end] of ends) {
    if (count >= most || size >= CALL_BYTES) break;
    count += 1;
    size += bytesOf(end);
  }
  return ends.splice(0, count);
}

/** Sends each end that does not fit into a batch. Returns the ends that fit. */
export async function sendLarge(state: WorkerState, ends: readonly Ended[]): Promise<Ended[]> {
  const batch: Ended[] = [];
  for (const [held, end] of ends) {
    const simple = end.next === undefined && end.reason === undefined && bytesOf(end) <= END_BYTES;
    if (simple && held.order !== "lost") batch.push([held, end]);
    else await send(state, held, end);
  }
  return batch;
}

/** Ends an attempt with its own call. */
export async function send(state: WorkerState, held: HeldAttempt, end: End): Promise<void> {
  let verdict = "LOST";
  try {
    if (held.order !== "lost") verdict = await state.insist(callOf(held, end));
  } catch (error) {
    verdict = known(error).code;
    if (!(error instanceof Lost)) {
      const text = `the end of the attempt was refused: ${known(error).message}`;
      state.say("error", `task ${held.id}: ${text}`);
      const call: Call<string> = calls.fail(held.id, held.token, text, { group: "refused" });
      verdict = await state.insist(call).catch(() => verdict);
    }
  }
  sent(state, held, end, verdict);
}

/** Removes an attempt whose end the server has answered. */
export function sent(state: WorkerState, held: HeldAttempt, end: End, verdict: string): void {
  state.attempts.delete(held);
  state.done += 1;
  const failed = end.how === "fail" || end.how === "final";
  if (failed && verdict !== "LOST") state.failures.push(performance.now());
  const why = failed ? `: ${String(end.body ?? "").split("\n", 1)[0] ?? ""}` : "";
  const { id, queue, item: { attempt }, method, began } = held;
  const error = failed ? { error: why.slice(2), group: end.group ?? "" } : {};
  const seconds = state.clock.now() - began;
  if (held.span) state.link.tracing?.end(held.span, queue, verdict, failed ? why.slice(2) : undefined, end.group, seconds);
  state.outcome(verdict, { id, queue, method, attempt, seconds, ...error });
  if (verdict === "LOST" || verdict === "failed") held.say("warning", `: ${verdict}${why}`);
  else held.say("info", `: ${verdict}${why}`, "detail");
}

function bytesOf({ body = "" }: End): number {
  return Buffer.byteLength(body);
}

/** An end as an entry of a batch. */
export function entryOf([{ id, token }, end]: Ended): calls.FinishAndReserveEach {
  const body = end.how === "release" || end.how === "uncounted" ? "" : (end.body ?? "");
  return { ending: end.how, id, token, body, group: end.group?.slice(0, 1000) ?? "", again: end.again ?? null, cost: "" };
}

/** The call that ends an attempt. */
export function callOf({ id, token }: Pick<HeldAttempt, "id" | "token">, end: End): Call<string> {
  const { body = "", group, again, next, method } = end;
  if (end.how === "complete") return calls.complete(id, token, body, { maxBytes: RESULT_BYTES, next, method });
  if (end.how === "fail" || end.how === "final") {
    return calls.fail(id, token, body, { group, again, final: end.how === "final" || undefined });
  }
  const word = end.reason?.replace(/[^A-Za-z0-9._:@-]+/g, "-").slice(0, 128);
  const reason = word === "" ? undefined : word;
  return calls.release(id, token, { reason, again, uncounted: end.how === "uncounted" || undefined });
}
