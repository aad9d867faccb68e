// Runs "Two minutes" of the README, with the package that is installed here: node two_minutes.mjs README.md
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PORT = 27_000 + (process.pid % 5000);
const URL = `redis://127.0.0.1:${PORT}`;

const [, , page] = process.argv;
const part = readFileSync(page, "utf8").split("## Two minutes")[1].split("\n## ")[0];
for (const [, file, program] of part.matchAll(/`(\w+\.mjs)`:\n\n```js\n(.*?)```/gs)) {
  // A separate server, and seconds instead of an hour.
  writeFileSync(file, program.replace("new Client()", `new Client("${URL}")`).replace("second < 30", "second < 2"));
}

const folder = mkdtempSync(join(tmpdir(), "blueque-"));
const server = spawn(process.env.BLUEQUE_REDIS_SERVER ?? "redis-server", ["--port", PORT, "--save", "", "--dir", folder], {
  stdio: "ignore",
});
while (!(await answers())) await sleep(50);
const worker = spawn(process.execPath, ["worker.mjs"], { stdio: "inherit" });
try {
  const { stdout, stderr } = spawnSync(process.execPath, ["submit.mjs"], { encoding: "utf8", timeout: 60_000 });
  if (!/^[\w-]{36} a\.mkv\.1080\.mp4\n$/.test(stdout)) throw new Error(`submit.mjs prints ${stdout}${stderr}`);
  worker.kill("SIGTERM");
  const code = await new Promise((resolve) => worker.once("exit", resolve));
  if (code !== 0) throw new Error(`worker.mjs ends with ${code}`);
  console.log(`installed; ${stdout.trim()}`);
} finally {
  worker.kill("SIGKILL");
  server.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}

function answers() {
  return new Promise((resolve) => {
    const socket = createConnection(PORT, "127.0.0.1", () => socket.end(() => resolve(true)));
    socket.once("error", () => resolve(false));
  });
}
