// What the tests wait with.
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
 * Ports that nobody listens to. They lie below those that the system gives to outgoing connections, which could take one
 * before the server does. Each process of tests has a hundred of its own.
 */
export async function freePorts(number: number): Promise<number[]> {
  const free: number[] = [];
  while (free.length < number) {
    const port = 10_000 + (process.pid % 220) * 100 + (tried++ % 100);
    const end = createServer().listen(port, "127.0.0.1");
    try {
      await once(end, "listening");
    } catch {
      continue; // somebody listens
    }
    end.close();
    await once(end, "close");
    free.push(port);
  }
  return free;
}
