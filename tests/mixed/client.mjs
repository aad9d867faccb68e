// Submits, schedules, cancels and adds with the client for TypeScript, as it is told: client.mjs URL QUEUE ITEMS. It reads
// a JSON object a line, and answers each with one:
//
//   {"do": "submit", "id": ID, "parameters": VALUE}                           {"ok": true}
//   {"do": "schedule", "name": NAME, "cron": TEXT or null, "parameters": …}   {"ok": true}; without cron each second
//   {"do": "cancel", "id": ID}                                                {"ok": whether it can be cancelled}
//   {"do": "add", "id": ID, "data": TEXT}                                     {"ok": what addItem says}
//
// A hook around each submit adds the tag `hooked`.
import { createInterface } from "node:readline";
import { Client, NotFound, Refused, WorkItem, WorkQueue } from "../../clients/typescript/dist/index.js";

const [, , url, name, items] = process.argv;
const hooks = {
  async aroundSubmit(submit, next) {
    submit.options = { ...submit.options, tags: [...(submit.options.tags ?? []), "hooked"] };
    await next();
    throw new Error("a hook changes no outcome");
  },
};
const client = new Client(url, { hooks });
const queue = client.queue(name);
const works = new WorkQueue(client, items);

const how = { method: "square", maxLosses: 1000, maxFailures: 1, delay: 0 };

async function done(order) {
  if (order.do === "add") return works.addItem(new WorkItem(order.data, order.id));
  if (order.do === "submit") {
    await queue.submit(order.parameters, { id: order.id, ...how });
    return true;
  }
  if (order.do === "schedule") {
    const when = order.cron === null ? { every: 1 } : { cron: order.cron };
    await client.schedule(order.name, name, order.parameters, { ...when, ...how, overlap: "allow", missed: "all" });
    return true;
  }
  try {
    await client.task(order.id).cancel("by chance");
  } catch (error) {
    // What has ended meanwhile cannot be cancelled.
    if (error instanceof NotFound || (error instanceof Refused && error.code === "STATE")) return false;
    throw error;
  }
  return true;
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify({ ok: await done(JSON.parse(line)) })}\n`);
}
await client.close();
