// The context of a handler that is called directly: in a notebook, in a test, in a program of its own.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Context } from "./attempt.js";
import { Json } from "./payload.js";

/** Options of a {@link localContext}. */
export interface LocalOptions {
  /** The checkpoint of the previous attempt. */
  readonly checkpoint?: unknown;
  /** The number of the attempt; by default 1. */
  readonly attempt?: number;
  readonly id?: string;
  readonly queue?: string;
  readonly method?: string;
  /** Aborted to order the handler to stop. */
  readonly signal?: AbortSignal;
  /** Gets the lines of progress and log; by default they go to stderr. */
  readonly print?: (line: string) => void;
}

/** A context in memory, for a handler that no worker runs. */
export class LocalContext extends Context {
  /** The last checkpoint that the handler has saved. */
  saved: unknown;
  /** The last progress that it has reported. */
  reported: unknown;
}

/** Makes a context for a direct call of a handler: `await transcode(film, localContext())`. */
export function localContext(options: LocalOptions = {}): LocalContext {
  const { checkpoint, attempt = 1, id = "local", queue = "local", method = null, signal = new AbortController().signal } = options;
  const { print = (line: string): void => { console.error(line); } } = options;
  const serializer = new Json();
  let folder: string | undefined;
  const context: LocalContext = new LocalContext(
    {
      id, queue, method, attempt, parameters: Buffer.alloc(0),
      checkpoint: checkpoint === undefined ? null : Buffer.from(serializer.dumps(checkpoint)),
    },
    signal, serializer,
    {
      persist: (kind, body) => {
        const value = serializer.loads(Buffer.from(body as string));
        if (kind === "checkpoint") context.saved = value;
        else print(words((context.reported = value)));
        return Promise.resolve();
      },
      log: (text) => { print(text.replace(/\n$/, "")); },
      folder: () => (folder ??= mkdtempSync(join(tmpdir(), "blueque-local-"))),
    },
  );
  return context;
}

function words(progress: unknown): string {
  const { done, total, unit } = (progress ?? {}) as { done?: number; total?: number; unit?: string };
  if (done === undefined) return `progress ${JSON.stringify(progress)}`;
  return `${done}${total === undefined ? "" : ` of ${total}`}${unit === undefined ? "" : ` ${unit}`}`;
}
