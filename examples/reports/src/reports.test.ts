// The tests: `npm test`. They need an installed redis-server or valkey-server.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { Clock, Server, runUntilIdle } from "@blueque/client/testing";
import type { Client } from "@blueque/client";

const PAGES = 3;
/** Requests that the site has answered, and requests that it refuses with the status 503. */
let [asked, busy] = [[] as string[], new Set<string>()];
/** Pages of the shop `slow`, which waits before each answer. */
const SLOW_PAGES = 1000;

const site = createServer((request, response) => {
  const url = request.url ?? "";
  asked.push(url);
  const status = url.startsWith("/nowhere") ? 404 : busy.delete(url) ? 503 : 200;
  const slow = url.startsWith("/slow");
  setTimeout(() => response.writeHead(status).end(JSON.stringify({ pages: slow ? SLOW_PAGES : PAGES, cents: [100, 250] })), slow ? 20 : 0);
});
site.listen(0, "127.0.0.1");
await once(site, "listening");
const folder = mkdtempSync(join(tmpdir(), "reports-"));
process.env.SHOPS_URL = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
process.env.REPORTS_FOLDER = folder;
const { QUEUE, handlers, report } = await import("./tasks.js"); // it reads the environment

const server = new Server();
after(async () => {
  await server[Symbol.asyncDispose]();
  site.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  [asked, busy] = [[], new Set()];
});

async function states(client: Client, month: string): Promise<Record<string, string>> {
  const items = await client.graph(`report-${month}`).tasks();
  return Object.fromEntries(items.map(({ id, label, status }) => [label ?? id, status]));
}

test("a report has the sales of all shops", async () => {
  await using client = server.client();
  await client.submitGraph(report("2027-01", ["berlin", "paris"]));
  await client.submitGraph(report("2027-01", ["berlin", "paris"])); // changes nothing
  assert.equal(await runUntilIdle(client, QUEUE, handlers(client)), 3);
  assert.equal(readFileSync(join(folder, "2027-01.csv"), "utf8"), "shop,orders,sales\nberlin,6,10.50\nparis,6,10.50\n");
  assert.deepEqual(await states(client, "2027-01"), { berlin: "complete", paris: "complete", publish: "complete", warn: "cancelled" });
});

test("a busy site is asked again, for the page that failed", async () => {
  const clock = new Clock();
  await using client = server.client({ clock: clock.read });
  busy.add("/berlin/2027-02?page=1");
  await client.submitGraph(report("2027-02", ["berlin"]));
  await runUntilIdle(client, QUEUE, handlers(client));
  assert.equal((await states(client, "2027-02")).berlin, "scheduled");
  clock.advance(3600); // no test waits for a retry
  await runUntilIdle(client, QUEUE, handlers(client));
  assert.equal((await states(client, "2027-02")).publish, "complete");
  assert.deepEqual(asked, [0, 1, 1, 2].map((page) => `/berlin/2027-02?page=${page}`));
});

test("an unknown shop is asked once, and the missing report is noted", async () => {
  await using client = server.client();
  await client.submitGraph(report("2027-03", ["nowhere"]));
  await runUntilIdle(client, QUEUE, handlers(client));
  assert.deepEqual(await states(client, "2027-03"), { nowhere: "failed", publish: "failed", warn: "complete" });
  assert.deepEqual(asked, ["/nowhere/2027-03?page=0"]);
  assert.ok(existsSync(join(folder, "2027-03.missing")));
});

test("the schedule makes a report of each month", async () => {
  const clock = new Clock(Date.UTC(2027, 3, 15) / 1000);
  await using client = server.client({ clock: clock.read });
  await client.schedule("monthly", QUEUE, ["berlin"], { cron: "0 6 1 * *", zone: "Europe/Berlin", method: "monthly" });
  for (let month = 0; month < 2; month += 1) {
    clock.advance(31 * 24 * 3600);
    await runUntilIdle(client, QUEUE, handlers(client, () => clock.now * 1000));
  }
  for (const month of ["2027-04", "2027-05"]) assert.ok(existsSync(join(folder, `${month}.csv`)), month);
});

test("the service shows progress, and cancels", async (t) => {
  const environment = { ...process.env, BLUEQUE_URL: server.url, BLUEQUE_NAMESPACE: "service" };
  const start = (name: string, ...more: string[]): ChildProcess => {
    const process_ = spawn(process.execPath, [new URL(`${name}.js`, import.meta.url).pathname, ...more], {
      env: environment, stdio: ["ignore", "pipe", "ignore"],
    });
    t.after(() => process_.kill("SIGKILL"));
    return process_;
  };
  const [worker, service] = [start("worker"), start("service", "0")];
  assert.ok(service.stdout);
  const [said] = await once(service.stdout, "data") as [Buffer];
  const reports = `${said.toString().trim()}/reports`;
  const call = (path: string, method = "GET", body?: unknown): Promise<Response> =>
    fetch(`${reports}/${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });

  assert.deepEqual(await (await call("2027-07", "POST", ["slow"])).json(), { id: "report-2027-07" });
  assert.equal((await call("2027-07", "POST", ["berlin"])).status, 409);
  assert.equal((await call("2027-08", "POST", "berlin")).status, 400);
  assert.equal((await call("2027-08")).status, 404);
  let [last, text] = ["", ""];
  for await (const chunk of (await call("2027-07/events")).body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString();
    last = text.trim().split("\n\n").at(-1) ?? "";
    if (/"slow":\{"status":"started","progress":\{"done":\d/.test(last)) await call("2027-07", "DELETE");
  }
  assert.match(last, /^data: \{"status":"cancelled"/);
  assert.equal((await call("2027-08", "POST", ["berlin"])).status, 202);
  assert.match(await (await call("2027-08/events")).text(), /"status":"complete","tasks":\{"berlin":\{"status":"complete"\}/);
  for (const each of [worker, service]) {
    each.kill("SIGTERM");
    if (each.exitCode === null) await once(each, "exit");
    assert.deepEqual([each.exitCode, each.signalCode], [0, null]);
  }
});
