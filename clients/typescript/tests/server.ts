// Servers of the tests' own.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type ClientOptions } from "@blueque/client";

/** A private server on a socket, for as long as the block lasts. */
export class Server implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "blueque-server-"));
  readonly url = `unix://${this.folder}/socket`;
  readonly #arguments: readonly string[];
  #process: ChildProcess;

  constructor(...more: string[]) {
    this.#arguments = more;
    this.#process = this.#start();
  }

  #start(): ChildProcess {
    const program = process.env["BLUEQUE_REDIS_SERVER"] ?? "redis-server";
    const own = ["--port", "0", "--unixsocket", `${this.folder}/socket`, "--dir", this.folder, "--save", ""];
    return spawn(program, [...own, "--appendonly", "yes", ...this.#arguments], { stdio: "ignore" });
  }

  /** Ends the server as a crash would. */
  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGKILL");
    await gone;
  }

  /** Starts it again with its data. */
  restart(): void {
    this.#process = this.#start();
  }

  /** Stops it for a while. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#process.kill(signal);
  }

  /** A client in a namespace of its own. */
  client(options: ClientOptions = {}): Client {
    return new Client(this.url, { namespace: `t${randomUUID()}`, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Waits for a condition. */
export async function becomes(what: () => boolean | Promise<boolean>, seconds = 30): Promise<void> {
  const until = performance.now() + seconds * 1000;
  while (!(await what())) {
    if (performance.now() > until) throw new Error(`not within ${seconds} s: ${what.toString()}`);
    await sleep(10);
  }
}
