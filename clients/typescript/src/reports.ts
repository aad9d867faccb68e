// Reports of a worker to the server, log output of its attempts, and maintenance.
import * as calls from "./calls.js";
import * as contract from "./contract.js";
import { known } from "./errors.js";
import type { HeldAttempt } from "./held-attempt.js";
import type { Shutdown } from "./shutdown.js";
import type { WorkerSettings } from "./worker-settings.js";

/** Sends reports and log output, and does the maintenance. */
export class Reports {
  /** The seconds by which the server's clock is ahead, and when it is read again. */
  #ahead = 0;
  #readClockAt = 0;

  constructor(
    private readonly settings: WorkerSettings,
    private readonly attempts: ReadonlySet<HeldAttempt>,
    private readonly shutdown: Shutdown,
  ) {}

  /** Starts reports, maintenance and logs, until the end of the worker. */
  start(): void {
    void this.#repeat(() => this.report());
    void this.#repeat(() => this.#maintenance());
    void this.#repeat(() => this.#logs());
  }

  /** Repeats a job until the worker is over. The job returns the seconds until its next run. */
  async #repeat(job: () => Promise<number>): Promise<void> {
    while (!this.shutdown.isOver()) {
      let after: number = contract.REPORT_AGAIN;
      try {
        after = await job();
      } catch (error) {
        // At the end its connection is closed.
        if (!this.shutdown.isOver()) this.settings.say("warning", known(error).message);
      }
      await this.shutdown.sleep(after);
    }
  }

  /** Sends a report. Returns the seconds until the next report. */
  async report(): Promise<number> {
    const { handlers, link, listener, options: { has, name }, queues, slots } = this.settings;
    const free = Math.max(slots - this.attempts.size, 0);
    const methods = handlers && typeof handlers !== "function" ? Object.keys(handlers) : undefined;
    const patterns = queues.byPattern ? queues.names.join(",") : undefined;
    const draining = this.shutdown.how !== undefined;
    const about = { has, name, methods, patterns, version: `node-${contract.VERSION}`, draining };
    const orders = await link.run(calls.report(listener, slots, free, queues.now, about));
    if (orders.includes("drain")) this.shutdown.drain();
    return contract.REPORT_EVERY;
  }

  /** The seconds by which the server's clock is ahead of this host's. */
  async #serverAhead(): Promise<number> {
    if (performance.now() >= this.#readClockAt) {
      const { now } = await this.settings.link.run(calls.handshake());
      this.#ahead = now - Date.now() / 1000;
      this.#readClockAt = performance.now() + contract.CLOCK_EVERY * 1000;
    }
    return this.#ahead;
  }

  async #maintenance(): Promise<number> {
    const { link, queues, say } = this.settings;
    const ahead = await this.#serverAhead();
    let after: number = contract.MAINTENANCE_EVERY;
    for (const names of await queues.toKeep()) {
      const reply = await link.run(calls.maintenance(names));
      if (reply.trouble) say("warning", `maintenance: ${reply.trouble}`);
      after = Math.min(after, reply.more ? 0 : Math.max(reply.next - ahead - Date.now() / 1000, 0.05));
    }
    return after;
  }

  async #logs(): Promise<number> {
    for (const held of this.attempts) if (!held.over) await held.sendLog(this.settings.link);
    return 1;
  }
}
