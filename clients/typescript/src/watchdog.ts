// A thread of a child process, which no handler can delay. It ends the process, with all processes that the process has
// started, when the lease of its task has expired, or when the worker is gone.
import { Socket } from "node:net";
import { uptime } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { killOrphans } from "./orphan-processes.js";

/** The pipe from the worker. */
const PIPE = 4;
/** Milliseconds between two checks of the lease. */
const CHECK_EVERY = 50;

/** End of the lease in seconds of this host's uptime, which includes the time while the host was suspended. */
let until = Infinity;

function end(): void {
  try {
    if (workerData) killOrphans(workerData as string);
    process.kill(-process.pid, "SIGKILL");
  } finally {
    process.kill(process.pid, "SIGKILL");
  }
}

let rest = "";
const pipe = new Socket({ fd: PIPE, readable: true, writable: false });
pipe.setEncoding("utf8");
pipe.on("data", (text: string) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  const last = lines.at(-1);
  // The end of the lease; an empty line: there is no task.
  if (last !== undefined) until = last ? Number(last) : Infinity;
});
pipe.on("error", end);
pipe.on("close", end);
setInterval(() => {
  if (uptime() > until) end();
}, CHECK_EVERY);
parentPort?.postMessage("watches");
