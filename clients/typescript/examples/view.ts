// How the web services show a task and refuse a call: service.ts, express.ts, fastify.ts, nest.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { BluequeError, type Task, contract } from "@blueque/client";

/** Milliseconds between two looks at a followed task. */
const LOOK = 200;
/** The HTTP status of an error. */
const REFUSED: Readonly<Record<string, number>> = {
  BADNAME: 400, TOOBIG: 400, PAYLOAD: 400, BADARG: 400, NOTASK: 404, STATE: 409, CLOSED: 409, UNAVAILABLE: 503,
};

/** The HTTP status of an error of the client; undefined for other errors. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof BluequeError ? (REFUSED[error.code] ?? 500) : undefined;
}

export interface Shown {
  readonly status: string | null;
  readonly attempt: number | null;
  readonly progress: unknown;
  readonly result: unknown;
  readonly error: string | null;
}

/** A task as the service shows it. An unknown task is an error. */
export async function shown(task: Task): Promise<Shown> {
  const { status, attempt, progress, result, error } = await task.info();
  return { status, attempt, progress, result, error };
}

/** Each change of a task as JSON, until it has ended. `now` is its first state. */
export async function* changes(task: Task, now: Shown): AsyncGenerator<string, void> {
  for (let before = ""; ; ) {
    const text = JSON.stringify(now);
    if (text !== before) yield text;
    if (contract.STATES[now.status ?? ""]?.final) return;
    before = text;
    await sleep(LOOK);
    now = await shown(task);
  }
}
