// The web service of service.ts with Fastify: node fastify.js PORT. It needs `npm install fastify`.
import { Readable } from "node:stream";
import { Client, type Task } from "@blueque/client";
import { fastify } from "fastify";
import { type Shown, changes, shown, statusOf } from "./view.js";

interface ById { Params: { id: string } }

const client = new Client();
await client.check();
const queue = client.queue("transcode");

/** Each change as an event. */
async function* events(task: Task, first: Shown): AsyncGenerator<string, void> {
  for await (const text of changes(task, first)) yield `data: ${text}\n\n`;
}

const app = fastify({ forceCloseConnections: true });
app.addHook("onClose", () => client.close());
app.addContentTypeParser("*", { parseAs: "string" }, app.getDefaultJsonParser("error", "error"));
app.addContentTypeParser("text/plain", { parseAs: "string" }, app.getDefaultJsonParser("error", "error"));
app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
  return reply.status(statusOf(error) ?? error.statusCode ?? 500).send({ error: error.message });
});

app.post("/tasks", async ({ body, headers }, reply) => {
  const key = headers["idempotency-key"];
  const { id } = await queue.submit(body, typeof key === "string" ? { id: key } : {});
  return reply.status(202).header("Location", `/tasks/${id}`).send({ id });
});

app.get<ById>("/tasks/:id", ({ params }) => shown(client.task(params.id)));

app.delete<ById>("/tasks/:id", async ({ params }, reply) => {
  await client.task(params.id).cancel("asked for by the service's client");
  return reply.status(202).send();
});

app.get<ById>("/tasks/:id/events", async ({ params }, reply) => {
  const task = client.task(params.id);
  const first = await shown(task); // an unknown task is 404
  return reply.type("text/event-stream").send(Readable.from(events(task, first)));
});

console.log(await app.listen({ port: Number(process.argv[2] ?? 3000), host: "127.0.0.1" }));
process.once("SIGTERM", () => void app.close());
