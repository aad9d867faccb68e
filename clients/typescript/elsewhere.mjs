// A short test on Bun and on Deno, run by hand: node elsewhere.mjs bun deno. An argument is a package of npm, installed
// into its own folder, or a program's path. Tasks run in this process and in children; one is cancelled, one crashes.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const LIFE = process.argv[2] === "--life";

const handlers = {
  add: ([one, other]) => one + other,
  crash: () => process.exit(3),
  holds: (_, context) => new Promise((_resolve, reject) => {
    context.signal.addEventListener("abort", () => reject(context.signal.reason));
  }),
};
export default handlers;

async function life() {
  const { Client, Worker, WorkItem, WorkQueue } = await import("./dist/index.js");
  const { Server } = await import("./dist/testing.js");
  const server = new Server();
  const client = server.client();
  const done = [];
  for (const each of [handlers, pathToFileURL(import.meta.filename)]) {
    const worker = new Worker(client, "q", each, { slots: 2, lease: 3, grace: 1, signals: false, log: () => {} });
    const running = worker.run();
    const submit = (method, parameters) => client.queue("q").submit(parameters, { method, maxFailures: 0 });
    const [sum, held] = [await submit("add", [1, 2]), await submit("holds", null)];
    if ((await sum.result({ timeout: 30 })) !== 3) throw new Error("the result is wrong");
    while ((await held.state()) !== "started") await new Promise((resolve) => setTimeout(resolve, 20));
    await held.cancel();
    await held.result({ timeout: 30 }).then(() => { throw new Error("it was not cancelled"); }, (error) => done.push(error.name));
    if (each !== handlers) {
      const crash = await submit("crash", null);
      await crash.result({ timeout: 30 }).then(() => { throw new Error("it did not crash"); }, (error) => done.push(error.group));
    }
    worker.stop();
    done.push(await running);
  }
  const items = new WorkQueue(client, "items");
  await items.addItem(new WorkItem("data", "a/b"));
  done.push((await items.lease(10, { timeout: 5 })).id, await items.queueLength());
  await items.close();
  await client.close();
  await server.kill();
  rmSync(server.folder, { recursive: true, force: true });
  console.log(`${done.join(" ")}`);
}

function main(names) {
  let failed = 0;
  for (const name of names) {
    const folder = mkdtempSync(join(tmpdir(), "blueque-elsewhere-"));
    try {
      let program = name;
      if (!name.includes("/")) {
        spawnSync("npm", ["install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, name], { stdio: "inherit" });
        program = join(folder, "node_modules", ".bin", name);
      }
      const run = name.endsWith("deno") ? ["run", "--allow-all"] : [];
      const version = spawnSync(program, ["--version"], { encoding: "utf8" }).stdout?.split("\n")[0];
      const said = spawnSync(program, [...run, "elsewhere.mjs", "--life"], { encoding: "utf8", cwd: import.meta.dirname, timeout: 120_000 });
      const good = said.status === 0 && said.stdout === "TaskCancelled 2 TaskCancelled crashed 3 a/b 0\n";
      console.log(`${name} ${version}: ${good ? "good" : `FAILED\n${said.stdout}${said.stderr}`}`);
      failed += !good;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  process.exit(failed ? 1 : 0);
}

if (LIFE) await life();
else if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) main(process.argv.slice(2));
