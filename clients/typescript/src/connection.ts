// The connections to the server: a client of node-redis of any kind.
import { setMaxListeners } from "node:events";
import { RESP_TYPES } from "redis";
import { type Make, fromUrl, placeOf } from "./address.js";
import { BluequeError, ConnectionFailed } from "./errors.js";
import { shown } from "./argument-checks.js";
import { behind, isFinal, isReply, mistake } from "./server-errors.js";
import type { Argument, Reply } from "./wire.js";

/** The common interface of a client, a cluster and a Sentinel of node-redis. */
export interface NodeRedis {
  /** True if the client was connected. */
  readonly isOpen: boolean;
  /** Connects the client. */
  connect(): Promise<unknown>;
  /** A client with the same options and its own connections. */
  duplicate(): unknown;
  /** Called with errors of the connection. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Closes its connections at once. */
  destroy(): unknown;
  /** A client with the same connections and another form of replies. */
  withTypeMapping(mapping: Record<number, unknown>): unknown;
}

type Send = (...words: unknown[]) => Promise<Reply>;
type Listener = (message: Buffer | string) => void;

/** Maximum wait for a reply. */
const PATIENCE = 15_000;
/** Milliseconds for which a client that no server has answered tries to connect to an address that refuses connections. */
const FIRST_REFUSAL = 500;
/** Errors of an address without a server. */
const REFUSALS = ["ECONNREFUSED", "ENOENT", "ENOTFOUND"];
/** Payloads are bytes. */
const BYTES = { [RESP_TYPES.BLOB_STRING]: Buffer };

function isNodeRedis(server: unknown): boolean {
  const parts = ["connect", "duplicate", "on", "destroy", "withTypeMapping"];
  const given = server as Record<string, unknown> | null | undefined;
  return parts.every((part) => typeof given?.[part] === "function");
}

function closed(): ConnectionFailed {
  return new ConnectionFailed("CONNECTION", "the client was closed.", undefined, "Make a new client, or close it later.");
}

/** Connections to a server, a cluster, or the master that Sentinels name. */
export class Connection {
  readonly #make: Make;
  #closing = closing();
  #server: NodeRedis;
  #send: (key: string, words: Argument[]) => Promise<Reply>;
  #connecting: Promise<unknown> | undefined;
  #closed = false;
  readonly #waits = new Set<(error: Error) => void>();
  /** The last error of the connections, unless a reply has arrived since. */
  trouble: Error | undefined;
  #began = performance.now();

  /**
   * @param place The address for messages, without the login.
   * @param hurries True to give up an address that refuses connections, until the server has replied once.
   */
  constructor(
    server: string | NodeRedis, readonly place = typeof server === "string" ? placeOf(server) : "the server", make?: Make,
    private hurries = true,
  ) {
    if (typeof server !== "string" && !isNodeRedis(server)) {
      throw new ConnectionFailed("CONNECTION", `${shown(server)} is neither a URL nor a client of node-redis.`);
    }
    const own = typeof server === "string" ? fromUrl(server) : make;
    this.#make = own ?? (() => (server as NodeRedis).duplicate() as NodeRedis);
    this.#server = own ? own(this.#closing.signal) : (server as NodeRedis);
    this.#send = this.#adopt(this.#server);
  }

  #adopt(server: NodeRedis): (key: string, words: Argument[]) => Promise<Reply> {
    // Each call is tried again, and throws the last error if it is given up.
    server.on("error", (error: Error | string) => {
      if (server !== this.#server) return;
      // The error of a Sentinel may be a text.
      const found = behind(error);
      const trouble = found instanceof Error ? found : new Error(String(found));
      this.trouble = trouble;
      // Node-redis searches without end, so the first connection gives up here. Later, another node may be right.
      if (this.#connecting && (mistake(trouble) || this.isHopeless(trouble))) for (const giveUp of this.#waits) giveUp(trouble);
    });
    const mapped = server.withTypeMapping(BYTES) as { sendCommand: Send };
    if ("nodeClient" in server) return (key, words) => mapped.sendCommand(key, false, words);
    if ("getMasterNode" in server || "acquire" in server) return (_, words) => mapped.sendCommand(false, words);
    return (_, words) => mapped.sendCommand(words);
  }

  /** Returns true if the server has never replied, and its address has refused connections for half a second. */
  isHopeless(error: unknown): boolean {
    const { code } = (error ?? {}) as NodeJS.ErrnoException;
    return this.hurries && REFUSALS.includes(code ?? "") && performance.now() - this.#began > FIRST_REFUSAL;
  }

  async #connect(patience: number): Promise<void> {
    if (this.#closed) throw closed();
    if (!this.#server.isOpen || this.#connecting) {
      if (!this.#connecting) this.#began = performance.now();
      const server = this.#server;
      this.#connecting ??= server
        .connect()
        .catch((error: unknown) => {
          throw behind(error);
        })
        .finally(() => {
          this.#connecting = undefined;
          // The connection was closed or given up before it was made, so it must be closed here.
          if (this.#closed || this.#server !== server) destroy(server);
        });
      await this.#within(this.#connecting, patience);
    }
  }

  /** Sends a command about a key. */
  async send(key: string, words: Argument[], patience = PATIENCE): Promise<Reply> {
    const server = this.#server;
    let connected = false;
    try {
      if (this.#closed || !server.isOpen || this.#connecting) await this.#connect(patience);
      connected = true;
      const reply = await this.#within(this.#send(key, words), Math.min(patience, PATIENCE));
      this.trouble = undefined;
      this.hurries = false;
      return reply;
    } catch (error) {
      if (isReply(error) || isFinal(error) || error instanceof BluequeError) throw error;
      if (error instanceof Silence && connected && this.#server === server) this.#renew();
      throw this.#cause(error as Error);
    }
  }

  /** The reason why there is no answer, if known. */
  #cause(error: Error): Error {
    const trouble = this.trouble;
    if (!trouble || trouble === error) return error;
    if (isFinal(trouble) || trouble instanceof BluequeError) return trouble;
    const text = textOf(trouble);
    return new Error(error instanceof Silence ? text : `${error.message}: ${text}`);
  }

  /** Gives up a connection that does not answer. */
  #renew(): void {
    if (this.#closed) return;
    const [before, closes] = [this.#server, this.#closing];
    this.#closing = closing();
    this.#server = this.#make(this.#closing.signal);
    this.#send = this.#adopt(this.#server);
    this.#connecting = undefined;
    destroy(before);
    closes.abort();
  }

  /** A client with the same options and its own connections. By default it hurries like this client. */
  duplicate(hurries = this.hurries): Connection {
    return new Connection(this.#server, this.place, this.#make, hurries);
  }

  /** Receives the messages of channels, or of all channels that match patterns, until closed. Reconnects if needed. */
  async subscribe(channels: readonly string[], listener: Listener, byPattern = false): Promise<void> {
    await this.#connect(PATIENCE);
    type Subscribe = (channels: string[], listener: Listener) => Promise<void>;
    const server = this.#server as unknown as { subscribe: Subscribe; pSubscribe: Subscribe };
    const heard = byPattern ? server.pSubscribe([...channels], listener) : server.subscribe([...channels], listener);
    await this.#within(heard, PATIENCE);
  }

  /** Closes the connections; calls that wait for a reply fail. */
  close(): void {
    this.#closed = true;
    destroy(this.#server);
    this.#closing.abort();
    for (const giveUp of this.#waits) giveUp(closed());
  }

  #within<T>(promise: Promise<T>, patience: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Silence("it does not reply"));
      }, patience);
      const over = (): void => {
        clearTimeout(timer);
        this.#waits.delete(giveUp);
      };
      const giveUp = (error: Error): void => {
        over();
        reject(error);
      };
      this.#waits.add(giveUp);
      promise.then(resolve, reject).finally(over);
    });
  }
}

/** Ends the connections of a client of node-redis. A client of a cluster has many connections. */
function closing(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

function destroy(server: NodeRedis): void {
  try {
    // Sentinel returns a promise.
    void Promise.resolve(server.destroy()).catch(() => undefined);
  } catch {
    // The client was closed already.
  }
}

/** The text of an error. An error of several addresses has no text of its own. */
export function textOf(error: Error): string {
  return error.message || ((error as NodeJS.ErrnoException).code ?? "");
}

/** No answer in time. */
class Silence extends Error {}
