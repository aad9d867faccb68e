// The worker: takes tasks, runs their handlers, renews leases, carries orders.
import { uptime } from "node:os";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import {
  type About,
  type End,
  type Handlers,
  type Order,
  Context,
  Stopped,
  attempt,
  isHandlers,
  stopped,
} from "./attempt.js";
import * as calls from "./calls.js";
import { Child } from "./children.js";
import { Choice } from "./choice.js";
import { Client } from "./client.js";
import { type Connection, textOf } from "./connection.js";
import * as contract from "./contract.js";
import { BluequeError, InvalidCall, Lost, known } from "./errors.js";
import { number, options as optionsOf, shown } from "./given.js";
import { Home, removed } from "./home.js";
import { listenerId } from "./listener.js";
import type { Link } from "./link.js";
import { oneLine } from "./text.js";
import { type Bytes, type Call, type Names, type Seconds, written } from "./wire.js";

const LOOK = 200;
/** Milliseconds without an answer of the server after which a starting worker logs this. */
const SILENCE = 1000;

/** Options of a worker. */
export interface WorkerOptions {
  /** Maximum number of tasks that run at the same time. By default 1. */
  readonly slots?: number;
  /** Seconds after the last heartbeat for which the worker keeps a task; by default the setting of its queue. */
  readonly lease?: Seconds;
  /** Capabilities of this worker, such as `gpu,memory=64`. */
  readonly has?: Names;
  /** The name of the worker, for people. */
  readonly name?: string;
  /** Seconds after which an attempt is stopped, and has failed with the group `timeout`. */
  readonly timeLimit?: Seconds;
  /** For child processes: seconds from an order to stop to SIGKILL; SIGTERM comes halfway. By default 30. */
  readonly grace?: Seconds;
  /** For child processes: number of tasks after which a process is replaced. By default 1. */
  readonly tasksPerProcess?: number;
  /** For child processes: maximum heap in bytes; a larger heap crashes the process. By default as in Node.js. */
  readonly memory?: number;
  /** If true, `run` stops at SIGTERM and SIGINT. By default true. */
  readonly signals?: boolean;
  /** Called with the log messages of the worker. By default its begin and end, warnings and errors go to stderr. */
  readonly log?: (level: "info" | "warning" | "error", text: string) => void;
}

const OPTIONS: readonly string[] = [
  "slots", "lease", "has", "name", "timeLimit", "grace", "tasksPerProcess", "memory", "signals", "log",
];

/** An attempt that this worker holds. */
interface Held {
  readonly id: string;
  readonly queue: string;
  readonly token: number;
  readonly attempt: number;
  readonly lease: number;
  readonly began: number;
  readonly controller: AbortController;
  /** Time at which the last acknowledged renewal was sent. */
  renewed: number;
  order: Order | undefined;
  ordered: number;
  child: Child | undefined;
  over: boolean;
  /** The folder of the attempt, if the handler requested it. */
  folder: string | undefined;
  log: string;
  leftOut: number;
}

/** A task as returned by `reserve` and `finish_and_reserve`. */
type Taken = Pick<
  calls.FinishAndReserveItem,
  "id" | "queue" | "token" | "attempt" | "lease" | "parameters" | "checkpoint"
>;

/** A clock in seconds that also counts the time in which the host was suspended. */
class Clock {
  #ahead = uptime() - performance.now() / 1000;

  now(): number {
    return performance.now() / 1000 + this.#ahead;
  }

  /** Notices that the host was suspended. */
  look(): void {
    const ahead = uptime() - performance.now() / 1000;
    if (ahead > this.#ahead + 0.5) this.#ahead = ahead;
  }
}

/**
 * Takes the tasks of some queues and runs their handlers: in this process, or each in a child process.
 *
 * ```ts
 * const worker = new Worker(client, "transcode", async (film: Film, context) => { … }, { slots: 4 });
 * await worker.run(); // until SIGTERM
 * ```
 */
export class Worker implements AsyncDisposable {
  readonly #link: Link;
  readonly #queues: Choice;
  readonly #handlers: Handlers | undefined;
  readonly #file: string | undefined;
  readonly #options: WorkerOptions;
  readonly #slots: number;
  readonly #clock = new Clock();
  readonly #held = new Set<Held>();
  readonly #idle: Child[] = [];
  readonly #over = new AbortController();
  #ends: [Held, End][] = [];
  #home: Home | Error | undefined;
  #serves = false;
  #stop: "finish" | "release" | undefined;
  #finished: Promise<number> | undefined;
  #wake: (() => void) | undefined;
  #hungry: (() => void) | undefined;
  #look = true;
  #woken = false;
  #hurry = false;
  /** The seconds by which the server's clock is ahead, and when it is read again. */
  #ahead = 0;
  #readClockAt = 0;
  #done = 0;
  /** Pause without new tasks if children cannot load their file, and the end of that pause. */
  #pause = 0;
  #restsUntil = 0;

  /** The id of the listener on the server. */
  readonly listener = listenerId();

  /**
   * @param client The client of the server.
   * @param queues The queue, or several; the first one first. Or patterns: `["video-*", "!video-test"]`.
   * @param handlers The handler; or several by their methods; or a file (a `file:` URL or a path) whose default export
   *   is one of these: then each task runs in a child process.
   */
  constructor(client: Client, queues: string | readonly string[], handlers: Handlers | URL | string, options: WorkerOptions = {}) {
    if (!((client as unknown) instanceof Client)) throw new InvalidCall("BADARG", `a worker needs a Client, not ${shown(client)}.`);
    this.#link = client.link;
    if (typeof queues !== "string" && !Array.isArray(queues)) {
      throw new InvalidCall("BADARG", `the queues of a worker are names, not ${shown(queues)}.`);
    }
    if (handlers instanceof URL) this.#file = handlers.href;
    else if (typeof handlers === "string") this.#file = pathToFileURL(handlers).href;
    else if (isHandlers(handlers)) this.#handlers = handlers;
    else {
      const needed = "a function, one or more functions by their names, or a file that exports these";
      throw new InvalidCall("BADARG", `a worker needs ${needed}, not ${shown(handlers)}.`);
    }
    optionsOf("a worker", options, OPTIONS);
    number("slots", options.slots, 1, true);
    number("lease", options.lease, 0);
    number("timeLimit", options.timeLimit, 0);
    number("grace", options.grace, 0);
    number("tasksPerProcess", options.tasksPerProcess, 1, true);
    number("memory", options.memory, 1, true);
    this.#options = options;
    this.#slots = options.slots ?? 1;
    const names = typeof queues === "string" ? [queues] : [...(queues as readonly string[])];
    this.#queues = new Choice(this.#link, this.listener, names, options.has);
  }

  /** Takes no more tasks; `run` resolves when the running tasks have ended. `release`: gives these back at once. */
  stop(options: { readonly release?: boolean } = {}): void {
    const stop = options.release ? "release" : "finish";
    if (this.#stop !== "release" && this.#stop !== stop) {
      this.#stop = stop;
      if (this.#serves) this.#say("info", this.#stopping(stop));
    }
    this.#awake();
  }

  /**
   * Runs until stopped by {@link stop}, SIGTERM or SIGINT. A second signal gives back the running tasks.
   *
   * @returns The number of attempts that have ended here.
   */
  run(): Promise<number> {
    this.#finished ??= this.#run();
    return this.#finished;
  }

  /** Stops, and waits for the running tasks. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.#finished;
  }

  #stopping(stop: "finish" | "release"): string {
    const tasks = this.#held.size === 1 ? "1 task" : `${this.#held.size} tasks`;
    if (!this.#held.size) return "takes no more tasks";
    if (stop === "release") return `gives back ${tasks}`;
    const again = this.#options.signals === false ? "" : "; a second signal gives back what runs";
    return `takes no more, finishes ${tasks}${again}`;
  }

  async #run(): Promise<number> {
    await this.#load();
    await this.#handshake();
    this.#home = await Home.make().catch((error: unknown) => known(error));
    // Handlers in this process may need no folders.
    if (this.#file !== undefined && this.#home instanceof Error) throw this.#home;
    try {
      return await this.#serve();
    } finally {
      if (this.#home instanceof Home) await this.#home.remove();
    }
  }

  /** Loads the file of the handlers in a child, because every task fails with an unusable file. */
  async #load(): Promise<void> {
    if (this.#file === undefined) return;
    const child = new Child(this.#file, this.#options.memory);
    const error = await child.loads();
    await child.end();
    if (error === undefined) return;
    const text = `the file of the handlers, ${this.#file}, cannot be used: ${error}.`;
    throw new InvalidCall("BADARG", text, undefined, "Correct it, and start the worker again.");
  }

  /** Waits for the server. */
  async #handshake(): Promise<void> {
    const { limit, connection } = this.#link;
    const until = new Date(Date.now() + limit * 1000).toLocaleTimeString("en-GB");
    const silence = setTimeout(() => {
      const why = connection.trouble ? `: ${textOf(connection.trouble)}` : "";
      this.#say("warning", `no answer from ${connection.place} yet${why}; tries until ${until}`);
    }, SILENCE);
    try {
      await this.#link.run(calls.handshake());
    } finally {
      clearTimeout(silence);
    }
  }

  async #serve(): Promise<number> {
    await this.#queues.register();
    const connections = [this.#link.connection.duplicate(), this.#link.connection.duplicate()] as const;
    const ticks = setInterval(() => {
      this.#tick();
    }, LOOK);
    const end = (): void => {
      this.stop({ release: this.#stop !== undefined });
    };
    const signals = this.#options.signals === false ? [] : (["SIGTERM", "SIGINT"] as const);
    for (const signal of signals) process.on(signal, end);
    try {
      void this.#wait(connections[0]);
      void this.#orders(connections[1]);
      void this.#repeat(() => this.#report());
      void this.#repeat(() => this.#maintenance());
      void this.#repeat(() => this.#logs());
      const slots = this.#slots === 1 ? "1 slot" : `${this.#slots} slots`;
      const where = `${slots}, ${this.#link.connection.place}, bundle ${contract.VERSION}`;
      if (!this.#stop) {
        this.#serves = true;
        this.#say("info", `takes tasks of ${this.#queues.names.join(", ")} as ${this.listener}: ${where}`);
      }
      await this.#desk();
    } finally {
      this.#serves = false;
      this.#over.abort();
      this.#hungry?.();
      clearInterval(ticks);
      for (const signal of signals) process.off(signal, end);
      for (const connection of connections) connection.close();
      await Promise.all(this.#idle.map((child) => child.end()));
      await this.#queues.unregister();
    }
    return this.#done;
  }

  #say(level: "info" | "warning" | "error", text: string): void {
    const line = oneLine(text); // others choose names and errors
    if (this.#options.log) this.#options.log(level, line);
    else console.error(`blueque: ${line}`);
  }

  /** Repeats a job until the worker is over. The job returns the seconds until its next run. */
  async #repeat(job: () => Promise<number>): Promise<void> {
    while (!this.#over.signal.aborted) {
      let after: number = contract.REPORT_AGAIN;
      try {
        after = await job();
      } catch (error) {
        // At the end its connection is closed.
        if (!this.#isOver()) this.#say("warning", known(error).message);
      }
      await this.#sleep(after * 1000);
    }
  }

  #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  async #sleep(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#over.signal }).catch(() => undefined);
  }

  /** Repeats a call until the server has acknowledged it, because hours of work may depend on the call. */
  async #insist<T>(call: Call<T>, giveUp = false): Promise<T> {
    for (;;) {
      try {
        return await this.#link.run(call);
      } catch (error) {
        if (!(error instanceof BluequeError) || !error.transient || (giveUp && this.#stop)) throw error;
        this.#say("warning", `the server is away: ${error.message}`);
        await sleep(contract.CALL_AGAIN * 1000);
      }
    }
  }

  // The desk: ends attempts and takes the next tasks

  async #desk(): Promise<void> {
    for (;;) {
      const ends = this.#gathered();
      if (ends.length) this.#look = true;
      const rests = this.#clock.now() < this.#restsUntil;
      const free = this.#stop || rests ? 0 : Math.min(this.#slots - this.#held.size + ends.length, contract.ENDS_OF_CALL);
      if (ends.length || (free && this.#look)) {
        const taken = await this.#finishAndReserve(ends, free);
        // The queues found before may have no tasks left, while other queues have.
        this.#look = taken || (ends.length > 0 && this.#queues.byPattern);
        // Attempts that have ended in between are sent together.
        if (this.#slots > 1) await turn();
      } else if (this.#stop && !this.#held.size) return;
      else {
        const awake = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        if (free) this.#hungry?.();
        if (!this.#ends.length) await awake;
        this.#wake = undefined;
        if (this.#slots > 1) await turn();
      }
    }
  }

  #awake(): void {
    this.#wake?.();
  }

  #gathered(): [Held, End][] {
    let [count, size] = [0, 0];
    for (const [, end] of this.#ends) {
      if (count === contract.ENDS_OF_CALL || size >= contract.CALL_BYTES) break;
      count += 1;
      size += bytesOf(end);
    }
    return this.#ends.splice(0, count);
  }

  /** Returns true if tasks were taken. */
  async #finishAndReserve(ends: readonly [Held, End][], free: number): Promise<boolean> {
    const together: [Held, End][] = [];
    for (const [held, end] of ends) {
      const simple = end.next === undefined && end.reason === undefined && bytesOf(end) <= contract.END_BYTES;
      if (simple && held.order !== "lost") together.push([held, end]);
      else await this.#endAlone(held, end);
    }
    if (!together.length) return free > 0 && this.#reserve(free);
    const each = together.map(([held, end]) => ({
      ending: end.how,
      id: held.id,
      token: held.token,
      body: end.how === "release" || end.how === "uncounted" ? "" : (end.body ?? ""),
      group: end.group?.slice(0, 1000) ?? "",
      again: end.again ?? null,
      cost: "",
    }));
    const woken = free ? this.#wasWoken() : undefined;
    const queues = free && (await this.#looks(woken)) ? this.#queues.now : "";
    const options = { pid: process.pid, lease: this.#options.lease, woken: queues ? woken : undefined };
    const sent = this.#clock.now();
    let reply: calls.FinishAndReserveReply;
    try {
      reply = await this.#insist(calls.finishAndReserve(this.listener, queues, Math.max(free, 1), each, options).once());
    } catch (error) {
      this.#say("error", `the ends are refused together: ${known(error).message}`);
      for (const [held, end] of together) await this.#endAlone(held, end);
      return free > 0 && this.#reserve(free);
    }
    const verdicts = (reply.verdicts ?? "").split(" ");
    together.forEach(([held, end], at) => {
      this.#gave(held, end, verdicts[at] ?? "");
    });
    if (reply.refusal) await this.#refused(reply.refusal);
    return this.#took(reply.items, sent);
  }

  async #reserve(free: number): Promise<boolean> {
    const options = { limit: free, pid: process.pid, lease: this.#options.lease, woken: this.#wasWoken() };
    try {
      for (let found = await this.#looks(options.woken, true); found; ) {
        const sent = this.#clock.now();
        const call = calls.reserve(this.listener, this.#queues.now, options).once();
        if (this.#took((await this.#insist(call, true)) ?? [], sent)) return true;
        found = this.#queues.byPattern && (await this.#queues.more());
      }
      return false;
    } catch (error) {
      // A call with an invalid lease, for example, is refused at each repetition.
      if (error instanceof InvalidCall && !this.#held.size) throw error;
      const { code, message } = known(error);
      await this.#refused(code);
      if (code !== "NOLISTENER" && code !== "DRAINING") this.#say("error", `takes no tasks: ${message}`);
      await this.#sleep(contract.CALL_AGAIN * 1000);
      return false;
    }
  }

  /** Returns true if there are queues to ask. */
  async #looks(woken: true | undefined, fresh = false): Promise<boolean> {
    try {
      return await this.#queues.look(woken, fresh);
    } catch (error) {
      // A call with an invalid pattern, for example, is refused at each repetition.
      if (error instanceof InvalidCall && !this.#held.size) throw error;
      this.#say("warning", `finds no queues: ${known(error).message}`);
      return false;
    }
  }

  #wasWoken(): true | undefined {
    const woken = this.#woken;
    this.#woken = false;
    return woken || undefined;
  }

  async #refused(code: string): Promise<void> {
    if (code === "NOLISTENER") {
      await this.#queues.register().catch((error: unknown) => {
        this.#say("warning", known(error).message);
      });
    } else if (code === "DRAINING" && !this.#stop) {
      this.#say("info", "was told to drain");
      this.stop();
    }
  }

  #took(items: readonly Taken[], sent: number): boolean {
    for (const item of items) void this.#attempt(item, sent);
    return items.length > 0;
  }

  /** Ends an attempt with its own call. */
  async #endAlone(held: Held, end: End): Promise<void> {
    if (held.order === "lost") {
      this.#gave(held, end, "LOST");
      return;
    }
    let verdict: string;
    try {
      verdict = await this.#insist(callOf(held, end));
    } catch (error) {
      verdict = known(error).code;
      if (!(error instanceof Lost)) {
        const text = `the end of the attempt was refused: ${known(error).message}`;
        this.#say("error", `task ${held.id}: ${text}`);
        const call: Call<string> = calls.fail(held.id, held.token, text, { group: "refused" });
        verdict = await this.#insist(call).catch(() => verdict);
      }
    }
    this.#gave(held, end, verdict);
  }

  #gave(held: Held, end: End, verdict: string): void {
    this.#held.delete(held);
    this.#done += 1;
    if (!this.#options.log && verdict !== "LOST" && verdict !== "failed") return;
    const failed = end.how === "fail" || end.how === "final";
    const why = failed ? `: ${String(end.body ?? "").split("\n", 1)[0] ?? ""}` : "";
    const level = verdict === "LOST" || verdict === "failed" ? "warning" : "info";
    this.#say(level, `task ${held.id} attempt ${held.attempt}: ${verdict}${why}`);
  }

  // Attempts

  async #attempt(item: Taken, sent: number): Promise<void> {
    const held: Held = {
      id: item.id,
      queue: item.queue,
      token: item.token,
      attempt: item.attempt,
      lease: item.lease / 1e6,
      began: this.#clock.now(),
      controller: new AbortController(),
      renewed: sent,
      order: undefined,
      ordered: 0,
      child: undefined,
      over: false,
      folder: undefined,
      log: "",
      leftOut: 0,
    };
    this.#held.add(held);
    let end: End;
    try {
      end = await this.#handled(held, item);
    } catch (error) {
      // A full disk or a removed release of the program, for example, is not the task's fault.
      this.#say("error", `task ${held.id} attempt ${held.attempt}: cannot begin: ${known(error).message}`);
      end = { how: "uncounted", reason: "noprocess", again: 5 };
    }
    held.over = true;
    if (held.folder) await removed(held.folder);
    if (held.log) await this.#flush(held);
    this.#ends.push([held, end]);
    this.#awake();
  }

  async #handled(held: Held, item: Taken): Promise<End> {
    // Chooses one of several handlers.
    const several = typeof this.#handlers !== "function";
    const method = several ? ((await this.#insist(calls.get(item.id)))?.method ?? null) : null;
    const { id, queue, parameters, checkpoint } = item;
    const about: About = { id, queue, method, attempt: item.attempt, parameters, checkpoint };
    const way = {
      persist: (kind: "checkpoint" | "progress", body: Bytes): Promise<void> => this.#persist(held, kind, body),
      log: (text: string): void => {
        if (held.log.length < contract.LOG_KEPT_BYTES) held.log += text;
        else held.leftOut += text.length;
      },
      folder: (): string => (held.folder ??= this.#folder()),
    };
    // The reply that gave out the task may be old: this process was frozen, or the server away.
    this.#watch(held, this.#clock.now());
    if (held.order) return stopped(held.order);
    const { serializer } = this.#link;
    if (this.#handlers) {
      const context = new Context(about, held.controller.signal, serializer, way);
      return attempt(about, this.#handlers, context, serializer);
    }
    const most = this.#options.tasksPerProcess ?? 1;
    for (;;) {
      let child = this.#idle.pop();
      while (child?.over) child = this.#idle.pop();
      child ??= new Child(this.#file ?? "", this.#options.memory);
      held.child = child;
      const left = held.renewed + held.lease - this.#clock.now();
      const end = await child.run(about, way, child.begun + 1 >= most, left, () => {
        this.#watch(held, this.#clock.now()); // it may be gone because the lease has passed
        return held.order;
      });
      held.child = undefined;
      if (child.unusable === undefined) this.#pause = 0;
      else this.#rest(child.unusable);
      if (!child.over) this.#idle.push(child);
      if (end) return child.unusable === undefined ? end : { ...end, again: this.#pause };
    }
  }

  /** Takes no tasks for a while, because a child ended before it loaded its handlers. Each further pause is longer. */
  #rest(why: string): void {
    const now = this.#clock.now();
    if (now < this.#restsUntil) return;
    this.#pause = Math.min(Math.max(1, 2 * this.#pause), contract.LONGEST_REST);
    this.#restsUntil = now + this.#pause;
    this.#say("error", `the file of the handlers cannot be used: ${why}: takes nothing for ${this.#pause} s`);
    setTimeout(() => {
      this.#look = true;
      this.#awake();
    }, this.#pause * 1000 + 1).unref();
  }

  #folder(): string {
    if (this.#home instanceof Home) return this.#home.folder();
    throw this.#home ?? new BluequeError("WORKER", "the worker has ended.");
  }

  async #persist(held: Held, kind: "checkpoint" | "progress", body: Bytes): Promise<void> {
    const call: Call<unknown> =
      kind === "checkpoint"
        ? calls.checkpoint(held.id, held.token, body, { maxBytes: contract.RESULT_BYTES })
        : calls.progress(held.id, held.token, body);
    for (;;) {
      try {
        await this.#link.run(call);
        return;
      } catch (error) {
        if (error instanceof Lost) this.#order(held, "lost", true);
        if (!(error instanceof BluequeError) || !error.transient || held.order) throw error;
        await sleep(contract.CALL_AGAIN * 1000);
      }
    }
  }

  /** Sends the log output of its handler. */
  async #flush(held: Held): Promise<void> {
    while (held.log) {
      // A character of UTF-16 is at most three bytes.
      const text = held.log.slice(0, Math.floor(contract.LOG_PIECE_BYTES / 3));
      held.log = held.log.slice(text.length);
      await this.#link.run(calls.appendLog(held.id, held.token, "log", text.toWellFormed()), 5).catch(() => undefined);
      if (!held.log && held.leftOut) {
        held.log = `[${held.leftOut} characters were left out]\n`;
        held.leftOut = 0;
      }
    }
  }

  async #logs(): Promise<number> {
    for (const held of this.#held) if (!held.over) await this.#flush(held);
    return 1;
  }

  /** Waits for wake-ups while a slot is free. */
  async #wait(connection: Connection): Promise<void> {
    let hungry = new Promise<void>((resolve) => {
      this.#hungry = resolve;
    });
    for (;;) {
      await hungry;
      if (this.#over.signal.aborted) return;
      hungry = new Promise<void>((resolve) => {
        this.#hungry = resolve;
      });
      const lists = this.#queues.lists();
      const [first] = lists;
      try {
        // Patterns without a list: it looks again.
        if (first === undefined) await this.#sleep(contract.CALL_AGAIN * 1000);
        const woken = first === undefined ? null : await connection.send(first, ["BLPOP", ...lists, "5"]);
        if (first !== undefined && Array.isArray(woken)) {
          if (this.#stop || this.#held.size >= this.#slots) {
            // For another listener. The wake-up expires if there is none.
            await this.#link.connection.send(first, ["LPUSH", written(woken[0]), "1"]);
            await this.#link.connection.send(first, ["EXPIRE", written(woken[0]), String(contract.WAKE_UP_EXPIRES)]);
          } else this.#woken = true;
        }
      } catch {
        await this.#sleep(contract.CALL_AGAIN * 1000);
      }
      this.#look = true;
      this.#awake();
    }
  }

  // Background work: heartbeats, orders, limits

  #order(held: Held, order: Order | "kill", atOnce = false): void {
    if (held.over || held.order === order || held.order === "lost") return;
    if (held.order && order !== "lost" && order !== "kill") return;
    held.order = order === "kill" ? "cancel" : order;
    held.ordered = atOnce ? -Infinity : this.#clock.now();
    if (this.#options.log) this.#say("info", `task ${held.id} attempt ${held.attempt} is to stop: ${order}`);
    held.controller.abort(new Stopped(held.order));
    held.child?.order(held.order);
  }

  readonly #due = new Map<string, number>();

  #tick(): void {
    this.#clock.look();
    const now = this.#clock.now();
    const groups = new Map<string, Held[]>();
    for (const held of this.#held) {
      this.#watch(held, now);
      const group = `${held.queue} ${held.lease}`;
      const members = groups.get(group);
      if (members) members.push(held);
      else groups.set(group, [held]);
    }
    const hurry = this.#hurry;
    this.#hurry = false;
    for (const group of this.#due.keys()) if (!groups.has(group)) this.#due.delete(group);
    for (const [group, members] of groups) {
      const [{ queue, lease }] = members as [Held];
      const due = this.#due.get(group) ?? now + lease / contract.HEARTBEATS_PER_LEASE;
      this.#due.set(group, due);
      if (!hurry && now < due) continue;
      this.#due.set(group, now + lease / contract.HEARTBEATS_PER_LEASE);
      const most = contract.TASKS_OF_HEARTBEAT;
      for (let at = 0; at < members.length; at += most) void this.#heartbeat(queue, lease, members.slice(at, at + most));
    }
  }

  async #heartbeat(queue: string, lease: number, members: readonly Held[]): Promise<void> {
    const sent = this.#clock.now();
    const call = calls.heartbeat(queue, this.listener, lease, members);
    try {
      const { items } = await this.#link.run(call, Math.max(lease / contract.HEARTBEAT_PART, 1));
      members.forEach((held, at) => {
        const order = items[at];
        if (order === "lost" || order === "kill") this.#order(held, order, true);
        else {
          held.renewed = sent;
          held.child?.renewed(sent + lease - this.#clock.now());
          if (order === "drain") this.stop();
          else if (order && order !== "continue") this.#order(held, order);
        }
      });
    } catch (error) {
      this.#say("warning", `no heartbeat: ${known(error).message}`);
    }
  }

  /** Enforces the limits of an attempt, by signals if it does not stop. */
  #watch(held: Held, now: number): void {
    if (held.over) return;
    const left = held.renewed + held.lease - now;
    const { grace = 30, timeLimit = Infinity } = this.#options;
    if (left <= 0 || (left <= Math.min(grace, held.lease / 6) && !held.order)) this.#order(held, "lost");
    if (!held.order && now - held.began > timeLimit) this.#order(held, "timeout");
    if (!held.order && this.#stop === "release") this.#order(held, "drain");
    if (!held.order || !held.child) return;
    const since = now - held.ordered;
    // When a lost lease has passed, the next owner may run the task.
    if (since > grace || (held.order === "lost" && left <= 0)) held.child.kill("SIGKILL");
    else if (since > grace / 2) held.child.kill("SIGTERM");
  }

  /** Sends a heartbeat at once after an order was announced, instead of at the next interval. */
  async #orders(connection: Connection): Promise<void> {
    const { byPattern, names } = this.#queues;
    const channels = (byPattern ? ["*"] : names).map((name) => `${this.#link.namespace}_orders_${name}`);
    while (!this.#over.signal.aborted) {
      try {
        const hear = (): void => {
          this.#hurry = true;
          void this.#report().catch(() => undefined);
        };
        await connection.subscribe(channels, hear, byPattern);
        this.#hurry = true;
        return;
      } catch {
        await this.#sleep(contract.CALL_AGAIN * 1000);
      }
    }
  }

  async #report(): Promise<number> {
    const { has, name } = this.#options;
    const free = Math.max(this.#slots - this.#held.size, 0);
    const methods = this.#handlers && typeof this.#handlers !== "function" ? Object.keys(this.#handlers) : undefined;
    const patterns = this.#queues.byPattern ? this.#queues.names.join(",") : undefined;
    const about = { has, name, methods, patterns, version: `node-${contract.VERSION}`, draining: this.#stop !== undefined };
    const orders = await this.#link.run(calls.report(this.listener, this.#slots, free, this.#queues.now, about));
    if (orders.includes("drain") && !this.#stop) {
      this.#say("info", "was told to drain");
      this.stop();
    }
    return contract.REPORT_EVERY;
  }

  /** The seconds by which the server's clock is ahead of this host's. */
  async #serverAhead(): Promise<number> {
    if (performance.now() >= this.#readClockAt) {
      const { now } = await this.#link.run(calls.handshake());
      this.#ahead = now - Date.now() / 1000;
      this.#readClockAt = performance.now() + contract.CLOCK_EVERY * 1000;
    }
    return this.#ahead;
  }

  /** The maintenance that every worker does. */
  async #maintenance(): Promise<number> {
    const ahead = await this.#serverAhead();
    let after: number = contract.MAINTENANCE_EVERY;
    for (const names of await this.#queues.toKeep()) {
      const reply = await this.#link.run(calls.maintenance(names));
      if (reply.trouble) this.#say("warning", `maintenance: ${reply.trouble}`);
      after = Math.min(after, reply.more ? 0 : Math.max(reply.next - ahead - Date.now() / 1000, 0.05));
    }
    return after;
  }
}

function bytesOf(end: End): number {
  return end.body === undefined ? 0 : Buffer.byteLength(end.body);
}

/** The call that ends an attempt. */
export function callOf(held: Pick<Held, "id" | "token">, end: End): Call<string> {
  const { id, token } = held;
  const { group, again } = end;
  if (end.how === "complete") {
    const { next, method } = end;
    return calls.complete(id, token, end.body ?? "", { maxBytes: contract.RESULT_BYTES, next, method });
  }
  if (end.how === "fail" || end.how === "final") {
    return calls.fail(id, token, end.body ?? "", { group, again, final: end.how === "final" || undefined });
  }
  const word = end.reason?.replace(/[^A-Za-z0-9._:@-]+/g, "-").slice(0, 128);
  const reason = word === "" ? undefined : word;
  return calls.release(id, token, { reason, again, uncounted: end.how === "uncounted" || undefined });
}

