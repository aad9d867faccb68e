// The web service of service.ts with Express: node express.js PORT. It needs `npm install express`.
import type { AddressInfo } from "node:net";
import { Client } from "@blueque/client";
import express, { type NextFunction, type Request, type Response } from "express";
import { changes, shown, statusOf } from "./view.js";

const client = new Client();
await client.check();
const queue = client.queue("transcode");

const app = express();
app.use(express.json({ strict: false, type: () => true }));

app.post("/tasks", async (request: Request<object, object, unknown>, response) => {
  const { id } = await queue.submit(request.body, { id: request.get("Idempotency-Key") });
  response.status(202).location(`/tasks/${id}`).json({ id });
});

app.get("/tasks/:id", async ({ params }, response) => {
  response.json(await shown(client.task(params.id)));
});

app.delete("/tasks/:id", async ({ params }, response) => {
  await client.task(params.id).cancel("asked for by the service's client");
  response.status(202).json(null);
});

/** Sends each change. A client that closes the connection ends the loop. */
app.get("/tasks/:id/events", async ({ params }, response) => {
  const task = client.task(params.id);
  const first = await shown(task); // an unknown task is 404
  response.type("text/event-stream");
  for await (const text of changes(task, first)) {
    if (response.destroyed) break;
    response.write(`data: ${text}\n\n`);
  }
  response.end();
});

app.use((error: Error & { status?: number }, _request: Request, response: Response, next: NextFunction) => {
  if (response.headersSent) {
    next(error);
    return;
  }
  response.status(statusOf(error) ?? error.status ?? 500).json({ error: error.message });
});

const server = app.listen(Number(process.argv[2] ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => {
  server.close(() => void client.close());
  server.closeAllConnections();
});
