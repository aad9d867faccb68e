// The addresses of a server: by TCP, by TLS, of a cluster, of Sentinels; as a URL, or as a client of node-redis.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { BluequeError, Client, type NodeRedis, Worker } from "@blueque/client";
import { createClient, createCluster, createSentinel } from "redis";
import { Server, becomes, freePorts } from "./server.js";

const TLS = fileURLToPath(new URL("../../../tests/tls", import.meta.url));

function scratch(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "blueque-addresses-"));
  return {
    path,
    [Symbol.dispose]: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Returns true if the reply to a command is as expected. */
async function says(server: string, words: string[], text: RegExp): Promise<boolean> {
  const url = new URL(server);
  const socket = url.protocol === "unix:" ? { path: url.pathname } : { port: Number(url.port), host: url.hostname };
  const redis = createClient({ RESP: 2, socket: { ...socket, reconnectStrategy: false, tls: false } });
  redis.on("error", () => undefined);
  try {
    await redis.connect();
    return text.test(JSON.stringify(await redis.sendCommand(words)));
  } catch (error) {
    return text.test((error as Error).message);
  } finally {
    if (redis.isOpen) redis.destroy();
  }
}

/** A node of a cluster; the first one has all slots. */
async function node(port: number, bus: number, all: boolean): Promise<Server> {
  const own = new Server("--port", String(port), "--bind", "127.0.0.1", "--appendonly", "no", "--cluster-enabled", "yes", "--cluster-port", String(bus));
  await becomes(() => says(own.url, ["PING"], /PONG/));
  if (all) {
    await says(own.url, ["CLUSTER", "ADDSLOTSRANGE", "0", "16383"], /OK/);
    await becomes(() => says(own.url, ["CLUSTER", "INFO"], /cluster_state:ok/));
  }
  return own;
}

/** A Sentinel that watches a server. */
function sentinel(folder: string, port: number, watched: number, ...lines: string[]): ChildProcess & Disposable {
  const file = join(folder, "sentinel.conf");
  const head = [`port ${port}`, "bind 127.0.0.1", `dir ${folder}`, `sentinel monitor queue 127.0.0.1 ${watched} 1`];
  writeFileSync(file, `${[...head, ...lines].join("\n")}\n`);
  const program = process.env["BLUEQUE_REDIS_SERVER"] ?? "redis-server";
  const own = spawn(program, [file, "--sentinel"], { stdio: "ignore" });
  return Object.assign(own, { [Symbol.dispose]: () => own.kill("SIGKILL") });
}

/** Submits a task and gets its result from a worker; then submits and cancels a second task. */
async function life(server: string | NodeRedis, namespace = `t${randomUUID()}`): Promise<void> {
  await using client = new Client(server, { namespace });
  await client.check();
  const task = await client.queue("q").submit(2);
  let began = false;
  const run = (number: unknown, { signal }: { signal: AbortSignal }): unknown => {
    if (typeof number === "number") return number * 3;
    began = true;
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        reject(signal.reason as Error);
      });
    });
  };
  await using worker = new Worker(client, "q", run, { signals: false, log: () => undefined });
  void worker.run();
  assert.equal(await task.result({ timeout: 30 }), 6);
  const endless = await client.queue("q").submit("endless");
  await becomes(() => began);
  await endless.cancel(); // announced to the worker, long before its next heartbeat
  await becomes(async () => (await endless.state()) === "cancelled", 9);
}

/** The error with which a call ends. */
async function ends(url: string, options: object = {}): Promise<BluequeError> {
  await using client = new Client(url, { limit: 0.3, ...options });
  try {
    await client.check();
  } catch (error) {
    assert.ok(error instanceof BluequeError, String(error));
    assert.ok(error.remedy);
    return error;
  }
  throw new Error("it succeeded");
}

test("by TCP", async () => {
  const [port = 0] = await freePorts(1);
  await using own = new Server("--port", String(port));
  await becomes(() => says(own.url, ["PING"], /PONG/));
  await life(`redis://127.0.0.1:${port}/3`);
  assert.ok(await says(own.url, ["INFO", "keyspace"], /db3:/));
});

test("a URL of another kind than the server says so, and what to write", async () => {
  const [port = 0] = await freePorts(1);
  await using own = new Server("--port", String(port));
  await becomes(() => says(own.url, ["PING"], /PONG/));
  const wrong: [string, RegExp][] = [
    [`redis+sentinel://127.0.0.1:${port}/queue`, /names Sentinels, .* write redis:\/\/host:port for the server itself/],
    [`redis+cluster://127.0.0.1:${port}`, /of a cluster, and the server is none.* Write redis:\/\/host:port/],
    [`redis://127.0.0.1:${port}/99`, /no database with the number .* Correct that number/],
  ];
  for (const [url, message] of wrong) {
    await using client = new Client(url, { limit: 60 });
    await assert.rejects(client.check(), { name: "ConnectionFailed", message }, url);
  }
  await using client = new Client(`rediss://127.0.0.1:${port}`, { limit: 0.5 });
  await assert.rejects(client.check(), { name: "Unavailable", message: /speaks TLS: one that does not has the URL redis:/ });
});

test("by TLS, with the authority's certificate and the client's own", async () => {
  const [port = 0] = await freePorts(1);
  const keys = ["--tls-cert-file", `${TLS}/server.pem`, "--tls-key-file", `${TLS}/server.key`, "--tls-ca-cert-file", `${TLS}/ca.pem`];
  await using own = new Server("--tls-port", String(port), ...keys);
  await becomes(() => says(own.url, ["PING"], /PONG/));
  const files = `ca=${TLS}/ca.pem&cert=${TLS}/client.pem&key=${TLS}/client.key`;
  await life(`rediss://localhost:${port}?${files}`);
  for (const [url, text] of [
    [`rediss://localhost:${port}`, /certificate is not trusted/],
    [`rediss://127.0.0.2:${port}?${files}`, /certificate is not trusted.*127\.0\.0\.2/],
    [`rediss://localhost:${port}?ca=${TLS}/ca.pem`, /certificate/],
  ] as const) {
    const error = await ends(url, { limit: 10 });
    assert.deepEqual([error.name, error.code], ["ConnectionFailed", "CONNECTION"], String(error));
    assert.match(error.message, text);
  }
  assert.throws(() => new Client(`rediss://localhost:${port}?ca=/no/such`), { code: "CONNECTION", message: /a file for TLS cannot be read: .*\/no\/such/ });
});

test("of a cluster", async () => {
  const [port = 0, bus = 0, single = 0] = await freePorts(3);
  await using _ = await node(port, bus, true);
  await life(`redis+cluster://127.0.0.1:1,127.0.0.1:${port}`, "{blueque:7}");
  await life(createCluster({ rootNodes: [{ socket: { host: "127.0.0.1", port } }] }), "{blueque:8}");
  await using untagged = new Client(`redis+cluster://127.0.0.1:${port}`);
  await assert.rejects(untagged.queue("q").submit(1), { name: "InvalidCall", code: "BADNAME", message: /needs a \{tag\}/ });
  const away = await ends("redis+cluster://127.0.0.1:1");
  assert.equal(away.code, "UNAVAILABLE");
  assert.match(away.message, /within 0\.3 s: .*ECONNREFUSED/);
  await using own = new Server("--port", String(single));
  await becomes(() => says(own.url, ["PING"], /PONG/));
  assert.match((await ends(`redis+cluster://127.0.0.1:${single}`)).message, /cluster support disabled/);
});

test("a node of a cluster that has the slots elsewhere is not the one to ask", async () => {
  const [first = 0, firstBus = 0, second = 0, secondBus = 0] = await freePorts(4);
  await using one = await node(first, firstBus, false);
  await using _ = await node(second, secondBus, true);
  await says(one.url, ["CLUSTER", "MEET", "127.0.0.1", String(second), String(secondBus)], /OK/);
  await becomes(() => says(one.url, ["GET", "a"], /MOVED/));
  const error = await ends(`redis://127.0.0.1:${first}`, { namespace: "{blueque}" });
  assert.equal(error.code, "MOVED");
  assert.match(error.remedy, /cluster/);
  await life(`redis+cluster://127.0.0.1:${first}`, "{blueque}");
});

test("of Sentinels", async () => {
  using folder = scratch();
  const [port = 0, own = 0] = await freePorts(2);
  await using server = new Server("--port", String(port));
  await becomes(() => says(server.url, ["PING"], /PONG/));
  using _ = sentinel(folder.path, own, port);
  await becomes(() => says(`redis://127.0.0.1:${own}`, ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", "queue"], /127\.0\.0\.1/));
  await life(`redis+sentinel://127.0.0.1:1,127.0.0.1:${own}/queue/2`);
  assert.ok(await says(server.url, ["INFO", "keyspace"], /db2:/));
  await life(createSentinel({ name: "queue", sentinelRootNodes: [{ host: "127.0.0.1", port: own }] }));
  const error = await ends(`redis+sentinel://127.0.0.1:${own}/nobody`);
  assert.equal(error.code, "UNAVAILABLE");
  assert.match(error.message, /No such master/);
});

test("of Sentinels with a password of their own; both come from files", async () => {
  using folder = scratch();
  const [ours, theirs] = [join(folder.path, "server"), join(folder.path, "sentinel")];
  writeFileSync(ours, "secret\n");
  writeFileSync(theirs, "other\n");
  const [port = 0, own = 0] = await freePorts(2);
  await using server = new Server("--port", String(port), "--requirepass", "secret");
  await becomes(() => says(server.url, ["PING"], /NOAUTH/));
  using _ = sentinel(folder.path, own, port, "sentinel auth-pass queue secret", "user default off", "user scout on >other ~* &* +@all");
  await becomes(() => says(`redis://127.0.0.1:${own}`, ["PING"], /NOAUTH/));
  const at = `redis+sentinel://127.0.0.1:${own}/queue?password_file=${ours}`;
  await life(`${at}&sentinel_user=scout&sentinel_password_file=${theirs}`);
  const error = await ends(at);
  assert.equal(error.code, "CONNECTION");
  assert.match(error.message, /the server refuses the login: it asks for a password\./);
});

test("a client without a server reads the environment, as blueque does", async () => {
  using folder = scratch();
  const file = join(folder.path, "password");
  writeFileSync(file, "one\n");
  await using own = new Server("--user", "worker", "on", ">one", "~*", "&*", "+@all");
  await becomes(() => says(own.url, ["PING"], /PONG/));
  const said = { URL: own.url, USER: "worker", PASSWORD_FILE: file, NAMESPACE: "env" };
  const before = { ...process.env };
  for (const [name, value] of Object.entries(said)) process.env[`BLUEQUE_${name}`] = value;
  try {
    await using client = new Client();
    await using other = new Client(undefined, { namespace: "own" });
    await client.queue("q").submit(1, { id: "t" });
    await other.queue("q").submit(1, { id: "t" });
  } finally {
    process.env = before;
  }
  for (const key of ["env_task_t", "own_task_t"]) assert.ok(await says(own.url, ["HGET", key, "parameters"], /1/), key);
});

test("a password from a file is read at each connection, so that a new one needs no restart", async () => {
  using folder = scratch();
  const file = join(folder.path, "password");
  await using own = new Server("--user", "worker", "on", ">one", "~*", "&*", "+@all");
  await becomes(() => says(own.url, ["PING"], /PONG/));
  const url = `${own.url}?user=worker&password_file=${file}`;
  await using client = new Client(url, { limit: 5 });
  for (const [text, why] of [
    [undefined, /cannot be read: ENOENT/],
    ["\n", /is no file with a password/],
    ["x".repeat(70_000), /is no file with a password/],
    ["wrong", /refuses the login: WRONGPASS/],
  ] as const) {
    if (text !== undefined) writeFileSync(file, text);
    await assert.rejects(client.check(), { name: "ConnectionFailed", code: "CONNECTION", message: why });
  }
  writeFileSync(file, "one\n");
  await client.check();
  await says(own.url, ["ACL", "SETUSER", "worker", ">two", "<one"], /OK/);
  writeFileSync(file, "two\n");
  await says(own.url, ["CLIENT", "KILL", "USER", "worker"], /1/);
  await client.check();
  await life(url);
});

test("a server that begins to want a password, also where it refuses a call for its length alone", async () => {
  await using own = new Server();
  await becomes(() => says(own.url, ["CONFIG", "SET", "requirepass", "secret"], /OK/));
  const acts: ((client: Client) => Promise<unknown>)[] = [
    (client) => client.check(),
    (client) => client.queue("q").submitMany(Array.from({ length: 20 }, (_, at) => at)),
    (client) => client.queue("q").submit("x".repeat(20_000)),
  ];
  for (const act of acts) {
    await using client = own.client();
    const refusal = { name: "ConnectionFailed", code: "CONNECTION", remedy: /credentials/, message: /refuses the login: it asks for a password\./ };
    await assert.rejects(act(client), refusal, String(act));
  }
});

test("what a URL cannot say here is refused with its name, before anything is sent", () => {
  for (const [url, said] of [
    ["redis://h?read=replica", /`read`/],
    ["redis+sentinel://h/m?read=replica", /`read`/],
    ["redis://h?reads=replica", /`reads` in the URL is no parameter .* it knows password_file/],
    ["redis://h?durability=fsync", /`durability`/],
    ["redis+cluster://h?client_name=films", /`client_name`/],
    ["redis://h?db=1", /`db`/],
    ["redis://h?ca=/x", /`ca`.* not rediss:/],
    ["rediss://h?ca=x", /`ca`.* absolute/],
    ["rediss://h?cert=/x", /`cert`.* needs `key`/],
    ["rediss://h?key=/x", /`key`.* needs `cert`/],
    ["redis://h?password_file=x", /`password_file`.* absolute/],
    ["redis://h?sentinel_user=x", /`sentinel_user`.* Sentinels/],
    ["redis+cluster://h?sentinel_password_file=/x", /`sentinel_password_file`.* Sentinels/],
    ["redis+sentinel://h/m?sentinel_user=x", /`sentinel_user`.* needs `sentinel_password_file`/],
    ["redis+sentinel://h", /name of the master/],
    ["redis+sentinel://h/m/x", /database/],
    ["redis://h/one", /database/],
    ["redis+cluster://h/1", /only the database 0/],
    ["redis://one,two", /several hosts/],
    ["unix+cluster:///s", /redis\+cluster:/],
    ["unix://h/s", /unix:\/\/\/path/],
    ["unix:///s?db=one", /database/],
    ["redis+ring://h", /must begin with/],
    ["redis://:se/cret@h", /database/],
    ["redis://:%zsecret@h", /malformed/],
    ["redis://h:secret", /malformed/],
    ["redis://h:99999", /malformed/],
  ] as const) {
    assert.throws(
      () => new Client(url),
      (error) => {
        assert.ok(error instanceof BluequeError, String(error));
        assert.deepEqual([error.name, error.code], ["ConnectionFailed", "CONNECTION"]);
        assert.match(error.message, said, url);
        assert.ok(error.remedy && !error.message.includes("cret"), error.message);
        return true;
      },
      url,
    );
  }
});

test("what a URL may say", async () => {
  for (const url of ["redis://h?read=master", "valkey://u:p%40@h:1/2", "redis://[::1]:6379", "unix://u:p@/s?db=3", "unix:///s?user=u&pass=p"]) {
    await new Client(url).close();
  }
});
