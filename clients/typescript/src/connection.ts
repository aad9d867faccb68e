// The way to the server: a client of node-redis, and what it may be.
import { ErrorReply, RESP_TYPES, ReconnectStrategyError, createClient } from "redis";
import { ConnectionFailed } from "./errors.js";
import { shown } from "./given.js";
import type { Argument, Reply } from "./wire.js";

/** What a client, a cluster and a Sentinel of node-redis have in common. */
export interface NodeRedis {
  /** Whether it was connected. */
  readonly isOpen: boolean;
  /** Connects it. */
  connect(): Promise<unknown>;
  /** The same with connections of its own. */
  duplicate(): unknown;
  /** Hears of its errors. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Closes its connections at once. */
  destroy(): unknown;
  /** The same with replies of another kind. */
  withTypeMapping(mapping: Record<number, unknown>): unknown;
}

type Send = (...words: unknown[]) => Promise<Reply>;
type Listener = (message: Buffer | string) => void;

/** The longest time in which one reply is awaited. */
const PATIENCE = 15_000;
/** Payloads are bytes. */
const BYTES = { [RESP_TYPES.BLOB_STRING]: Buffer };

function fromUrl(url: string): NodeRedis {
  const socket = {
    connectTimeout: 5000,
    reconnectStrategy: (retries: number, cause: Error) =>
      isRefusal(cause) ? cause : Math.min(20 * 2 ** retries, 500) * (0.5 + Math.random() / 2),
  };
  // Each call has a limit of its own; node-redis would make a signal for each command.
  const common = { RESP: 2, disableOfflineQueue: true, commandOptions: { timeout: 0 } } as const;
  // With a login it is no URL by the standard, as it has no host.
  const local = /^unix:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?(\/[^?]+)(?:\?(.*))?$/.exec(url);
  if (local) {
    const [, user, secret, path = "", query] = local;
    const more = new URLSearchParams(query);
    const username = decodeURIComponent(user ?? "") || more.get("user");
    const password = decodeURIComponent(secret ?? "") || more.get("pass");
    const login = { ...(username && { username }), ...(password && { password }) };
    const database = Number(more.get("db") ?? 0);
    const own = { ...socket, path: decodeURIComponent(path), tls: false } as const;
    return createClient({ ...common, ...login, database, socket: own });
  }
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    // Not as the cause, which has the URL with its password.
    throw new ConnectionFailed("CONNECTION", "the URL is malformed.");
  }
  if (!["redis:", "rediss:"].includes(parsed.protocol)) {
    const found = `the URL begins with ${parsed.protocol}, not with redis:, rediss: or unix:.`;
    throw new ConnectionFailed("CONNECTION", found);
  }
  try {
    return createClient({ ...common, url, socket });
  } catch {
    throw new ConnectionFailed("CONNECTION", "the URL is wrong.");
  }
}

function isNodeRedis(server: unknown): boolean {
  const parts = ["connect", "duplicate", "on", "destroy", "withTypeMapping"];
  const given = server as Record<string, unknown> | null | undefined;
  return parts.every((part) => typeof given?.[part] === "function");
}

/** Whether it is an error that the server has replied, of whichever copy of the package. */
export function isReply(error: unknown): error is Error {
  if (error instanceof ErrorReply) return true;
  for (let kind: unknown = error; kind; kind = Object.getPrototypeOf(kind)) {
    if ((kind).constructor.name === "ErrorReply") return true;
  }
  return false;
}

/** Whether the server refuses the login. */
export function isRefusal(error: unknown): boolean {
  return isReply(error) && /^(WRONGPASS|NOAUTH|NOPERM|ERR (invalid password|AUTH|Client sent AUTH|DB index))/.test(error.message);
}

/** Connections to a server, a cluster, or what Sentinel names. */
export class Connection {
  #server: NodeRedis;
  #send: (key: string, words: Argument[]) => Promise<Reply>;
  #connecting: Promise<unknown> | undefined;
  #closed = false;
  /** Why there is no connection. */
  #trouble: string | undefined;

  constructor(server: string | NodeRedis) {
    if (typeof server !== "string" && !isNodeRedis(server)) {
      throw new ConnectionFailed("CONNECTION", `${shown(server)} is neither a URL nor a client of node-redis.`);
    }
    this.#server = typeof server === "string" ? fromUrl(server) : server;
    this.#send = this.#adopt(this.#server);
  }

  #adopt(server: NodeRedis): (key: string, words: Argument[]) => Promise<Reply> {
    // Each call is tried again, and tells the last error if it is given up.
    server.on("error", (error) => {
      // One of several addresses has no text of its own.
      this.#trouble = error.message || (error as NodeJS.ErrnoException).code;
    });
    const mapped = server.withTypeMapping(BYTES) as { sendCommand: Send };
    if ("nodeClient" in server) return (key, words) => mapped.sendCommand(key, false, words);
    if ("getMasterNode" in server || "acquire" in server) return (_, words) => mapped.sendCommand(false, words);
    return (_, words) => mapped.sendCommand(words);
  }

  async #connect(patience: number): Promise<void> {
    if (!this.#server.isOpen || this.#connecting) {
      this.#connecting ??= this.#server
        .connect()
        .catch((error: unknown) => {
          throw error instanceof ReconnectStrategyError ? error.originalError : error;
        })
        .finally(() => {
          this.#connecting = undefined;
        });
      await within(this.#connecting, patience);
    }
  }

  /** Sends a command about a key. */
  async send(key: string, words: Argument[], patience = PATIENCE): Promise<Reply> {
    if (this.#closed) throw new ConnectionFailed("CONNECTION", "the client was closed.");
    const server = this.#server;
    let connected = false;
    try {
      if (!server.isOpen || this.#connecting) await this.#connect(patience);
      connected = true;
      const reply = await within(this.#send(key, words), Math.min(patience, PATIENCE));
      this.#trouble = undefined;
      return reply;
    } catch (error) {
      if (!(error instanceof Silence)) throw error;
      if (connected && this.#server === server) this.#renew();
      throw this.#trouble === undefined ? error : new Silence(this.#trouble);
    }
  }

  /** Gives up a connection that does not answer. */
  #renew(): void {
    if (this.#closed) return;
    const before = this.#server;
    this.#server = before.duplicate() as NodeRedis;
    this.#send = this.#adopt(this.#server);
    this.#connecting = undefined;
    destroy(before);
  }

  /** The same with connections of its own. */
  duplicate(): Connection {
    return new Connection(this.#server.duplicate() as NodeRedis);
  }

  /** Hears the messages of channels, until it is closed; after a lost connection again. */
  async subscribe(channels: readonly string[], listener: Listener): Promise<void> {
    await this.#connect(PATIENCE);
    const server = this.#server as unknown as { subscribe(channels: string[], listener: Listener): Promise<void> };
    await within(server.subscribe([...channels], listener), PATIENCE);
  }

  /** Closes its connections. */
  close(): void {
    this.#closed = true;
    destroy(this.#server);
  }
}

function destroy(server: NodeRedis): void {
  try {
    // Of Sentinel it is a promise.
    void Promise.resolve(server.destroy()).catch(() => undefined);
  } catch {
    // It was closed already.
  }
}

/** No answer in time. */
class Silence extends Error {}

function within<T>(promise: Promise<T>, patience: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Silence("it does not reply"));
    }, patience);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
