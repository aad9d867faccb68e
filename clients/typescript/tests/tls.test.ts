// TLS on real servers: each version, the client's certificate, Sentinels and a cluster by TLS, and refusals.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { BluequeError, Client, Worker } from "@blueque/client";
import { createClient } from "redis";
import { Server, becomes, freePorts } from "./server.js";

const TLS = fileURLToPath(new URL("../../../tests/tls", import.meta.url));
const CA = `ca=${TLS}/ca.pem`;
const OWN = `cert=${TLS}/client.pem&key=${TLS}/client.key`;

/** The files of a server: its own files, and the files for connections between servers. */
function keys(certificate: string): [string, string][] {
  const files = { cert: certificate, key: "server.key", "ca-cert": "ca.pem", "client-cert": "client.pem", "client-key": "client.key" };
  return Object.entries(files).map(([name, file]) => [`tls-${name}-file`, `${TLS}/${file}`]);
}

/** A server that accepts TLS on a port. */
async function serving(certificate: string, ...more: string[]): Promise<{ own: Server; port: string; ask: (words: string[]) => Promise<string> } & AsyncDisposable> {
  const [port = ""] = (await freePorts(1)).map(String);
  const files = keys(certificate).flatMap(([name, file]) => [`--${name}`, file]);
  const own = new Server("--tls-port", port, ...files, ...more);
  const ask = async (words: string[]): Promise<string> => {
    const redis = createClient({ RESP: 2, socket: { path: new URL(own.url).pathname, reconnectStrategy: false, tls: false } });
    redis.on("error", () => undefined);
    try {
      await redis.connect();
      return JSON.stringify(await redis.sendCommand(words));
    } catch (error) {
      return (error as Error).message;
    } finally {
      if (redis.isOpen) redis.destroy();
    }
  };
  await becomes(async () => (await ask(["PING"])).includes('PONG'));
  return { own, port, ask, [Symbol.asyncDispose]: () => own[Symbol.asyncDispose]() };
}

/** Submits a task, and gets its result from a worker. */
async function life(url: string, namespace = `t${randomUUID()}`): Promise<void> {
  await using client = new Client(url, { namespace });
  await client.check();
  const task = await client.queue("q").submit(2);
  await using worker = new Worker(client, "q", (number: unknown) => Number(number) * 3, { signals: false, log: () => undefined });
  void worker.run();
  assert.equal(await task.result({ timeout: 30 }), 6);
}

/** The error with which a server refuses a client. */
async function refused(url: string): Promise<BluequeError> {
  await using client = new Client(url, { limit: 2 });
  const error: unknown = await client.check().catch((error: unknown) => error);
  assert.ok(error instanceof BluequeError, String(error));
  return error;
}

for (const version of ["TLSv1.2", "TLSv1.3"]) {
  test(`${version} with the client's certificate, and not without`, async () => {
    await using server = await serving("server.pem", "--tls-auth-clients", "yes", "--tls-protocols", version);
    await life(`rediss://localhost:${server.port}?${CA}&${OWN}`);
    const error = await refused(`rediss://localhost:${server.port}?${CA}`);
    assert.ok(["CONNECTION", "UNAVAILABLE"].includes(error.code), String(error));
  });
}

test("a certificate that has expired, for another name or by another authority is not trusted", async () => {
  await using good = await serving("server.pem", "--tls-auth-clients", "no");
  await using late = await serving("expired.pem", "--tls-auth-clients", "no");
  for (const url of [
    `rediss://localhost:${late.port}?${CA}`,
    `rediss://127.0.0.2:${good.port}?${CA}`,
    `rediss://localhost:${good.port}?ca=${TLS}/client.pem`,
    `rediss://localhost:${good.port}`,
  ]) {
    const error = await refused(url);
    assert.deepEqual([error.code, error.message.includes('certificate is not trusted')], ["CONNECTION", true], `${url}: ${String(error)}`);
  }
});

test("Sentinels by TLS", async () => {
  await using master = await serving("server.pem", "--tls-auth-clients", "no", "--tls-replication", "yes");
  const folder = mkdtempSync(join(tmpdir(), "blueque-tls-"));
  const [port = ""] = (await freePorts(1)).map(String);
  const lines = keys("server.pem").map((pair) => pair.join(" "));
  lines.push("port 0", `tls-port ${port}`, "bind 127.0.0.1", "tls-replication yes", "tls-auth-clients no");
  writeFileSync(join(folder, "sentinel.conf"), `${[...lines, `sentinel monitor films 127.0.0.1 ${master.port} 1`].join("\n")}\n`);
  const sentinel = spawn(process.env["BLUEQUE_REDIS_SERVER"] ?? "redis-server", [join(folder, "sentinel.conf"), "--sentinel"], { stdio: "ignore" });
  try {
    await life(`rediss+sentinel://localhost:${port}/films?${CA}`);
  } finally {
    sentinel.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a cluster by TLS", async () => {
  const [bus = ""] = (await freePorts(1)).map(String);
  const cluster = ["--cluster-enabled", "yes", "--cluster-port", bus, "--tls-cluster", "yes", "--tls-auth-clients", "no", "--appendonly", "no"];
  await using node = await serving("server.pem", "--bind", "127.0.0.1", ...cluster);
  await node.ask(["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
  await becomes(async () => (await node.ask(["CLUSTER", "INFO"])).includes("cluster_state:ok"));
  await life(`rediss+cluster://localhost:${node.port}?${CA}`, "{tls}");
});
