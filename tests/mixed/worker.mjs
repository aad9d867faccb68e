// The role `typescript` of the mixed runs: a worker that squares numbers, each in a child process, until it gets SIGTERM:
// worker.mjs URL QUEUE LEASE
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Client, Worker } from "../../clients/typescript/dist/index.js";

const here = process.env.MIXED;

/** Leaves word as `handler.py` does: a line at once, so that lines of several processes do not mix. */
function note(what, context, other) {
  const line = `${what} ${context.id} ${context.attempt} ${process.env.MIXED_WORKER} ${other}\n`;
  appendFileSync(join(here, "history"), line);
}

/** Who else is running a task, if anybody: what was killed has left its file behind, and a zombie at most. */
function beside(file) {
  try {
    const [pid, worker] = readFileSync(file, "utf8").split(" ");
    if (!worker) return "-";
    return readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ") ? "-" : worker;
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ESRCH") return "-";
    throw error;
  }
}

/** Records the calls of the hooks of attempts. The hooks of every second attempt throw. */
function hook(what) {
  return (attempt) => {
    appendFileSync(join(here, "hooks"), `${what} ${attempt.id} ${attempt.attempt} ${process.env.MIXED_WORKER}\n`);
    if (attempt.attempt % 2) throw new Error("a hook changes no outcome");
  };
}

/** In the process of the handler. */
export const hooks = { beforeAttempt: hook("before"), afterAttempt: hook("after") };

const outcomes = {
  onSuccess: hook("success"),
  onFailure: hook("failure"),
  onRetry: hook("retry"),
  onCancel: hook("cancel"),
  onRelease: hook("release"),
  onLost: hook("lost"),
};

export default async function square({ n, ms, fails = 0 }, context) {
  const worker = process.env.MIXED_WORKER;
  const file = join(here, "running", context.id);
  note("begin", context, beside(file));
  writeFileSync(file, `${process.pid} ${worker}`);
  try {
    await sleep(ms, undefined, { signal: context.signal });
  } finally {
    rmSync(file, { force: true });
    note("end", context, "-");
  }
  if (context.attempt <= fails) throw new Error("as the task orders");
  return { square: n * n, attempt: context.attempt, worker };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , url, queue, lease] = process.argv;
  const client = new Client(url);
  const options = { slots: 2, lease: Number(lease), grace: 1, tasksPerProcess: 20, hooks: outcomes };
  await new Worker(client, queue, new URL(import.meta.url), options).run();
  await client.close();
}
