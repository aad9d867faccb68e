// BullMQ as its guide has it: one worker, whose `concurrency` says how many jobs run at a time (Guide, Workers,
// Concurrency), and `addBulk` for many jobs (Guide, Queues, Adding jobs in bulk).
import { Queue, Worker } from "bullmq";
import { QUEUE, serve } from "./peer.mjs";

await serve(async (url) => {
  const { hostname: host, port } = new URL(url);
  const connection = { host, port: Number(port) };
  const queue = new Queue(QUEUE, { connection });
  await queue.waitUntilReady();
  let worker, last;
  return {
    add: async (task) => (last = (await queue.add("task", task)).id),
    addMany: (tasks) => queue.addBulk(tasks.map((data) => ({ name: "task", data }))),
    result: async () => (await queue.getJob(last)).returnvalue,
    async work(slots, lease, handle) {
      const times = lease ? { lockDuration: lease * 1000, stalledInterval: lease * 1000 } : {};
      worker = new Worker(QUEUE, (job) => handle(job.data), { connection, concurrency: slots, ...times });
      await worker.waitUntilReady();
    },
    async stop() {
      await worker?.close();
      await queue.close();
    },
  };
});
