// Submits, cancels and adds with the client for TypeScript, as it is told: client.mjs URL QUEUE ITEMS. It reads a JSON
// object a line, and answers each with one:
//
//   {"do": "submit", "id": ID, "parameters": VALUE}   {"ok": true}
//   {"do": "cancel", "id": ID}                        {"ok": whether it can be cancelled}
//   {"do": "add", "id": ID, "data": TEXT}             {"ok": what addItem says}
import { createInterface } from "node:readline";
import { Client, NotFound, Refused, WorkItem, WorkQueue } from "../../clients/typescript/dist/index.js";

const [, , url, name, items] = process.argv;
const client = new Client(url);
const queue = client.queue(name);
const works = new WorkQueue(client, items);

async function done(order) {
  if (order.do === "add") return works.addItem(new WorkItem(order.data, order.id));
  if (order.do === "submit") {
    await queue.submit(order.parameters, { id: order.id, method: "square", maxLosses: 1000 });
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
