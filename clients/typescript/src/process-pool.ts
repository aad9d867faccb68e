// The child processes of a worker, and the pauses after a child could not load its file.
import type { About, End } from "./attempt.js";
import { Child } from "./child-process.js";
import { LONGEST_REST } from "./contract.js";
import type { HeldAttempt } from "./held-attempt.js";
import type { WorkerState } from "./worker-state.js";

/** Runs attempts in child processes, and keeps idle children for further attempts. */
export class ProcessPool {
  readonly #idle: Child[] = [];
  /** Length of the pause after a child could not load its file, and its end. A pause takes no new tasks. */
  #pause = 0;
  #restsUntil = 0;

  constructor(private readonly state: WorkerState) {}

  /** Returns true during a pause. */
  rests(): boolean {
    return this.state.clock.now() < this.#restsUntil;
  }

  /** Runs an attempt in a child. `most`: maximum heap of its handler in bytes. */
  async run(held: HeldAttempt, about: About, most: number | undefined): Promise<End> {
    const { file, options: { tasksPerProcess = 1 } } = this.state;
    const memory = most ?? this.state.options.memory;
    for (;;) {
      let child = this.#take(memory);
      while (child?.over) child = this.#take(memory);
      child ??= new Child(file ?? "", memory);
      held.child = child;
      const end = await child.run(about, held, child.begun + 1 >= tasksPerProcess);
      held.child = undefined;
      const why = child.unusable();
      if (why === undefined) this.#pause = 0;
      else this.#rest(why);
      if (!child.over) this.#idle.push(child);
      if (end) return why === undefined ? end : { ...end, again: this.#pause };
    }
  }

  /** Takes an idle child with this maximum heap. */
  #take(memory: number | undefined): Child | undefined {
    const at = this.#idle.findLastIndex((child) => child.memory === memory);
    return at < 0 ? undefined : this.#idle.splice(at, 1)[0];
  }

  /** Takes no tasks for a while, because a child ended before it loaded its handlers. Each further pause is longer. */
  #rest(why: string): void {
    if (this.rests()) return;
    this.#pause = Math.min(Math.max(1, 2 * this.#pause), LONGEST_REST);
    this.#restsUntil = this.state.clock.now() + this.#pause;
    this.state.say("error", `the file of the handlers cannot be used: ${why}: takes nothing for ${this.#pause} s`);
    setTimeout(() => { this.state.look.make(); }, this.#pause * 1000 + 1).unref();
  }

  /** Ends the idle children. */
  async end(): Promise<void> {
    await Promise.all(this.#idle.map((child) => child.end()));
  }
}
