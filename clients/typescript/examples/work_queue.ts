// A queue used like one of redis-work-queue: items are leased and completed, without a worker.
import { WorkItem, WorkQueue } from "@blueque/client";
import { Server } from "@blueque/client/testing";

await using server = new Server();
await using client = server.client();
await using films = new WorkQueue(client, "my films/2026");
for (const name of ["a.mkv", "b.mkv"]) await films.addItem(new WorkItem(name, `${name} (HD)`));
for (let item; (item = await films.lease(600, { block: false })); ) {
  console.log(item.id, item.data.toString(), await films.complete(item));
}
console.log(await films.queueLength(), "wait,", await films.processing(), "are leased");
