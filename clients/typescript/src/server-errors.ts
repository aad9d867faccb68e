// Meanings of the errors of node-redis.
import { ErrorReply, ReconnectStrategyError } from "redis";

/** Returns true if an error is a reply of the server, from any copy of the package. */
export function isReply(error: unknown): error is Error {
  if (error instanceof ErrorReply) return true;
  for (let kind: unknown = error; kind; kind = Object.getPrototypeOf(kind)) {
    if ((kind).constructor.name === "ErrorReply") return true;
  }
  return false;
}

// Before the login a server reports any long command as an error of the protocol.
const REFUSAL = /^(WRONGPASS|NOAUTH|NOPERM|ERR (invalid password|AUTH|Client sent AUTH|Protocol error: unauthenticated))/;

/** Returns true if the server refuses the login. */
export function isRefusal(error: unknown): boolean {
  return isReply(error) && REFUSAL.test(error.message);
}

// Errors of a server of another kind than in the URL, or without its database; each with the fault and the remedy.
const MISTAKES: readonly (readonly [RegExp, string, string])[] = [
  [
    /ERR DB index is out of range|ERR SELECT is not allowed/,
    "the server has no database with the number in the URL",
    "Correct that number, or leave it out: a server has 16, from 0 on, unless its setting `databases` says otherwise.",
  ],
  [
    /ERR unknown command '?`?SENTINEL/i,
    "the URL names Sentinels, and what answers there is a server, not a Sentinel",
    "Name the Sentinels, whose port is usually 26379; or write redis://host:port for the server itself.",
  ],
  [
    /ERR This instance has cluster support disabled/,
    "the URL is that of a cluster, and the server is none",
    "Write redis://host:port.",
  ],
];

/** The fault of the URL that the server's reply shows, and its remedy. */
export function mistake(error: unknown): readonly [string, string] | undefined {
  const text = error instanceof Error ? error.message : String(error);
  const found = MISTAKES.find(([pattern]) => pattern.test(text));
  return found && [found[1], found[2]];
}

/** Returns true if TLS refuses the server, or the server refuses the client's certificate. */
export function isDistrust(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|INVALID_CA)/.test(String(code));
}

/** Returns true if no further try can succeed, because the setup must be corrected. */
export function isFinal(error: unknown): boolean {
  return isRefusal(error) || isDistrust(error) || mistake(error) !== undefined;
}

/** The error of a node, which the error of a client of several nodes contains. */
export function behind(error: unknown): unknown {
  if (error instanceof ReconnectStrategyError) return behind(error.originalError);
  const { cause } = (error ?? {}) as Error;
  return isFinal(cause) ? cause : error;
}
