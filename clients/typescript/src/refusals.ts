// What an error of node-redis means.
import { ErrorReply, ReconnectStrategyError } from "redis";

/** Whether it is an error that the server has replied, of whichever copy of the package. */
export function isReply(error: unknown): error is Error {
  if (error instanceof ErrorReply) return true;
  for (let kind: unknown = error; kind; kind = Object.getPrototypeOf(kind)) {
    if ((kind).constructor.name === "ErrorReply") return true;
  }
  return false;
}

// Before a login a server calls anything long an error of the protocol.
const REFUSAL = /^(WRONGPASS|NOAUTH|NOPERM|ERR (invalid password|AUTH|Client sent AUTH|DB index|Protocol error: unauthenticated))/;

/** Whether the server refuses the login. */
export function isRefusal(error: unknown): boolean {
  return isReply(error) && REFUSAL.test(error.message);
}

/** Whether TLS refuses the server, or the server refuses the client's certificate. */
export function isDistrust(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|INVALID_CA)/.test(String(code));
}

/** The error of a node, behind that of a client with several. */
export function behind(error: unknown): unknown {
  if (error instanceof ReconnectStrategyError) return behind(error.originalError);
  const { cause } = (error ?? {}) as Error;
  return isRefusal(cause) || isDistrust(cause) ? cause : error;
}
