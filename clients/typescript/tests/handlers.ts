// Handlers that run in child processes, for worker.test.
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "@blueque/client";

export default {
  add: ([one, other]: [number, number]): number => one + other,
  pid: (): number => process.pid,
  crash: (): never => process.exit(3),
  shoot: (): void => {
    process.kill(process.pid, "SIGKILL");
  },
  print: (text: string): void => {
    console.log(text);
  },
  stubborn: (): void => {
    process.on("SIGTERM", () => undefined);
    for (;;);
  },
  endless: async (_: null, context: Context): Promise<void> => {
    const child = spawn("sleep", ["600"], { stdio: "ignore" });
    await context.progress([process.pid, child.pid]);
    for (;;);
  },
  family: async (_: null, context: Context): Promise<void> => {
    const child = spawn("sleep", ["600"], { stdio: "ignore" });
    await context.progress(child.pid);
    await sleep(600_000, undefined, { signal: context.signal });
  },
  go: async (_: null, context: Context): Promise<string> => {
    const last = context.lastCheckpoint<number>() ?? 0;
    await context.checkpoint(last + 1);
    if (last === 0) process.exit(1);
    return `${context.attempt} after ${last}`;
  },
};
