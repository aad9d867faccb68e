// What every peer's program in Node.js does: it carries out the orders of ../README.md.
import { closeSync, openSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

export const QUEUE = "peers";

const nanoseconds = () => Math.round((performance.timeOrigin + performance.now()) * 1e6);
const answer = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

function payload(n, bytes = 100) {
  return { n, pad: "x".repeat(bytes - JSON.stringify({ n, pad: "" }).length) };
}

/** `begin(url)` gives what has the methods add, addMany, result, work and stop. */
export async function serve(begin) {
  const [url, path] = process.argv.slice(2);
  const records = openSync(path, "a");
  const queue = await begin(url);

  const orders = {
    async add({ first, count, batch, bytes }) {
      const tasks = Array.from({ length: count }, (_, at) => payload(first + at, bytes));
      const began = performance.now();
      if (batch === 1) for (const task of tasks) await queue.add(task);
      else for (let at = 0; at < count; at += batch) await queue.addMany(tasks.slice(at, at + batch));
      return { seconds: (performance.now() - began) / 1000 };
    },
    async lone({ number }) {
      const task = payload(number);
      const sent = nanoseconds();
      await queue.add(task);
      return { sent };
    },
    async result() {
      return { result: (await queue.result()) ?? null };
    },
    async work({ slots, hold, lease, who }) {
      const handle = async (task) => {
        const record = Buffer.alloc(16);
        record.writeBigUInt64LE(BigInt(task.n), 0);
        record.writeBigUInt64LE(BigInt(nanoseconds()), 8);
        writeSync(records, record);
        if (hold) await sleep(hold * 1000);
        return who ?? null;
      };
      await queue.work(slots, lease, handle);
      return { working: true };
    },
  };

  answer({ ready: true });
  for await (const line of createInterface({ input: process.stdin })) {
    const order = JSON.parse(line);
    if (order.do === "stop") break;
    answer(await orders[order.do](order));
  }
  await queue.stop();
  closeSync(records);
  answer({ stopped: true });
  process.exit(0);
}
