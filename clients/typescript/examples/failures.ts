// Failures: which errors are retried, which are not, and what the caller gets.
import { type Context, Failure, TaskFailed, Worker } from "@blueque/client";
import { Server } from "@blueque/client/testing";

const handlers = {
  fetch(url: string, context: Context): string {
    if (context.attempt < 3) throw new TypeError(`${url} does not answer`);
    return "<html>";
  },
  pay(amount: number): never {
    throw new Failure(`no cover for ${amount}`, { group: "cover", permanent: true });
  },
};

await using server = new Server();
await using client = server.client();
await using worker = new Worker(client, "web", handlers, { log: () => undefined });
void worker.run();
const web = client.queue("web");
const page = await web.submit("http://a.example", { method: "fetch", maxFailures: 3, delay: 0 });
const bill = await web.submit(5, { method: "pay", maxFailures: 3 });
console.log(await page.result({ timeout: 60 }), "after", (await page.info()).failures, "failures");
try {
  await bill.result({ timeout: 60 });
} catch (error) {
  if (!(error instanceof TaskFailed)) throw error;
  console.log(`${error.group ?? ""}: ${error.error}; ${error.remedy}`);
}
