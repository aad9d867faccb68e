// The main loop of a worker: sends ends and takes the next tasks, in one call if possible.
import { setImmediate as turn } from "node:timers/promises";
import { runAttempt } from "./attempts.js";
import * as calls from "./calls.js";
import { CALL_AGAIN, ENDS_OF_CALL } from "./contract.js";
import { entryOf, send, sendLarge, sent, takeEnds } from "./ends.js";
import { InvalidCall, known } from "./errors.js";
import { HeldAttempt, type Taken } from "./held-attempt.js";
import type { ProcessPool } from "./process-pool.js";
import type { WorkerState } from "./worker-state.js";

/**
 * Maximum number of exchanges in progress. With one exchange the server is idle while the worker begins the tasks of the
 * last reply; with many, each has few ends, and costs the server more for each end.
 */
const EXCHANGES = 2;

/** An exchange sends ends, takes tasks, or both. */
export class MainLoop {
  /** True if there may be tasks to take. */
  #look = true;
  /**
   * Number of exchanges in progress that may take tasks. While slots are free, at most one, which fills them. While none
   * is free, exchanges only fill the slots of their own ends.
   */
  #taking = 0;

  constructor(private readonly state: WorkerState, private readonly pool: ProcessPool) {}

  /** Returns after the order to stop, when all attempts have ended. */
  async run(): Promise<void> {
    const { state } = this;
    const { attempts, slots } = state;
    const exchanges = new Set<Promise<void>>();
    const most = Math.min(Math.ceil(slots / EXCHANGES), ENDS_OF_CALL);
    for (;;) {
      const ends = exchanges.size < EXCHANGES ? takeEnds(state, most) : [];
      if (state.look.take() || ends.length) this.#look = true;
      const idle = slots - attempts.size;
      const closed = state.stopping !== undefined || this.pool.rests() || (this.#taking > 0 && idle > 0);
      const free = closed ? 0 : Math.min(idle + ends.length, ENDS_OF_CALL);
      if (ends.length || (free && this.#look)) {
        const exchange = this.#exchange(ends, free).finally(() => { exchanges.delete(exchange); });
        exchanges.add(exchange);
        // The server answers calls together that arrive together, so the next call waits until this call was written.
        if (slots > 1) for (let turns = 0; turns < 2; turns += 1) await turn();
      } else if (state.stopping && !attempts.size && !exchanges.size) return;
      else {
        if (free) state.wakeUp.make();
        await Promise.race([state.look.wait(), ...exchanges]);
        // Attempts that end at the same moment are sent together.
        if (slots > 1) await new Promise<void>((resolve) => { process.nextTick(resolve); });
      }
    }
  }

  async #exchange(ends: ReturnType<typeof takeEnds>, free: number): Promise<void> {
    const { state } = this;
    if (free) {
      this.#taking += 1;
      this.#look = false;
    }
    try {
      const [taken, sentAt] = await this.#finishAndReserve(ends, free);
      for (const item of taken) {
        const held = new HeldAttempt(state, item, sentAt);
        state.attempts.add(held);
        void runAttempt(state, this.pool, held);
      }
      // The known queues may have no tasks left, while other queues have tasks.
      if (taken.length || (ends.length && state.queues.byPattern)) this.#look = true;
    } finally {
      if (free) this.#taking -= 1;
    }
  }

  /** Returns the taken tasks, and the time at which the call was sent. */
  async #finishAndReserve(ends: ReturnType<typeof takeEnds>, free: number): Promise<[readonly Taken[], number]> {
    const { state } = this;
    const { clock, listener, options: { lease } } = state;
    const batch = await sendLarge(state, ends);
    if (!batch.length) return this.#reserve(free);
    const woken = free ? this.#woken() : undefined;
    const asked = free && (await this.#looks(woken)) ? state.queues.now : "";
    const options = { pid: process.pid, lease, woken: asked ? woken : undefined };
    const sentAt = clock.now();
    let reply: calls.FinishAndReserveReply;
    try {
      const call = calls.finishAndReserve(listener, asked, Math.max(free, 1), batch.map(entryOf), options);
      reply = await state.insist(call.once());
    } catch (error) {
      state.say("error", `the ends are refused together: ${known(error).message}`);
      for (const [held, end] of batch) await send(state, held, end);
      return this.#reserve(free);
    }
    const verdicts = (reply.verdicts ?? "").split(" ");
    for (const [at, [held, end]] of batch.entries()) sent(state, held, end, verdicts[at] ?? "");
    if (reply.refusal) await this.#refused(reply.refusal);
    return [reply.items, sentAt];
  }

  async #reserve(free: number): Promise<[readonly Taken[], number]> {
    const { state } = this;
    const { clock, listener, options: { lease }, queues } = state;
    if (!free) return [[], 0];
    if (this.#taking > 1) {
      // A repeated `reserve` finds its tasks only until the listener takes others. The loop asks later.
      this.#look = true;
      return [[], 0];
    }
    const options = { limit: free, pid: process.pid, lease, woken: this.#woken() };
    try {
      for (let found = await this.#looks(options.woken, true); found; ) {
        const sentAt = clock.now();
        const taken = await state.insist(calls.reserve(listener, queues.now, options).once(), true);
        if (taken?.length) return [taken, sentAt];
        found = queues.byPattern && (await queues.more());
      }
    } catch (error) {
      // A call with an invalid lease, for example, is refused at each repetition.
      if (error instanceof InvalidCall && !state.attempts.size) throw error;
      const { code, message } = known(error);
      await this.#refused(code);
      if (code !== "NOLISTENER" && code !== "DRAINING") state.say("error", `takes no tasks: ${message}`);
      await state.sleep(CALL_AGAIN);
    }
    return [[], 0];
  }

  /** Returns true once after a wake-up. */
  #woken(): true | undefined {
    const { woken } = this.state;
    this.state.woken = undefined;
    return woken;
  }

  /** Returns true if there are queues to ask. */
  async #looks(woken: true | undefined, fresh = false): Promise<boolean> {
    try {
      return await this.state.queues.look(woken, fresh);
    } catch (error) {
      // A call with an invalid pattern, for example, is refused at each repetition.
      if (error instanceof InvalidCall && !this.state.attempts.size) throw error;
      this.state.say("warning", `finds no queues: ${known(error).message}`);
      return false;
    }
  }

  /** Reacts to the error code of a call that takes tasks. */
  async #refused(code: string): Promise<void> {
    if (code === "NOLISTENER") {
      await this.state.queues.register().catch((error: unknown) => {
        this.state.say("warning", known(error).message);
      });
    } else if (code === "DRAINING") this.state.drain();
  }
}
