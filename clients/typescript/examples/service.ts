// A web service that submits tasks and follows them: node service.js PORT
//
// - POST /tasks with any JSON submits a task to the queue `transcode`. A repeated Idempotency-Key creates no second task.
// - GET /tasks/ID returns the state of a task, DELETE /tasks/ID cancels it.
// - GET /tasks/ID/events sends each change until the task has ended (server-sent events).
//
// It uses the server in BLUEQUE_URL. Another process does the work: a worker of the queue `transcode` in any language.
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { Client, type Task } from "@blueque/client";
import { changes, shown, statusOf } from "./view.js";

const client = new Client();
await client.check();
const queue = client.queue("transcode");

/** Sends each change. A client that closes the connection ends the loop. */
async function follow(task: Task, response: ServerResponse): Promise<void> {
  const first = await shown(task); // an unknown task is 404
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  for await (const text of changes(task, first)) {
    if (response.destroyed) break;
    response.write(`data: ${text}\n\n`);
  }
  response.end();
}

type Answer = readonly [status: number, body: unknown, headers?: Record<string, string>];

async function answer(request: IncomingMessage, task: Task | undefined): Promise<Answer> {
  if (request.url === "/tasks" && request.method === "POST") {
    const parameters = await json(request).catch(() => undefined);
    if (parameters === undefined) return [400, { error: "the body is no JSON" }];
    const key = request.headers["idempotency-key"];
    const { id } = await queue.submit(parameters, typeof key === "string" ? { id: key } : {});
    return [202, { id }, { Location: `/tasks/${id}` }];
  }
  if (!task) return [404, { error: "there are /tasks, /tasks/ID and /tasks/ID/events" }];
  if (request.method === "GET") return [200, await shown(task)];
  if (request.method !== "DELETE") return [405, { error: "a task takes GET and DELETE" }];
  await task.cancel("asked for by the service's client");
  return [202, null];
}

function refusal(error: unknown): Answer {
  return [statusOf(error) ?? 500, { error: error instanceof Error ? error.message : String(error) }];
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, id, events] = /^\/tasks\/([^/]+)(\/events)?$/.exec(request.url ?? "") ?? [];
  const task = id === undefined ? undefined : client.task(decodeURIComponent(id));
  try {
    if (task && events && request.method === "GET") {
      await follow(task, response);
      return;
    }
  } catch (error) {
    if (response.headersSent) {
      response.end(`data: ${JSON.stringify(refusal(error)[1])}\n\n`);
      return;
    }
  }
  const [status, body, headers] = await answer(request, task).catch(refusal);
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}

const server = createServer((request, response) => void serve(request, response));
server.listen(Number(process.argv[2] ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => {
  server.close(() => void client.close());
  server.closeAllConnections();
});
