// The leases of a worker's attempts: heartbeats renew the leases, and attempts that must stop are stopped.
import * as calls from "./calls.js";
import * as contract from "./contract.js";
import { known } from "./errors.js";
import type { HeldAttempt } from "./held-attempt.js";
import type { WorkerState } from "./worker-state.js";

/** Answer to requests that a worker for functions cannot carry out. */
const REFUSAL = "this worker runs the task as a function: it cannot be suspended, signalled or described";

export class Leases {
  /** The time of the next heartbeat by queue and lease. */
  readonly #due = new Map<string, number>();

  constructor(private readonly state: WorkerState) {}

  /** Sends the heartbeats that are due, and enforces limits. */
  tick(): void {
    const { attempts, clock, renewsNow } = this.state;
    this.state.renewsNow = false;
    clock.look();
    const now = clock.now();
    const groups = new Map<string, HeldAttempt[]>();
    for (const held of attempts) {
      held.enforce();
      const group = `${held.queue} ${held.lease}`;
      const members = groups.get(group);
      if (members) members.push(held);
      else groups.set(group, [held]);
    }
    for (const group of this.#due.keys()) if (!groups.has(group)) this.#due.delete(group);
    for (const [group, members] of groups) {
      const [{ queue, lease }] = members as [HeldAttempt];
      const next = now + lease / contract.HEARTBEATS_PER_LEASE;
      const due = this.#due.get(group) ?? next;
      const isDue = renewsNow || now >= due;
      this.#due.set(group, isDue ? next : due);
      if (!isDue) continue;
      const most = contract.TASKS_OF_HEARTBEAT;
      for (let at = 0; at < members.length; at += most) void this.#heartbeat(queue, lease, members.slice(at, at + most));
    }
  }

  async #heartbeat(queue: string, lease: number, members: readonly HeldAttempt[]): Promise<void> {
    const { clock, link, listener } = this.state;
    const sent = clock.now();
    const call = calls.heartbeat(queue, listener, lease, members);
    try {
      const { items } = await link.run(call, Math.max(lease / contract.HEARTBEAT_PART, 1));
      members.forEach((held, at) => {
        const order = items[at];
        if (order === "lost" || order === "kill") held.stop(order, true);
        else {
          held.renewed = sent;
          held.child?.renewed(held.left());
          if (order === "drain") this.state.drain();
          else if (order === "attend") void this.#refuse(held);
          else if (order && order !== "continue") held.stop(order);
        }
      });
    } catch (error) {
      this.state.say("warning", `no heartbeat: ${known(error).message}`);
    }
  }

  /** Answers the requests to suspend or to signal a task: its process also serves the worker, or other tasks. */
  async #refuse(held: HeldAttempt): Promise<void> {
    let answer: { answered?: number; refused?: string } = {};
    try {
      for (let at = 0; at <= contract.CONTROLS; at++) {
        const request = await this.state.link.run(calls.attend(held.id, held.token, answer));
        if (!request) return;
        answer = { answered: request.number, refused: REFUSAL };
      }
    } catch (error) {
      this.state.say("warning", `a request to task ${held.id} is not answered: ${known(error).message}`);
    }
  }
}
