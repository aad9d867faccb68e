// An interrupted task continues from its last checkpoint, not from the beginning.
// It needs only an installed redis-server or valkey-server, and starts its own server.
import { Again, type Context, Worker } from "@blueque/client";
import { Server } from "@blueque/client/testing";

async function read(pages: number, context: Context): Promise<number> {
  for (let page = context.lastCheckpoint<number>() ?? 0; page < pages; page += 1) {
    console.log(`attempt ${context.attempt} reads page ${page}`);
    await context.checkpoint(page + 1);
    await context.progress(page + 1, pages, "pages");
    if (page === 1) throw new Again(0); // as if the host went down here
  }
  return pages;
}

await using server = new Server();
await using client = server.client();
await using worker = new Worker(client, "pages", read);
void worker.run();
const book = await client.queue<number, number>("pages").submit(4);
const pages = await book.result({ timeout: 60 });
console.log(pages, "pages in attempt", (await book.info()).attempt);
