// Programs that a bundler has put into one file.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { build } from "esbuild";
import { createClient } from "redis";
import { Server } from "./server.js";

const server = new Server();
after(() => server[Symbol.asyncDispose]());
const folder = mkdtempSync(join(tmpdir(), "blueque-test-"));
after(() => { rmSync(folder, { recursive: true }); });

const HERE = new URL("..", import.meta.url).pathname;
const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

async function bundled(name: string, text: string, format: "esm" | "cjs"): Promise<string> {
  const outfile = join(folder, name + (format === "esm" ? ".mjs" : ".cjs"));
  const stdin = { contents: text, resolveDir: HERE, loader: "js" } as const;
  const banner = { js: format === "esm" ? REQUIRE : "" };
  await build({ stdin, outfile, bundle: true, platform: "node", format, banner, logLevel: "silent" });
  return outfile;
}

/** The stderr of a program until its end. */
async function said(program: ChildProcess): Promise<string> {
  let text = "";
  program.stderr?.setEncoding("utf8").on("data", (part: string) => { text += part; });
  await new Promise((resolve) => program.once("close", resolve));
  return text;
}

for (const format of ["esm", "cjs"] as const) {
  test(`a bundled program goes on when the server has forgotten its scripts: ${format}`, async () => {
    const namespace = `bundled-${format}`;
    await using client = server.client({ namespace });
    const program = await bundled("worker", `
      import { Client, Worker } from "@blueque/client";
      const client = new Client(process.env.URL, { namespace: process.env.NAMESPACE });
      new Worker(client, "q", (number) => 2 * number).run();
    `, format);
    const environment = { ...process.env, URL: server.url, NAMESPACE: namespace };
    const worker = spawn(process.execPath, [program], { env: environment, stdio: "inherit" });
    const redis = createClient({ socket: { path: new URL(server.url).pathname, tls: false } });
    await redis.connect();
    try {
      for (const number of [1, 2]) {
        const task = await client.queue("q").submit(number);
        assert.equal(await task.result({ timeout: 30 }), 2 * number);
        await redis.scriptFlush();
      }
    } finally {
      worker.kill("SIGKILL");
      redis.destroy();
    }
  });

  test(`a bundled worker with child processes says at its start that it cannot have them: ${format}`, async () => {
    writeFileSync(join(folder, "handlers.mjs"), "export default () => 1;\n");
    const program = await bundled("children", `
      import { Client, Worker } from "@blueque/client";
      new Worker(new Client(process.env.URL), "q", ${JSON.stringify(join(folder, "handlers.mjs"))}).run();
    `, format);
    const worker = spawn(process.execPath, [program], { env: { ...process.env, URL: server.url }, stdio: ["ignore", "ignore", "pipe"] });
    const text = await said(worker);
    assert.notEqual(worker.exitCode, 0);
    assert.match(text, /WORKER: child processes run files of this package, which a bundler has left out\. Leave @blueque\/client out/);
  });
}
