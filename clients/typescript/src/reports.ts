// Reports of a worker to the server, log output of its attempts, and maintenance.
import * as calls from "./calls.js";
import * as contract from "./contract.js";
import { known } from "./errors.js";
import { supplyTimes } from "./schedule.js";
import type { WorkerState } from "./worker-state.js";

/** Starts reports, maintenance and logs, until the end of the worker. */
export function startReports(state: WorkerState): void {
  void repeat(state, () => report(state));
  void repeat(state, maintenance(state));
  void repeat(state, async () => {
    for (const held of state.attempts) if (!held.over) await held.sendLog();
    return 1;
  });
}

/** Repeats some work until the worker is over. The work returns the seconds until its next run. */
async function repeat(state: WorkerState, work: () => Promise<number>): Promise<void> {
  while (!state.isOver()) {
    let after: number = contract.REPORT_AGAIN;
    try {
      after = await work();
    } catch (error) {
      // At the end its connection is closed.
      if (!state.isOver()) state.say("warning", known(error).message);
    }
    await state.sleep(after);
  }
}

/** Sends a report. Returns the seconds until the next report. */
export async function report(state: WorkerState): Promise<number> {
  const { handlers, link, listener, options: { has, name }, queues, slots } = state;
  const free = Math.max(slots - state.attempts.size, 0);
  const methods = handlers && typeof handlers !== "function" ? Object.keys(handlers) : undefined;
  const patterns = queues.byPattern ? queues.names.join(",") : undefined;
  const draining = state.stopping !== undefined;
  const about = { has, name, methods, patterns, version: `node-${contract.VERSION}`, draining, failed: state.failed() };
  const orders = await link.run(calls.report(listener, slots, free, queues.now, about));
  if (orders.includes("drain")) state.drain();
  return contract.REPORT_EVERY;
}

function maintenance(state: WorkerState): () => Promise<number> {
  // The seconds by which the server's clock is ahead of this host's, and the time at which it is read again.
  let [ahead, readAgain] = [0, 0];
  const unread = new Set<string>();
  return async () => {
    if (performance.now() >= readAgain) {
      const { now } = await state.link.run(calls.handshake());
      ahead = now - Date.now() / 1000;
      readAgain = performance.now() + contract.CLOCK_EVERY * 1000;
    }
    let after: number = contract.MAINTENANCE_EVERY;
    for (const names of await state.queues.toKeep()) {
      const reply = await state.link.run(calls.maintenance(names));
      if (reply.trouble) state.say("warning", `maintenance: ${reply.trouble}`);
      for (const text of await supplyTimes(state.link, reply.items)) {
        if (!unread.has(text)) state.say("warning", text);
        unread.add(text);
      }
      after = Math.min(after, reply.more ? 0 : Math.max(reply.next - ahead - Date.now() / 1000, 0.05));
    }
    return after;
  };
}
