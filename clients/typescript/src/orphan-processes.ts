// Processes that a child process has started. Daemons have left its process group, but keep its environment.
import { existsSync, readFileSync, readdirSync } from "node:fs";

/** The environment variable that marks the processes of a child. */
export const MARK = "BLUEQUE_CHILD";
/** Maximum number of searches: processes may be started during a search. */
const SEARCHES = 100;

/** Kills all processes with this mark except the caller, until there are none. Only on Linux. */
export function killOrphans(mark: string): void {
  const wanted = Buffer.from(`${MARK}=${mark}`);
  for (let search = 0; search < SEARCHES && killed(wanted); search += 1);
}

/** Kills the processes with this mark. Returns true if there were any. */
function killed(wanted: Buffer): boolean {
  let some = false;
  for (const name of existsSync("/proc") ? readdirSync("/proc") : []) {
    const pid = Number(name);
    if (!pid || pid === process.pid) continue;
    try {
      // A zombie process has an empty environment.
      if (!readFileSync(`/proc/${name}/environ`).includes(wanted)) continue;
      process.kill(pid, "SIGKILL");
      some = true;
    } catch {
      // The process belongs to another user, or it is gone.
    }
  }
  return some;
}
