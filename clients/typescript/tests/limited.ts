// Handlers with options in a file, for retry.test.
import { setTimeout as sleep } from "node:timers/promises";
import { type Context, task } from "@blueque/client";

export default {
  stalls: task(async (lines: number, context: Context) => {
    for (let line = 0; line < lines; line += 1) {
      context.log("a sign of progress");
      await sleep(300);
    }
    await sleep(600_000);
  }, { noProgress: 1 }),
  slow: task(() => sleep(600_000), { timeLimit: 1 }),
  large: task((size: number) => {
    const parts: number[][] = [];
    while (parts.length * 8192 < size) parts.push(new Array<number>(1024).fill(parts.length));
    return parts.length;
  }, { memory: 40 << 20 }),
  sleeps: () => sleep(600_000),
};
