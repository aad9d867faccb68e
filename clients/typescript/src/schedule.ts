// A schedule: a task at intervals.
import { randomUUID } from "node:crypto";
import * as calls from "./calls.js";
import type { Link } from "./link.js";
import { Task } from "./task.js";

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
    const reply = await this.#link.make(calls.runSchedule(this.name, randomUUID(), { by: this.#link.by }));
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
