// Errors, sorted by what the caller can do. Every error has a stable `code`, a `detail` in words, and a `remedy`.
import { ERRORS } from "./contract.js";

// Remedies for the codes that do not come from the server.
const OWN: Readonly<Record<string, string>> = {
  UNAVAILABLE: "Check that the server runs and is reachable; the same call may be repeated.",
  CONNECTION: "Correct the URL or the credentials.",
  REPLY:
    "If a later version of Blueque wrote it, update this client; the server must be Redis 7.0 or Valkey 7.2, or later.",
  PAYLOAD: "Pass JSON values, or a serializer of your own to the client.",
  TIMEDOUT: "Wait longer; the task continues.",
  FAILED: "Look at its error, its log and its history; `retry` runs it again.",
  TASKCANCELLED: "`retry` runs it again.",
  WORKER: "See the worker's log.",
  SIGNATURE: "Answer with 401; compare the secret with the `secret_file` of the target.",
};

/** Any error of this package. */
export class BluequeError extends Error {
  /** The remedy. */
  readonly remedy: string;

  /**
   * @param code The stable code.
   * @param detail What is wrong, in words.
   * @param cause The error behind it.
   * @param remedy The remedy, if it is more specific than the remedy of the code.
   */
  constructor(readonly code: string, readonly detail: string, cause?: unknown, remedy = OWN[code] ?? ERRORS[code]?.act ?? "") {
    const stop = /[^.!?\n]$/.test(detail) ? "." : "";
    const space = detail.endsWith("\n") ? "" : " ";
    super(`${code}: ${detail}${remedy ? `${stop}${space}${remedy}` : ""}`, cause === undefined ? undefined : { cause });
    this.remedy = remedy;
    this.name = new.target.name;
  }

  /** Returns true if the same call may succeed later without a change by the caller. */
  get transient(): boolean {
    return this.code === "UNAVAILABLE" || (ERRORS[this.code]?.repeat ?? false);
  }
}

/** The attempt no longer holds the task: stop the work and discard what it made. */
export class Lost extends BluequeError {}

/** The task was cancelled between its reservation and its start: release it. */
export class CancelledAtStart extends BluequeError {}

/** No task, queue, schedule or listener has this name. A repeated delete throws this if the first succeeded. */
export class NotFound extends BluequeError {}

/** The state of a task, a queue, a schedule or a listener does not allow the call. */
export class Refused extends BluequeError {}

/** An argument is wrong: a name, a number, a size, an id of another queue. */
export class InvalidCall extends BluequeError {}

/** The server or its data is unsuitable: another schema, an eviction policy that loses tasks, a foreign key. */
export class Unsuitable extends BluequeError {}

/** The server refused the call, for example because its memory is full. Nothing was changed. */
export class ServerError extends BluequeError {}

/** The server was not reached, or did not reply, within the limit of the call; every call may be repeated. */
export class Unavailable extends BluequeError {}

/** The connection cannot be made as configured: a malformed URL, a wrong password. */
export class ConnectionFailed extends BluequeError {}

/** The server's reply does not match the contract. */
export class ReplyError extends BluequeError {}

/** A value that cannot be sent unchanged, or bytes that cannot be read. The text shows the place. */
export class PayloadError extends BluequeError {
  constructor(detail: string, cause?: unknown) {
    super("PAYLOAD", detail, cause);
  }
}

/** A webhook that no worker with this secret has sent. */
export class Unverified extends BluequeError {
  constructor(detail: string) {
    super("SIGNATURE", detail);
  }
}

/** The caller's time limit has passed; the task continues. */
export class TimedOut extends BluequeError {}

/** The awaited task has failed. */
export class TaskFailed extends BluequeError {
  /**
   * @param error The error that its last attempt reported.
   * @param group The kind of that error: for a handler of this package the name of the thrown error.
   */
  constructor(readonly error: string, readonly group: string | null) {
    super("FAILED", `the task has failed, with the group ${group ?? "none"}:\n${error.trim()}\n`);
  }
}

/** The awaited task was cancelled. */
export class TaskCancelled extends BluequeError {
  /** @param reason The reason for the cancel, if given. */
  constructor(readonly reason: string | null) {
    super("TASKCANCELLED", reason ? `the task was cancelled: ${reason}` : "the task was cancelled.");
  }
}

type Kind = new (code: string, detail: string, cause?: unknown) => BluequeError;
const CODES: Readonly<Record<string, Kind>> = {
  LOST: Lost, CANCELLED: CancelledAtStart, NOTASK: NotFound, NOQUEUE: NotFound, NOSCHEDULE: NotFound, NOLIMIT: NotFound,
};
const KINDS: Readonly<Record<string, Kind>> = { call: InvalidCall, state: Refused, attempt: Lost, setup: Unsuitable };

/** The error of a script, or a refusal of the server. */
export function verdict(code: string, detail: string, cause?: unknown): BluequeError {
  const kind = CODES[code] ?? KINDS[ERRORS[code]?.kind ?? "server"] ?? ServerError;
  return new kind(code, detail, cause);
}

/** Gives errors with the code `DUPLICATE` this remedy, because a name and an id share the code. */
export function duplicate(error: unknown, remedy: string): unknown {
  return error instanceof Refused && error.code === "DUPLICATE" ? new Refused(error.code, error.detail, error, remedy) : error;
}

/** Converts any error to an error of this package. */
export function known(error: unknown): BluequeError {
  if (error instanceof BluequeError) return error;
  return new BluequeError("WORKER", error instanceof Error ? error.message : String(error), error);
}
