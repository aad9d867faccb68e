// Ends of attempts, which are sent in batches with `finish_and_reserve`, or each with its own call.
import type { End } from "./attempt.js";
import * as calls from "./calls.js";
import { CALL_BYTES, ENDS_OF_CALL, END_BYTES, RESULT_BYTES } from "./contract.js";
import { Lost, known } from "./errors.js";
import type { HeldAttempt } from "./held-attempt.js";
import type { Call } from "./wire.js";
import { type WorkerSettings, insist } from "./worker-settings.js";

/** An attempt with its end. */
type Ended = readonly [HeldAttempt, End];

/** Collects and sends the ends of attempts. */
export class Ends {
  #waiting: Ended[] = [];
  /** Number of attempts that have ended. */
  done = 0;

  constructor(private readonly settings: WorkerSettings, private readonly attempts: Set<HeldAttempt>) {}

  /** Number of ends that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Adds an end. */
  add(held: HeldAttempt, end: End): void {
    this.#waiting.push([held, end]);
  }

  /** Takes the ends for the next call. */
  take(): Ended[] {
    let [count, size] = [0, 0];
    for (const [, end] of this.#waiting) {
      if (count === ENDS_OF_CALL || size >= CALL_BYTES) break;
      count += 1;
      size += bytesOf(end);
    }
    return this.#waiting.splice(0, count);
  }

  /** Sends each end that does not fit into a batch. Returns the ends that fit. */
  async sendLarge(ends: readonly Ended[]): Promise<Ended[]> {
    const batch: Ended[] = [];
    for (const [held, end] of ends) {
      const simple = end.next === undefined && end.reason === undefined && bytesOf(end) <= END_BYTES;
      if (simple && held.order !== "lost") batch.push([held, end]);
      else await this.send(held, end);
    }
    return batch;
  }

  /** Ends an attempt with its own call. */
  async send(held: HeldAttempt, end: End): Promise<void> {
    if (held.order === "lost") {
      this.sent(held, end, "LOST");
      return;
    }
    let verdict: string;
    try {
      verdict = await insist(this.settings, callOf(held, end));
    } catch (error) {
      verdict = known(error).code;
      if (!(error instanceof Lost)) {
        const text = `the end of the attempt was refused: ${known(error).message}`;
        this.settings.say("error", `task ${held.id}: ${text}`);
        const call: Call<string> = calls.fail(held.id, held.token, text, { group: "refused" });
        verdict = await insist(this.settings, call).catch(() => verdict);
      }
    }
    this.sent(held, end, verdict);
  }

  /** Removes an attempt whose end the server has answered. */
  sent(held: HeldAttempt, end: End, verdict: string): void {
    this.attempts.delete(held);
    this.done += 1;
    const failed = end.how === "fail" || end.how === "final";
    const why = failed ? `: ${String(end.body ?? "").split("\n", 1)[0] ?? ""}` : "";
    if (verdict === "LOST" || verdict === "failed") held.say("warning", `: ${verdict}${why}`);
    else held.say("info", `: ${verdict}${why}`, "detail");
  }
}

function bytesOf(end: End): number {
  return end.body === undefined ? 0 : Buffer.byteLength(end.body);
}

/** An end as an entry of a batch. */
export function entryOf([held, end]: Ended): calls.FinishAndReserveEach {
  return {
    ending: end.how,
    id: held.id,
    token: held.token,
    body: end.how === "release" || end.how === "uncounted" ? "" : (end.body ?? ""),
    group: end.group?.slice(0, 1000) ?? "",
    again: end.again ?? null,
    cost: "",
  };
}

/** The call that ends an attempt. */
export function callOf(held: Pick<HeldAttempt, "id" | "token">, end: End): Call<string> {
  const { id, token } = held;
  const { group, again } = end;
  if (end.how === "complete") {
    const { next, method } = end;
    return calls.complete(id, token, end.body ?? "", { maxBytes: RESULT_BYTES, next, method });
  }
  if (end.how === "fail" || end.how === "final") {
    return calls.fail(id, token, end.body ?? "", { group, again, final: end.how === "final" || undefined });
  }
  const word = end.reason?.replace(/[^A-Za-z0-9._:@-]+/g, "-").slice(0, 128);
  const reason = word === "" ? undefined : word;
  return calls.release(id, token, { reason, again, uncounted: end.how === "uncounted" || undefined });
}
