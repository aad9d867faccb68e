// A schedule: a task at intervals, or by cron.
import * as calls from "./calls.js";
import { SLOTS_AHEAD } from "./contract.js";
import { Cron } from "./cron.js";
import { InvalidCall, NotFound } from "./errors.js";
import type { Link } from "./link.js";
import { Task } from "./task.js";
import { randomId } from "./wire.js";

/** A schedule by its name. */
export class Schedule {
  readonly #link: Link;

  /** @internal */
  constructor(link: Link, /** The name of the schedule. */ readonly name: string) {
    this.#link = link;
  }

  /** The record of the schedule: its tasks, its times, and its results so far. */
  info(): Promise<calls.ShowScheduleReply> {
    return this.#link.run(calls.showSchedule(this.name));
  }

  /** Creates a task now, in addition to its fire times. */
  async run(): Promise<Task> {
    const reply = await this.#link.make(calls.runSchedule(this.name, randomId(), { by: this.#link.by }));
    return new Task(this.#link, reply.id);
  }

  /** Pauses the schedule: no tasks are created. */
  async pause(reason = ""): Promise<void> {
    await this.#link.run(calls.pauseSchedule(this.name, this.#link.by ?? "typescript", reason));
  }

  /** Resumes the schedule. */
  async resume(): Promise<void> {
    await this.#link.run(calls.resumeSchedule(this.name, { by: this.#link.by }));
  }

  /** Removes the schedule; its tasks stay. */
  async remove(): Promise<void> {
    await this.#link.make(calls.unschedule(this.name, { by: this.#link.by }));
  }
}

/**
 * Supplies the next fire times of cron schedules that have few left. If this host cannot compute the times of a
 * schedule, another client supplies them. Returns the reasons.
 *
 * @internal
 */
export async function supplyTimes(link: Link, schedules: readonly calls.MaintenanceItem[]): Promise<string[]> {
  const unread: string[] = [];
  for (const { name, recurrence, after } of schedules) {
    try {
      const times = Cron.read(recurrence).times(after, SLOTS_AHEAD);
      await link.run(calls.supplyTimes(name, recurrence, after, times));
    } catch (error) {
      if (error instanceof InvalidCall) unread.push(`the schedule ${name} gets no fire times from this worker: ${error.message}`);
      else if (!(error instanceof NotFound)) throw error; // it was removed
    }
  }
  return unread;
}
