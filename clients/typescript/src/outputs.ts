// The output of a child process. Its two streams and its messages reach the worker independently, so the end of a task
// is also marked in the streams.
import type { Readable, Writable } from "node:stream";

/** The mark at the end of a task, which no program prints by chance. */
export function markOf(child: string): string {
  return `\0${child}\0`;
}

/** The worker's end of a stream. */
export class Output {
  /** Bytes that may be the beginning of a mark. */
  #rest = "";
  #task = true;
  #over = false;
  #marked: (() => void) | undefined;

  constructor(stream: Readable, private readonly mark: string, private readonly hear: (text: string) => void) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      this.#take(this.#rest + text);
    });
    stream.on("error", () => undefined).once("close", () => {
      this.#say(this.#rest);
      this.#over = true;
      this.#marked?.();
    });
  }

  /** A task begins. */
  begin(): void {
    this.#task = true;
  }

  /** Resolves when all output before the mark has been read. */
  marked(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#over || !this.#task) resolve();
      else this.#marked = resolve;
    });
  }

  #take(text: string): void {
    const at = text.indexOf(this.mark);
    if (at >= 0) {
      this.#say(text.slice(0, at));
      this.#task = false;
      this.#marked?.();
      text = text.slice(at + this.mark.length);
    }
    let rest = text.indexOf("\0", Math.max(text.length - this.mark.length + 1, 0));
    while (rest >= 0 && !this.mark.startsWith(text.slice(rest))) rest = text.indexOf("\0", rest + 1);
    this.#rest = rest < 0 ? "" : text.slice(rest);
    this.#say(rest < 0 ? text : text.slice(0, rest));
  }

  /** Drops output between two tasks. */
  #say(text: string): void {
    if (text && this.#task) this.hear(text);
  }
}

/** The child's end of a stream. Methods that a handler may have replaced are never called. */
export class Printer {
  readonly #write: Writable["write"];

  constructor(private readonly stream: Writable) {
    this.#write = stream.write.bind(stream);
    stream.on("error", () => undefined); // a failed print ends no handler
  }

  /** Prints a text after all earlier output, and waits until the system has it. Returns true if it succeeded. */
  print(text: string): Promise<boolean> {
    const { stream } = this;
    if (stream.writableEnded || stream.destroyed) return Promise.resolve(false);
    while (stream.writableCorked) stream.uncork();
    return new Promise((resolve) => {
      try {
        this.#write(text, (error) => {
          resolve(!error);
        });
      } catch {
        resolve(false);
      }
    });
  }
}
