// Sends calls to the server, and reads the replies.
import { setTimeout as sleep } from "node:timers/promises";
import { compose } from "./composer.js";
import { type Connection, textOf } from "./connection.js";
import { FIRST_PAUSE, LONGEST_PAUSE } from "./contract.js";
import { BluequeError, ConnectionFailed, InvalidCall, Unavailable, verdict } from "./errors.js";
import type { Hooks } from "./hooks.js";
import { shown } from "./argument-checks.js";
import { type Serializer } from "./payload.js";
import { isDistrust, isRefusal, isReply, mistake } from "./server-errors.js";
import { DIGESTS } from "./scripts.js";
import type { Tracing } from "./tracing.js";
import { Call, type Reply, type Time } from "./wire.js";

const NO_SERVER = "Start it, or name another one: new Client(url), or BLUEQUE_URL for new Client().";

/** A reply with a cursor. */
export interface Page<T> {
  /** Start of the next page; `0` at the end. */
  readonly cursor: string;
  /** The entries. */
  readonly items: readonly T[];
}

/** A connection, with the settings that all calls share. */
export class Link {
  /**
   * @param connection The connection to the server.
   * @param namespace The beginning of all keys.
   * @param limit Maximum number of seconds of a call, including its repetitions.
   * @param by The author of the changes, for the audit.
   * @param serializer The serializer of payloads.
   * @param clock The time of each call, for tests.
   * @param hooks The hooks of submits and workers.
   * @param tracing The spans of submits and workers.
   */
  constructor(
    readonly connection: Connection,
    readonly namespace: string,
    readonly limit: number,
    readonly by: string | undefined,
    readonly serializer: Serializer,
    readonly clock: (() => Time) | undefined,
    readonly hooks: readonly Hooks[] = [],
    readonly tracing?: Tracing,
  ) {}

  /**
   * Makes a call, and repeats it until the server replies, for at most `limit` seconds; 0: a single try. If the server has
   * never replied and its address refuses connections, gives up within a second.
   */
  async run<T>(given: Call<T>, limit = this.limit): Promise<T> {
    if (!((given as unknown) instanceof Call)) {
      throw new InvalidCall("BADARG", `${shown(given)} is no call, such as \`calls.get(id)\`.`);
    }
    const call = this.clock ? given.at(this.clock()) : given;
    const until = performance.now() + limit * 1000;
    let [pause, whole] = [FIRST_PAUSE * 1000, false];
    for (;;) {
      try {
        return call.read(await this.#send(call, whole, limit ? Math.max(until - performance.now(), 1) : undefined));
      } catch (error) {
        if (isReply(error) && !whole && codeOf(error)[0] === "NOSCRIPT") {
          whole = true;
          continue;
        }
        if (this.connection.isHopeless(error)) {
          const text = `no server answers at ${this.connection.place}: ${textOf(error as Error)}.`;
          throw new Unavailable("UNAVAILABLE", text, undefined, NO_SERVER);
        }
        const failure = judged(error, limit, this.connection.place);
        // An error that lasts until an operator frees memory or disk is thrown to the caller.
        if (!failure.transient || failure.code === "OOM" || failure.code === "MISCONF") throw failure;
        if (until - performance.now() <= pause) throw failure;
        await sleep(pause * (0.5 + Math.random() / 2)); // so that clients do not retry at the same time
        pause = Math.min(pause * 2, LONGEST_PAUSE * 1000);
      }
    }
  }

  /** A link with its own connection, which waits for a server that does not run yet. */
  patient(): Link {
    const { namespace, limit, by, serializer, clock, hooks, tracing } = this;
    return new Link(this.connection.duplicate(false), namespace, limit, by, serializer, clock, hooks, tracing);
  }

  /** Makes a call that a lost reply must not repeat. */
  make<T>(call: Call<T>): Promise<T> {
    return this.run(call.once());
  }

  /** All entries, page by page. */
  async pages<T>(call: (cursor: string) => Call<Page<T>>): Promise<T[]> {
    const found: T[] = [];
    for await (const item of this.items(call)) found.push(item);
    return found;
  }

  /** The entries, page by page. */
  async *items<T>(call: (cursor: string) => Call<Page<T>>): AsyncGenerator<T, void, undefined> {
    for (let cursor = "0"; ; ) {
      const page = await this.run(call(cursor));
      yield* page.items;
      cursor = page.cursor;
      if (cursor === "0") return;
    }
  }

  #send<T>(call: Call<T>, whole: boolean, patience: number | undefined): Promise<Reply> {
    const key = `${this.namespace}_meta`;
    const script = whole ? ["EVAL", compose(call.command)] : ["EVALSHA", DIGESTS[call.command]];
    return this.connection.send(key, [...script, "1", key, ...call.sent], patience);
  }
}

function codeOf(error: Error): [string, string] {
  const [code = "", ...rest] = error.message.split(" ");
  return [code, rest.join(" ")];
}

/** The reason why a server refuses a login. */
const loginProblem = ({ message }: Error): string =>
  /^NOAUTH|unauthenticated/.test(message) ? "it asks for a password" : message.replace(/\.$/, "");

/** The error for the caller. */
function judged(error: unknown, limit: number, place: string): BluequeError {
  if (error instanceof BluequeError) return error;
  const wrong = mistake(error);
  if (wrong) return new ConnectionFailed("CONNECTION", `${wrong[0]}: ${messageOf(error)}.`, error, wrong[1]);
  if (isReply(error)) {
    const [code, text] = codeOf(error);
    if (isRefusal(error) && code !== "NOPERM") {
      return new ConnectionFailed("CONNECTION", `the server refuses the login: ${loginProblem(error)}.`, error);
    }
    return verdict(code, text || error.message, error);
  }
  if (isDistrust(error)) {
    const text = `the server's certificate is not trusted, or that of this client: ${(error as Error).message}.`;
    return new ConnectionFailed("CONNECTION", text, error);
  }
  if (error instanceof TypeError || error instanceof RangeError) return new InvalidCall("BADARG", error.message, error);
  // A server without TLS takes the TLS handshake for the beginning of a command, and waits for the rest.
  const remedy = place.startsWith("rediss:")
    ? "Check that the server runs, is reachable, and speaks TLS: one that does not has the URL redis://, with its own port."
    : undefined;
  return new Unavailable("UNAVAILABLE", `no answer from the server within ${limit} s: ${messageOf(error)}.`, error, remedy);
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trimEnd();
}
