// The program of a child process: runs the handlers of a file. Started by `child-process`, with the file as its argument.
import { type NetConnectOpts, Socket, createConnection } from "node:net";
import { Worker as Thread } from "node:worker_threads";
import { type About, type End, type Handlers, type Channel, Context, Stopped, attempt, isHandlers } from "./attempt.js";
import { verdict } from "./errors.js";
import { type Limits, limitsOf } from "./handler-options.js";
import { type Hooks, call, hooksOf } from "./hooks.js";
import { Printer, markOf } from "./outputs.js";
import { Json, type Serializer } from "./payload.js";
import { type FromChild, PIPE, fromWorker, packed } from "./messages.js";
import { MARK, killOrphans } from "./orphan-processes.js";
import type { Bytes } from "./wire.js";

/** The exports of the file. */
interface Exports {
  readonly default: Handlers;
  readonly serializer?: Serializer;
  readonly hooks?: Hooks | readonly Hooks[];
}

/** Maximum length of the reason why a file cannot be used. */
const MOST_REASON = 10_000;

/** The reason why a file cannot be used, and the place in the file. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = /file:\/\/\S+:\d+:\d+/.exec(error.stack ?? "")?.[0];
  const kind = error.name === "Error" ? "" : `${error.name}: `;
  return `${kind}${error.message}${place ? ` (${place})` : ""}`;
}

/** The limits of handlers by method; of a single handler by the empty text. */
function limitsOfAll(handlers: Handlers): Readonly<Record<string, Limits>> {
  const all = typeof handlers === "function" ? { "": handlers } : handlers;
  return Object.fromEntries(Object.entries(all).flatMap(([name, each]) => {
    const limits = limitsOf(each);
    return limits ? [[name, limits]] : [];
  }));
}

function main(file: string): void {
  const mark = process.env[MARK] ?? "";
  const watchdog = new Thread(new URL("./watchdog.js", import.meta.url), { workerData: mark });
  const watched = new Promise<void>((resolve) => {
    watchdog.once("message", () => {
      resolve();
    });
  });
  watchdog.unref();
  const printers = [process.stdout, process.stderr].map((stream) => new Printer(stream));
  const print = (text: string): Promise<boolean[]> => Promise.all(printers.map((printer) => printer.print(text)));
  // Bun can only open a descriptor in this way, Node.js and Deno only in the other way.
  const fd = { fd: PIPE, readable: true, writable: true };
  const pipe = process.versions["bun"] ? createConnection(fd as unknown as NetConnectOpts) : new Socket(fd);
  pipe.on("error", () => undefined); // the pipe also closes after an error
  const tell = (about: FromChild, body: Bytes = "", sent?: () => void): void => {
    pipe.write(packed(about, body), sent);
  };
  /** The number of the running attempt. Code that an earlier attempt has left may not report. */
  let running = 0;
  const asked = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  let [number, controller] = [0, new AbortController()];
  const channelOf = (mine: number, folder: string): Channel => ({
    persist: (what: "checkpoint" | "progress", body: Bytes): Promise<void> =>
      new Promise((resolve, reject) => {
        if (mine !== running) throw verdict("LOST", "this attempt has ended already");
        number += 1;
        asked.set(number, { resolve, reject });
        tell({ kind: "ask", number, what }, body);
      }),
    log: (text: string): void => {
      if (mine === running) tell({ kind: "log" }, text);
    },
    folder: (): string => folder,
  });
  let hooks: readonly Hooks[] = [];
  const loaded = (import(file) as Promise<Exports>).then((exports) => {
    if (!isHandlers(exports.default)) throw new Error("its default export is no function, and no functions by their names");
    hooks = hooksOf(exports.hooks);
    return exports;
  });
  // The worker is notified, with the printed text, before a handler can end the process. A child that cannot load ends.
  const ready = loaded.then(
    async (exports) => {
      await call(hooks, "onProcessStart");
      await print("");
      const hooked = hooks.some((each) => "onProcessStop" in each);
      await new Promise<void>((resolve) => {
        tell({ kind: "loaded", good: true, hooked, limits: limitsOfAll(exports.default) }, "", resolve);
      });
      return exports;
    },
    async (error: unknown) => {
      await print("");
      tell({ kind: "loaded", good: false }, reason(error).slice(0, MOST_REASON), () => process.exit(1));
      return undefined;
    },
  );
  const start = async (about: About, folder: string): Promise<void> => {
    const channel = channelOf((running += 1), folder);
    controller = new AbortController();
    await watched; // its thread cannot start in the folder of a task, which is removed
    const exports = await ready;
    if (!exports) return;
    const { default: handlers, serializer = new Json() } = exports;
    let end: End;
    try {
      process.chdir(folder);
      end = await attempt(about, handlers, new Context(about, controller.signal, serializer, channel), serializer, hooks);
    } catch { // the folder is gone; the task did not cause this
      end = { how: "uncounted", reason: "nofolder", again: 5 };
    }
    running += 1;
    const { body, ...rest } = end;
    tell({ kind: "end", end: rest, marked: await print(markOf(mark)) }, body);
  };
  const hear = async (): Promise<void> => {
    for await (const [message, body] of fromWorker(pipe)) {
      if (message.kind === "start") {
        const [parameters, rest] = [body.subarray(0, message.parameters), body.subarray(message.parameters)];
        tell({ kind: "begun" });
        void start({ ...message.about, parameters, checkpoint: message.checkpoint ? rest : null }, message.folder);
      }
      else if (message.kind === "stop") void call(hooks, "onProcessStop").finally(() => process.exit(0));
      else if (message.kind === "order") controller.abort(new Stopped(message.order));
      else {
        const waiting = asked.get(message.number);
        asked.delete(message.number);
        if (message.error) waiting?.reject(verdict(...message.error));
        else waiting?.resolve();
      }
    }
  };
  // The worker is gone, and its lease ends soon. Everything that was started here is killed.
  void hear().catch(() => undefined).finally(() => {
    try {
      if (mark) killOrphans(mark);
      process.kill(-process.pid, "SIGKILL");
    } finally {
      process.exit(1);
    }
  });
}

const [, , file] = process.argv;
if (process.env[MARK] && file) main(file);
