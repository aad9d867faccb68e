// Wake-ups by the server: a new task for an idle worker, or an order.
import type { Connection } from "./connection.js";
import { CALL_AGAIN, WAKE_UP_EXPIRES } from "./contract.js";
import { report } from "./reports.js";
import { written } from "./wire.js";
import type { WorkerState } from "./worker-state.js";

/** Wakes the main loop at each new task that it waits for, until the end of the worker. */
export async function awaitTasks(state: WorkerState, connection: Connection): Promise<void> {
  const { link, queues } = state;
  for (;;) {
    await state.wakeUp.wait();
    state.wakeUp.take();
    if (state.isOver()) return;
    const lists = queues.lists();
    const [first] = lists;
    try {
      if (first === undefined) await state.sleep(CALL_AGAIN); // patterns without a list: the worker asks for queues again
      else {
        const woken = await connection.send(first, ["BLPOP", ...lists, "5"]);
        if (Array.isArray(woken)) {
          if (!state.stopping && state.attempts.size < state.slots) state.woken = true;
          else {
            // For another listener. The wake-up expires if there is none.
            await link.connection.send(first, ["LPUSH", written(woken[0]), "1"]);
            await link.connection.send(first, ["EXPIRE", written(woken[0]), String(WAKE_UP_EXPIRES)]);
          }
        }
      }
    } catch {
      await state.sleep(CALL_AGAIN);
    }
    state.look.make();
  }
}

/** Sends heartbeats and reports early when an order is announced, because their replies have the orders. */
export async function awaitOrders(state: WorkerState, connection: Connection): Promise<void> {
  const { link, queues } = state;
  const channels = (queues.byPattern ? ["*"] : queues.names).map((name) => `${link.namespace}_orders_${name}`);
  const hear = (): void => {
    state.renewsNow = true;
    void report(state).catch(() => undefined);
  };
  while (!state.isOver()) {
    try {
      await connection.subscribe(channels, hear, queues.byPattern);
      state.renewsNow = true;
      return;
    } catch {
      await state.sleep(CALL_AGAIN);
    }
  }
}
