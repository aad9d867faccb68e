// The main loop of a worker: sends ends and takes the next tasks, in one call if possible.
import { setImmediate as turn } from "node:timers/promises";
import * as calls from "./calls.js";
import { CALL_AGAIN, ENDS_OF_CALL } from "./contract.js";
import { type Ends, entryOf } from "./ends.js";
import { InvalidCall, known } from "./errors.js";
import type { HeldAttempt, Taken } from "./held-attempt.js";
import type { Shutdown } from "./shutdown.js";
import type { WakeUps } from "./wake-ups.js";
import { type WorkerSettings, insist } from "./worker-settings.js";

/** Sends ends and takes tasks. */
export class MainLoop {
  #wake: (() => void) | undefined;
  #look = true;

  constructor(
    private readonly settings: WorkerSettings,
    private readonly attempts: ReadonlySet<HeldAttempt>,
    private readonly shutdown: Shutdown,
    private readonly ends: Ends,
    private readonly wakeUps: WakeUps,
  ) {}

  /** Wakes the loop, which then asks for tasks. */
  wake(): void {
    this.#look = true;
    this.#wake?.();
  }

  /**
   * Returns after the order to stop, when all attempts have ended.
   *
   * @param rests Returns true while no tasks are taken.
   * @param begin Begins a task, which was taken at the given time.
   */
  async run(rests: () => boolean, begin: (item: Taken, sent: number) => void): Promise<void> {
    const { slots, queues } = this.settings;
    for (;;) {
      const ends = this.ends.take();
      if (ends.length) this.#look = true;
      const free = this.shutdown.how || rests() ? 0 : Math.min(slots - this.attempts.size + ends.length, ENDS_OF_CALL);
      if (ends.length || (free && this.#look)) {
        const [taken, sent] = await this.#finishAndReserve(ends, free);
        for (const item of taken) begin(item, sent);
        // The queues found before may have no tasks left, while other queues have.
        this.#look = taken.length > 0 || (ends.length > 0 && queues.byPattern);
        // Attempts that have ended in between are sent together.
        if (slots > 1) await turn();
      } else if (this.shutdown.how && !this.attempts.size) return;
      else {
        const awake = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        if (free) this.wakeUps.want();
        if (!this.ends.waiting) await awake;
        this.#wake = undefined;
        if (slots > 1) await turn();
      }
    }
  }

  /** Returns the taken tasks, and the time at which the call was sent. */
  async #finishAndReserve(ends: Parameters<Ends["sendLarge"]>[0], free: number): Promise<[readonly Taken[], number]> {
    const { clock, listener, options: { lease }, queues, say } = this.settings;
    const batch = await this.ends.sendLarge(ends);
    if (!batch.length) return this.#reserve(free);
    const woken = free ? this.wakeUps.take() : undefined;
    const asked = free && (await this.#looks(woken)) ? queues.now : "";
    const options = { pid: process.pid, lease, woken: asked ? woken : undefined };
    const sent = clock.now();
    let reply: calls.FinishAndReserveReply;
    try {
      const call = calls.finishAndReserve(listener, asked, Math.max(free, 1), batch.map(entryOf), options);
      reply = await insist(this.settings, call.once());
    } catch (error) {
      say("error", `the ends are refused together: ${known(error).message}`);
      for (const [held, end] of batch) await this.ends.send(held, end);
      return this.#reserve(free);
    }
    const verdicts = (reply.verdicts ?? "").split(" ");
    batch.forEach(([held, end], at) => {
      this.ends.sent(held, end, verdicts[at] ?? "");
    });
    if (reply.refusal) await this.#refused(reply.refusal);
    return [reply.items, sent];
  }

  async #reserve(free: number): Promise<[readonly Taken[], number]> {
    const { clock, listener, options: { lease }, queues, say } = this.settings;
    if (!free) return [[], 0];
    const options = { limit: free, pid: process.pid, lease, woken: this.wakeUps.take() };
    try {
      for (let found = await this.#looks(options.woken, true); found; ) {
        const sent = clock.now();
        const call = calls.reserve(listener, queues.now, options).once();
        const taken = await insist(this.settings, call, this.shutdown);
        if (taken?.length) return [taken, sent];
        found = queues.byPattern && (await queues.more());
      }
    } catch (error) {
      // A call with an invalid lease, for example, is refused at each repetition.
      if (error instanceof InvalidCall && !this.attempts.size) throw error;
      const { code, message } = known(error);
      await this.#refused(code);
      if (code !== "NOLISTENER" && code !== "DRAINING") say("error", `takes no tasks: ${message}`);
      await this.shutdown.sleep(CALL_AGAIN);
    }
    return [[], 0];
  }

  /** Returns true if there are queues to ask. */
  async #looks(woken: true | undefined, fresh = false): Promise<boolean> {
    try {
      return await this.settings.queues.look(woken, fresh);
    } catch (error) {
      // A call with an invalid pattern, for example, is refused at each repetition.
      if (error instanceof InvalidCall && !this.attempts.size) throw error;
      this.settings.say("warning", `finds no queues: ${known(error).message}`);
      return false;
    }
  }

  /** Reacts to the error code of a call that takes tasks. */
  async #refused(code: string): Promise<void> {
    if (code === "NOLISTENER") {
      await this.settings.queues.register().catch((error: unknown) => {
        this.settings.say("warning", known(error).message);
      });
    } else if (code === "DRAINING") this.shutdown.drain();
  }
}
