// Handlers that run in child processes, for worker.test.
import { execFileSync, spawn } from "node:child_process";
import { closeSync, mkdirSync, readFileSync, readdirSync, writeFileSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type Context } from "@blueque/client";

/** Reports by a timer, which runs for a while after the end of the handler. */
export async function timer(_: null, context: Context): Promise<void> {
  const interval = setInterval(() => void context.progress(Date.now()), 5);
  setTimeout(() => { clearInterval(interval); }, 3000);
  await sleep(600_000, undefined, { signal: context.signal });
}

let heard: unknown;

export default {
  timer,
  /** Leaves a timer that reports while the next task runs, and stores the code of the error. */
  late: (_: null, context: Context): void => {
    const interval = setInterval(() => {
      context.progress("of the task before").catch((error: unknown) => {
        clearInterval(interval);
        heard = (error as { code?: unknown }).code;
      });
    }, 100);
  },
  heard: async (): Promise<unknown> => {
    const until = performance.now() + 20_000;
    while (heard === undefined && performance.now() < until) await sleep(5);
    return heard ?? "nothing";
  },
  add: ([one, other]: [number, number]): number => one + other,
  pid: (): number => process.pid,
  /** Sends an invalid message to the worker, if there is a channel. */
  sends: (message: unknown): string => {
    process.send?.(message);
    return "sent";
  },
  /** Writes an invalid message into the pipe to the worker. */
  scribbles: async (bytes: number[]): Promise<void> => {
    writeSync(3, Buffer.from(bytes));
    await sleep(600_000);
  },
  /** Logs, saves or reports `size` bytes. */
  large: async ([how, size]: ["log" | "checkpoint" | "progress", number], context: Context): Promise<string> => {
    const text = "x".repeat(size);
    try {
      if (how === "log") context.log(text);
      else await context[how](text);
      return "done";
    } catch (error) {
      return (error as { code: string }).code;
    }
  },
  /** Returns all that a handler, and a program that it starts, can read of the worker's environment and arguments. */
  surroundings: (): string => {
    const own = ["environ", "cmdline"].map((name) => readFileSync(`/proc/self/${name}`, "utf8"));
    return [JSON.stringify(process.env), ...own, execFileSync("env", { encoding: "utf8" })].join("\n");
  },
  /** Submits a task from a task, with a separate client. */
  submits: async (namespace: string): Promise<string> => {
    const client = new Client(process.env["WITH_A_FILE"], { namespace });
    const task = await client.queue("q").submit([1, 2], { method: "add" });
    await client.close();
    return task.id;
  },
  crash: (): never => process.exit(3),
  shoot: (): void => {
    process.kill(process.pid, "SIGKILL");
  },
  print: (text: string): void => {
    console.log(text);
  },
  /** Prints `count` lines to both streams, each with a word. */
  lines: ([word, count]: [string, number]): void => {
    for (let line = 0; line < count; line += 1) (line % 10 === 9 ? console.error : console.log)(`${word} ${line}`);
  },
  /** Prints `count` lines, and then its process exits with an error. */
  linesAndExit: ([word, count]: [string, number]): void => {
    writeSync(1, Array.from({ length: count }, (_, line) => `${word} ${line}\n`).join(""));
    process.exit(3);
  },
  /** Changes its output streams in ways that other code does not expect. */
  streams: async (how: string): Promise<string> => {
    process.stdout.write("printed\n");
    if (how === "replaced") process.stdout.write = (): boolean => true;
    else if (how === "corked") {
      process.stdout.cork();
      process.stdout.write("corked\n");
    }
    else if (how === "ended") {
      await new Promise<void>((resolve) => process.stdout.end(resolve));
    }
    else if (how === "destroyed") process.stdout.destroy();
    else if (how === "closed") closeSync(1);
    return how;
  },
  folder: (_: null, context: Context): string => {
    if (process.cwd() !== context.folder || readdirSync(".").length) throw new Error(`in ${process.cwd()}`);
    writeFileSync("left", "x");
    return context.folder;
  },
  /** Makes folders that are deeper than a path may be long. */
  deep: (_: null, context: Context): string => {
    for (let depth = 0; depth < 3000; depth += 1) {
      mkdirSync("d");
      process.chdir("d");
    }
    return context.folder;
  },
  place: async (_: null, context: Context): Promise<void> => {
    await context.progress(context.folder);
    await sleep(600_000, undefined, { signal: context.signal });
  },
  hungry: (): number => {
    const all: string[][] = [];
    for (;;) all.push(Array.from({ length: 10_000 }, (_, at) => `${at} of ${all.length}`));
  },
  /** Leaves a daemon in a new session, which continuously starts further processes. */
  bomb: (word: string): void => {
    const loop = `for n in $(seq 200); do setsid sleep ${word} & done; while :; do setsid sleep ${word} & sleep 0.01; done`;
    spawn("setsid", ["sh", "-c", loop], { stdio: "ignore", detached: true }).unref();
  },
  daemon: async (word: string, context: Context): Promise<void> => {
    spawn("setsid", ["sleep", word], { stdio: "ignore", detached: true }).unref();
    await context.progress(1);
    for (;;);
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
