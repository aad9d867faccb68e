// Wake-ups by the server: a new task for an idle worker, or an order.
import type { Connection } from "./connection.js";
import { CALL_AGAIN, WAKE_UP_EXPIRES } from "./contract.js";
import type { Shutdown } from "./shutdown.js";
import { written } from "./wire.js";
import type { WorkerSettings } from "./worker-settings.js";

/** Waits for tasks while a slot is free. */
export class WakeUps {
  #want: (() => void) | undefined;
  #wanted = this.#next();
  #woken = false;

  constructor(private readonly settings: WorkerSettings, private readonly shutdown: Shutdown) {}

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#want = resolve;
    });
  }

  /** Starts to wait for a task. At the end of the worker: ends {@link wait}. */
  want(): void {
    this.#want?.();
  }

  /** Returns true once after a wake-up. */
  take(): true | undefined {
    const woken = this.#woken;
    this.#woken = false;
    return woken || undefined;
  }

  /**
   * Waits for wake-ups until the end of the worker.
   *
   * @param free Returns true if the worker can take a task.
   * @param wake Wakes the main loop.
   */
  async wait(connection: Connection, free: () => boolean, wake: () => void): Promise<void> {
    const { link, queues } = this.settings;
    for (;;) {
      await this.#wanted;
      if (this.shutdown.isOver()) return;
      this.#wanted = this.#next();
      const lists = queues.lists();
      const [first] = lists;
      try {
        // Patterns without a list: the worker asks for queues again.
        if (first === undefined) await this.shutdown.sleep(CALL_AGAIN);
        const woken = first === undefined ? null : await connection.send(first, ["BLPOP", ...lists, "5"]);
        if (first !== undefined && Array.isArray(woken)) {
          if (free()) this.#woken = true;
          else {
            // For another listener. The wake-up expires if there is none.
            await link.connection.send(first, ["LPUSH", written(woken[0]), "1"]);
            await link.connection.send(first, ["EXPIRE", written(woken[0]), String(WAKE_UP_EXPIRES)]);
          }
        }
      } catch {
        await this.shutdown.sleep(CALL_AGAIN);
      }
      wake();
    }
  }
}

/** Calls `announced` for each announced order, and `subscribed` once announcements arrive. */
export async function awaitOrders(
  { link, queues }: WorkerSettings, shutdown: Shutdown, connection: Connection, announced: () => void, subscribed: () => void,
): Promise<void> {
  const channels = (queues.byPattern ? ["*"] : queues.names).map((name) => `${link.namespace}_orders_${name}`);
  while (!shutdown.isOver()) {
    try {
      await connection.subscribe(channels, announced, queues.byPattern);
      subscribed();
      return;
    } catch {
      await shutdown.sleep(CALL_AGAIN);
    }
  }
}
