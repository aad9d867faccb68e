// BullMQ as its guide has it: one worker, whose `concurrency` says how many jobs run at a time (Guide, Workers,
// Concurrency), and `addBulk` for many jobs (Guide, Queues, Adding jobs in bulk).
import { closeSync, openSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Queue, Worker } from "bullmq";

const QUEUE = "peers";
const [url, path] = process.argv.slice(2);
const { hostname: host, port } = new URL(url);
const connection = { host, port: Number(port) };
const records = openSync(path, "a");

const nanoseconds = () => Math.round((performance.timeOrigin + performance.now()) * 1e6);
const answer = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

function payload(n, bytes = 100) {
  return { n, pad: "x".repeat(bytes - JSON.stringify({ n, pad: "" }).length) };
}

function handled(task) {
  const record = Buffer.alloc(16);
  record.writeBigUInt64LE(BigInt(task.n), 0);
  record.writeBigUInt64LE(BigInt(nanoseconds()), 8);
  writeSync(records, record);
}

const queue = new Queue(QUEUE, { connection });
await queue.waitUntilReady();
let worker;

const orders = {
  async add({ first, count, batch, bytes }) {
    const tasks = Array.from({ length: count }, (_, at) => payload(first + at, bytes));
    const began = performance.now();
    if (batch === 1) {
      for (const task of tasks) await queue.add("task", task);
    } else {
      for (let at = 0; at < count; at += batch) {
        await queue.addBulk(tasks.slice(at, at + batch).map((data) => ({ name: "task", data })));
      }
    }
    return { seconds: (performance.now() - began) / 1000 };
  },
  async lone({ number }) {
    const task = payload(number);
    const sent = nanoseconds();
    await queue.add("task", task);
    return { sent };
  },
  async work({ slots, hold, lease }) {
    const times = lease ? { lockDuration: lease * 1000, stalledInterval: lease * 1000 } : {};
    const handle = async (job) => {
      handled(job.data);
      if (hold) await sleep(hold * 1000);
      return null;
    };
    worker = new Worker(QUEUE, handle, { connection, concurrency: slots, ...times });
    await worker.waitUntilReady();
    return { working: true };
  },
};

answer({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  if (order.do === "stop") break;
  answer(await orders[order.do](order));
}
await worker?.close();
await queue.close();
closeSync(records);
answer({ stopped: true });
process.exit(0);
