// The attempts of a worker: runs handlers in this process or in a child.
import { setTimeout as sleep } from "node:timers/promises";
import { type About, type End, Context, attempt, stopped } from "./attempt.js";
import * as calls from "./calls.js";
import { CALL_AGAIN, RESULT_BYTES } from "./contract.js";
import { BluequeError, Lost, known } from "./errors.js";
import { HeldAttempt, type Taken } from "./held-attempt.js";
import type { ProcessPool } from "./process-pool.js";
import type { Shutdown } from "./shutdown.js";
import type { Bytes, Call } from "./wire.js";
import { removed } from "./work-folder.js";
import { type WorkerSettings, insist } from "./worker-settings.js";

/** Runs attempts. */
export class Attempts {

  /** @param folder Creates the folder of an attempt, and returns its path. */
  constructor(
    private readonly settings: WorkerSettings,
    private readonly shutdown: Shutdown,
    private readonly pool: ProcessPool,
    private readonly folder: () => string,
  ) {}

  /** Runs an attempt; never rejects. */
  async run(held: HeldAttempt, item: Taken): Promise<End> {
    let end: End;
    try {
      end = await this.#handled(held, item);
    } catch (error) {
      // A full disk or a removed release of the program, for example, is not the task's fault.
      held.say("error", `: cannot begin: ${known(error).message}`);
      end = { how: "uncounted", reason: "noprocess", again: 5 };
    }
    held.over = true;
    if (held.folder) await removed(held.folder);
    await held.sendLog(this.settings.link);
    return end;
  }

  async #handled(held: HeldAttempt, item: Taken): Promise<End> {
    const { handlers, link } = this.settings;
    // Chooses one of several handlers.
    const several = typeof handlers !== "function";
    const method = several ? ((await insist(this.settings, calls.get(item.id)))?.method ?? null) : null;
    const { id, queue, parameters, checkpoint } = item;
    const about: About = { id, queue, method, attempt: item.attempt, parameters, checkpoint };
    const way = {
      persist: (kind: "checkpoint" | "progress", body: Bytes): Promise<void> => this.#persist(held, kind, body),
      log: (text: string): void => {
        held.addLog(text);
      },
      folder: (): string => (held.folder ??= this.folder()),
    };
    const order = (): HeldAttempt["order"] => {
      held.enforce(this.shutdown.how === "release");
      return held.order;
    };
    // The reply that gave out the task may be old: this process was frozen, or the server away.
    const early = order();
    if (early) return stopped(early);
    if (!handlers) return this.pool.run(held, about, way, order);
    const context = new Context(about, held.signal, link.serializer, way);
    return attempt(about, handlers, context, link.serializer);
  }

  async #persist(held: HeldAttempt, kind: "checkpoint" | "progress", body: Bytes): Promise<void> {
    const call: Call<unknown> =
      kind === "checkpoint"
        ? calls.checkpoint(held.id, held.token, body, { maxBytes: RESULT_BYTES })
        : calls.progress(held.id, held.token, body);
    for (;;) {
      try {
        await this.settings.link.run(call);
        return;
      } catch (error) {
        if (error instanceof Lost) held.stop("lost", true);
        if (!(error instanceof BluequeError) || !error.transient || held.order) throw error;
        await sleep(CALL_AGAIN * 1000);
      }
    }
  }
}
