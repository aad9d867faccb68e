// The shutdown of a worker, which every part of the worker observes.
import { setTimeout as sleep } from "node:timers/promises";
import type { Say } from "./worker-settings.js";

/** The order to stop, and the end of the worker. */
export class Shutdown {
  readonly #over = new AbortController();
  /** `finish`: the running tasks end; `release`: they are given back; undefined: the worker takes tasks. */
  how: "finish" | "release" | undefined;

  /** @param requested Called at each request, with the order if it is new. */
  constructor(private readonly say: Say, private readonly requested: (how: "finish" | "release" | undefined) => void) {}

  /** Stops the worker. */
  request(how: "finish" | "release" = "finish"): void {
    const isNew = this.how !== "release" && this.how !== how;
    if (isNew) this.how = how;
    this.requested(isNew ? how : undefined);
  }

  /** Stops the worker at an order of the server. */
  drain(): void {
    if (this.how) return;
    this.say("info", "was told to drain");
    this.request();
  }

  /** Returns true at the end of the worker. */
  isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Ends the work of all parts. */
  end(): void {
    this.#over.abort();
  }

  /** Sleeps, at most until the end of the worker. */
  async sleep(seconds: number): Promise<void> {
    await sleep(seconds * 1000, undefined, { signal: this.#over.signal }).catch(() => undefined);
  }
}
