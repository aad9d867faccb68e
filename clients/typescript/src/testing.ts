// Private servers for tests and examples: `import { Server } from "@blueque/client/testing"`.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Client, type ClientOptions } from "./client.js";
import { Unsuitable } from "./errors.js";

function installed(): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = ["redis-server", "valkey-server"].find((name) => folders.some((folder) => existsSync(join(folder, name))));
  if (found) return found;
  throw new Unsuitable("SERVER", "there is no redis-server and no valkey-server: install one, or set BLUEQUE_REDIS_SERVER.");
}

/**
 * A private server on a Unix socket, for as long as the block lasts: `redis-server` or `valkey-server` of the path, or the
 * program in `BLUEQUE_REDIS_SERVER`. Calls wait until it has started.
 *
 * ```ts
 * await using server = new Server();
 * await using client = server.client();
 * ```
 */
export class Server implements AsyncDisposable {
  /** Where its socket and its data are; removed at the end. */
  readonly folder = mkdtempSync(join(tmpdir(), "blueque-server-"));
  /** The way to it. */
  readonly url = `unix://${this.folder}/socket`;
  readonly #arguments: readonly string[];
  #process: ChildProcess;

  /** @param more Arguments of the server, such as `--requirepass`. */
  constructor(...more: string[]) {
    this.#arguments = more;
    this.#process = this.#start();
  }

  #start(): ChildProcess {
    const program = process.env["BLUEQUE_REDIS_SERVER"] ?? installed();
    const own = ["--port", "0", "--unixsocket", `${this.folder}/socket`, "--dir", this.folder, "--save", ""];
    return spawn(program, [...own, "--appendonly", "yes", ...this.#arguments], { stdio: "ignore" });
  }

  /** Ends the server as a crash would. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
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
