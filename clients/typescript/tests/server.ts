// What the tests wait with.
import { setTimeout as sleep } from "node:timers/promises";

export { Server } from "@blueque/client/testing";

/** Waits for a condition. */
export async function becomes(what: () => boolean | Promise<boolean>, seconds = 30): Promise<void> {
  const until = performance.now() + seconds * 1000;
  while (!(await what())) {
    if (performance.now() > until) throw new Error(`not within ${seconds} s: ${what.toString()}`);
    await sleep(10);
  }
}
