// Makes a client of node-redis from a URL. An option that this client does not support is refused by its name.
import { readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createClient, createCluster, createSentinel } from "redis";
import type { NodeRedis } from "./connection.js";
import { BluequeError, ConnectionFailed } from "./errors.js";
import { isFinal } from "./server-errors.js";

/** The parameters that name files, and what they are for. */
const FILES = ["password_file", "sentinel_password_file", "ca", "cert", "key"];
const TLS = ["ca", "cert", "key"];
const SENTINELS = ["sentinel_user", "sentinel_password_file"];
const KNOWN = [...FILES, "sentinel_user", "read"];
const LOCAL = ["db", "user", "pass"];
const NEEDS: Readonly<Record<string, string>> = { cert: "key", key: "cert", sentinel_user: "sentinel_password_file" };
const MALFORMED = "the URL is malformed; in a password %2F stands for /, %3A for a colon, %40 for @, %20 for a space";
/** Maximum length of a password. */
const LONGEST = 64 << 10;

function wrong(what: string): ConnectionFailed {
  return new ConnectionFailed("CONNECTION", `${what}.`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong("the URL is malformed: % stands before two digits, as in %25 for itself");
  }
}

function parametersOf(query: string, scheme: string, kind: string): Map<string, string> {
  const given = new Map(new URLSearchParams(query));
  const known = scheme === "unix" ? [...KNOWN, ...LOCAL] : KNOWN;
  for (const [name, value] of given) {
    const called = `\`${name}\` in the URL`;
    if (!known.includes(name)) throw wrong(`${called} is no parameter of this client: it knows ${known.join(", ")}`);
    if (FILES.includes(name) && !value.startsWith("/")) throw wrong(`${called} must be an absolute path`);
    if (TLS.includes(name) && scheme !== "rediss") throw wrong(`${called} is for TLS, and the URL is not rediss://`);
    if (SENTINELS.includes(name) && kind !== "sentinel") throw wrong(`${called} is for Sentinels: redis+sentinel://`);
    const needed = NEEDS[name];
    if (needed && !given.has(needed)) throw wrong(`${called} needs \`${needed}\``);
  }
  if (given.has("read") && given.get("read") !== "master") {
    throw wrong("`read` in the URL: this client asks the master alone; replicas are read by `blueque` and the crate");
  }
  return given;
}

/** Returns the password in a file, without the newline. */
async function secret(path: string): Promise<string> {
  let text: string;
  try {
    const about = statSync(path);
    text = about.isFile() && about.size <= LONGEST ? await readFile(path, "utf8") : "";
  } catch (error) {
    throw wrong(`the file with the password cannot be read: ${(error as Error).message}`);
  }
  const password = text.replace(/[\r\n]+$/, "");
  if (!password) throw wrong(`${path} is no file with a password`);
  return password;
}

function certificate(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw wrong(`a file for TLS cannot be read: ${(error as Error).message}`);
  }
}

/** A user with a password in a file. The file is read at each connection and may be replaced at any time. */
function fromFile(username: string | undefined, path: string) {
  const credentials = async () => ({ ...(username && { username }), password: await secret(path) });
  return { credentialsProvider: { type: "async-credentials-provider", credentials } } as const;
}

function login(username: string | undefined, password: string | undefined, file: string | undefined) {
  if (!password && file !== undefined) return fromFile(username, file);
  return { ...(username && { username }), ...(password && { password }) };
}

function place(host: string, otherwise: number): { host: string; port: number } {
  const parts = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(host);
  const port = Number(parts?.[3] ?? otherwise);
  if (!parts || port > 65535) throw wrong(MALFORMED);
  return { host: decoded(parts[1] ?? parts[2] ?? "") || "localhost", port };
}

/** Options of each socket. Node-redis opens and reconnects some sockets even after the client was destroyed. */
const waits = (closing: AbortSignal) => ({
  connectTimeout: 5000,
  signal: closing,
  reconnectStrategy: (retries: number, cause: Error) => {
    if (closing.aborted) return false;
    if (isFinal(cause) || cause instanceof BluequeError) return cause;
    return Math.min(20 * 2 ** retries, 500) * (0.5 + Math.random() / 2);
  },
});
// Each call has a limit of its own; node-redis would make a signal for each command.
const COMMANDS = { RESP: 2, commandOptions: { timeout: 0 } } as const;
const NODES = { RESP: 2, disableOfflineQueue: true } as const;

/** A URL for people: without its login and its parameters. */
export function placeOf(url: string): string {
  return url.replace(/\?.*$/, "").replace(/^([^/]*:\/\/)[^/]*@/, "$1");
}

/** URLs without their passwords. */
export function withoutPasswords(text: string): string {
  return text.replace(/(:\/\/[^:@/?]*):[^/?]*@/g, "$1@").replace(/(?<=[?&])pass(?:word)?=[^&,]*&?/g, "");
}

/** The URL and the namespace that `blueque` takes from these variables. A password there precedes any other. */
export function fromEnvironment(environment: NodeJS.ProcessEnv): { url: string; namespace: string } {
  const value = (name: string) => environment[`BLUEQUE_${name.toUpperCase()}`] ?? "";
  const namespace = value("namespace") === "" ? "blueque" : value("namespace");
  const given = value("url") === "" ? "redis://127.0.0.1:6379" : value("url");
  const parts = /^([^:]*):\/\/(?:([^/?]*)@)?([^?]*)(?:\?(.*))?$/.exec(given);
  if (!parts) return { url: given, namespace };
  const [, scheme = "", login = "", place = "", query = ""] = parts;
  const parameters = new URLSearchParams(query);
  let [user, password] = (/^([^:]*)(:.*)?$/s.exec(login) ?? []).slice(1);
  if (!user && !parameters.has("user")) user = encodeURIComponent(value("user"));
  if (value("password")) {
    password = `:${encodeURIComponent(value("password"))}`;
    parameters.delete("pass");
  }
  for (const name of [...FILES, "sentinel_user"]) {
    const matters = TLS.includes(name) ? scheme.includes("ss") : !SENTINELS.includes(name) || scheme.includes("sentinel");
    const known = value(name);
    if (matters && known && !parameters.has(name)) parameters.set(name, known);
  }
  const whole = `${user ?? ""}${password ?? ""}`;
  return { url: `${scheme}://${whole && `${whole}@`}${place}${parameters.size ? `?${parameters.toString()}` : ""}`, namespace };
}

/** Makes a client of node-redis, whose connections end with the signal. */
export type Make = (closing: AbortSignal) => NodeRedis;

/** Returns a function that makes clients of node-redis for this URL. Errors never contain its password. */
export function fromUrl(url: string): Make {
  const parts = /^([a-z]+)(?:\+([a-z]+))?:\/\/([^/?]*)(\/[^?]*)?(?:\?(.*))?$/.exec(url);
  const [, given = "", kind = "", authority = "", path = "", query = ""] = parts ?? [];
  const scheme = given.replace("valkey", "redis");
  if (!["redis", "rediss", "unix"].includes(scheme) || !["", "sentinel", "cluster"].includes(kind)) {
    throw wrong("the URL must begin with redis://, rediss:// or unix://, or with redis+sentinel:// or its like");
  }
  if (kind && scheme === "unix") throw wrong(`Sentinels and clusters are reached by redis+${kind}://, not by unix+${kind}://`);
  if (/\s/.test(url)) throw wrong(MALFORMED);
  const parameters = parametersOf(query, scheme, kind);
  const at = authority.lastIndexOf("@");
  const hosts = authority.slice(at + 1).split(",");
  const [user = "", ...rest] = authority.slice(0, Math.max(at, 0)).split(":");
  const username = decoded(user) || parameters.get("user");
  const password = decoded(rest.join(":")) || parameters.get("pass");
  const credentials = login(username, password, parameters.get("password_file"));

  if (scheme === "unix") {
    if (authority.slice(at + 1) || path.length < 2) throw wrong("the URL of a socket is unix:///path");
    const [socket, database] = [{ path: decoded(path), tls: false } as const, numberOf(parameters.get("db") ?? "")];
    return (closing) =>
      createClient({ ...COMMANDS, ...NODES, ...credentials, database, socket: { ...waits(closing), ...socket } });
  }
  const files = TLS.filter((name) => parameters.has(name)).map((name) => [name, certificate(parameters.get(name) ?? "")]);
  const tls = scheme === "rediss" ? ({ tls: true, ...Object.fromEntries(files) } as { tls: true }) : {};
  if (kind === "sentinel") {
    const [, name = "", database = ""] = /^\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
    if (!name) throw wrong("the URL of Sentinels needs the name of the master: redis+sentinel://host/name");
    const theirs = login(parameters.get("sentinel_user"), undefined, parameters.get("sentinel_password_file"));
    const [nodes, ours] = [hosts.map((host) => place(host, 26379)), numberOf(database)];
    return (closing) => {
      const socket = { ...waits(closing), ...tls };
      return createSentinel({
        ...COMMANDS,
        name,
        passthroughClientErrorEvents: true,
        sentinelRootNodes: nodes,
        nodeClientOptions: { ...NODES, ...credentials, database: ours, socket },
        sentinelClientOptions: { ...NODES, ...theirs, socket },
      });
    };
  }
  const database = numberOf(path.slice(1));
  if (kind === "cluster") {
    if (database) throw wrong("a cluster has only the database 0");
    const rootNodes = hosts.map((host) => ({ socket: place(host, 6379) }));
    return (closing) =>
      createCluster({ ...COMMANDS, rootNodes, defaults: { ...NODES, ...credentials, socket: { ...waits(closing), ...tls } } });
  }
  const [host = "", more] = hosts;
  if (more !== undefined) {
    throw wrong("of several hosts this client takes Sentinels and clusters: redis+sentinel://, redis+cluster://");
  }
  const where = place(host, 6379);
  return (closing) =>
    createClient({ ...COMMANDS, ...NODES, ...credentials, database, socket: { ...waits(closing), ...tls, ...where } });
}

function numberOf(database: string): number {
  if (!/^\d*\/?$/.test(database)) throw wrong("what is to be the number of a database in the URL is none");
  return Number.parseInt(database || "0", 10);
}
