// The child processes of a worker, and the pauses after a child could not load its file.
import type { About, End, Way } from "./attempt.js";
import { Child } from "./child-process.js";
import { LONGEST_REST } from "./contract.js";
import type { HeldAttempt } from "./held-attempt.js";
import type { WorkerSettings } from "./worker-settings.js";

/** Runs attempts in child processes, and keeps idle children for further attempts. */
export class ProcessPool {
  readonly #idle: Child[] = [];
  /** Pause without new tasks if children cannot load their file, and the end of that pause. */
  #pause = 0;
  #restsUntil = 0;

  /** @param rested Called after a pause. */
  constructor(private readonly settings: WorkerSettings, private readonly rested: () => void) {}

  /** Returns true during a pause. */
  rests(): boolean {
    return this.settings.clock.now() < this.#restsUntil;
  }

  /** Runs an attempt in a child. `order` returns the order to stop, or undefined. */
  async run(held: HeldAttempt, about: About, way: Way, order: () => HeldAttempt["order"]): Promise<End> {
    const { file, options } = this.settings;
    for (;;) {
      let child = this.#idle.pop();
      while (child?.over) child = this.#idle.pop();
      child ??= new Child(file ?? "", options.memory);
      held.child = child;
      const end = await child.run(about, way, child.begun + 1 >= (options.tasksPerProcess ?? 1), held.left(), order);
      held.child = undefined;
      if (child.unusable === undefined) this.#pause = 0;
      else this.#rest(child.unusable);
      if (!child.over) this.#idle.push(child);
      if (end) return child.unusable === undefined ? end : { ...end, again: this.#pause };
    }
  }

  /** Takes no tasks for a while, because a child ended before it loaded its handlers. Each further pause is longer. */
  #rest(why: string): void {
    if (this.rests()) return;
    this.#pause = Math.min(Math.max(1, 2 * this.#pause), LONGEST_REST);
    this.#restsUntil = this.settings.clock.now() + this.#pause;
    this.settings.say("error", `the file of the handlers cannot be used: ${why}: takes nothing for ${this.#pause} s`);
    setTimeout(this.rested, this.#pause * 1000 + 1).unref();
  }

  /** Ends the idle children. */
  async end(): Promise<void> {
    await Promise.all(this.#idle.map((child) => child.end()));
  }
}
