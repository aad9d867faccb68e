// The web service: `npm run service`, with the port as its argument.
//
// - POST /reports/MONTH with a list of shops submits a report; a repeated request changes nothing.
// - GET /reports/MONTH shows its tasks, DELETE /reports/MONTH cancels it, POST /reports/MONTH/retry retries what failed.
// - GET /reports/MONTH/events sends each change until the report has ended (server-sent events).
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { BluequeError, Client, InvalidCall, NotFound, Refused, Unavailable, contract } from "@blueque/client";
import { QUEUE, published, report } from "./tasks.js";

/** Milliseconds between two looks at a followed report. */
const LOOK = 200;
const STATUS = [[NotFound, 404], [InvalidCall, 400], [Refused, 409], [Unavailable, 503]] as const;

const client = new Client();
await client.check();
// The same call at each start: it changes the schedule only if it differs.
await client.schedule("monthly", QUEUE, (process.env.SHOPS ?? "berlin,paris").split(","), {
  cron: "0 6 1 * *", zone: "Europe/Berlin", method: "monthly", overlap: "skip",
});

interface Shown { readonly status: string; readonly tasks: Record<string, object> }

/** A report: the state of each task, and the progress of those that run. */
async function shown(month: string): Promise<Shown> {
  const tasks: Record<string, object> = {};
  let status = "";
  for (const item of await client.graph(`report-${month}`).tasks()) {
    const task = client.task(item.id);
    if (item.id === published(month)) ({ status } = item);
    tasks[item.label ?? item.id] = {
      status: item.status,
      ...(item.status === "started" && { progress: await task.progress() }),
      ...(item.status === "failed" && !item.cause && { error: (await task.info()).error?.toString().split("\n", 1)[0] }),
    };
  }
  return { status, tasks };
}

/** Sends each change. A client that closes the connection ends the loop. */
async function follow(month: string, response: ServerResponse): Promise<void> {
  let now = await shown(month); // an unknown report is 404
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  for (let before = ""; !response.destroyed; ) {
    const text = JSON.stringify(now);
    if (text !== before) response.write(`data: ${text}\n\n`);
    if (contract.STATES[now.status]?.final) break;
    before = text;
    await sleep(LOOK);
    now = await shown(month);
  }
  response.end();
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, month, more] = /^\/reports\/(\d{4}-(?:0[1-9]|1[0-2]))(?:\/(events|retry))?$/.exec(request.url ?? "") ?? [];
  const send = (status: number, body: unknown): void => {
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  };
  const call = `${request.method ?? ""} ${more ?? ""}`;
  if (month === undefined) send(404, { error: "there is only /reports/YYYY-MM" });
  else if (call === "GET ") send(200, await shown(month));
  else if (call === "GET events") await follow(month, response);
  else if (call === "POST ") {
    const shops = await json(request).catch(() => undefined);
    if (!Array.isArray(shops) || !shops.every((shop): shop is string => typeof shop === "string" && /^[a-z]{1,40}$/.test(shop))) {
      send(400, { error: "the body is a list of shops" });
      return;
    }
    send(202, { id: (await client.submitGraph(report(month, shops))).id });
  } else if (call === "POST retry") {
    await client.graph(`report-${month}`).retry();
    send(202, null);
  } else if (call === "DELETE ") {
    // With the last task, all tasks are cancelled that only it needed. `warn` runs.
    await client.graph(`report-${month}`).cancel("cancelled by its owner", { task: published(month) });
    send(202, null);
  } else send(405, { error: "this call does not exist" });
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    const status = STATUS.find(([kind]) => error instanceof kind)?.[1] ?? 500;
    const text = JSON.stringify({ error: error instanceof BluequeError ? error.message : "an error of the service" });
    if (response.headersSent) response.end(`data: ${text}\n\n`);
    else response.writeHead(status, { "Content-Type": "application/json" }).end(text);
  });
});
server.listen(Number(process.argv[2] ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => {
  server.close(() => void client.close());
  server.closeAllConnections();
});
