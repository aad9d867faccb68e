// A clock for leases.
import { uptime } from "node:os";

/** A clock in seconds that also counts the time in which the host was suspended. */
export class Clock {
  #ahead = uptime() - performance.now() / 1000;

  now(): number {
    return performance.now() / 1000 + this.#ahead;
  }

  /** Adds the time of a suspension of the host to the clock. */
  look(): void {
    const ahead = uptime() - performance.now() / 1000;
    if (ahead > this.#ahead + 0.5) this.#ahead = ahead;
  }
}
