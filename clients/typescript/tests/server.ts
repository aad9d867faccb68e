// Helpers with which the tests wait.
import { once } from "node:events";
import { createServer } from "node:net";
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

let tried = 0;

/**
 * Ports on which no process listens. The numbers are below the range from which the system takes ports of outgoing
 * connections, which could otherwise take a port before the server does. Each test process has a hundred ports of its
 * own.
 */
export async function freePorts(number: number): Promise<number[]> {
  const free: number[] = [];
  while (free.length < number) {
    const port = 10_000 + (process.pid % 220) * 100 + (tried++ % 100);
    const end = createServer().listen(port, "127.0.0.1");
    try {
      await once(end, "listening");
    } catch {
      continue; // a process listens
    }
    end.close();
    await once(end, "close");
    free.push(port);
  }
  return free;
}
