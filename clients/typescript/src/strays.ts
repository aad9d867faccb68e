// Processes that a child process has started. Daemons have left its process group, but keep its environment.
import { readFileSync, readdirSync } from "node:fs";

/** The variable by which the processes of a child are known. */
export const MARK = "BLUEQUE_CHILD";
/** The most rounds, as something may be started while one looks. */
const ROUNDS = 100;

/** Kills all processes with this mark but the caller's own, until there are none. On Linux. */
export function killStrays(mark: string): void {
  const wanted = Buffer.from(`${MARK}=${mark}`);
  for (let round = 0; round < ROUNDS && killed(wanted); round += 1);
}

/** Returns true if there were any. */
function killed(wanted: Buffer): boolean {
  let some = false;
  for (const name of entries()) {
    const pid = Number(name);
    if (!pid || pid === process.pid) continue;
    try {
      // A process that has ended and that nobody has waited for has an empty environment.
      if (!readFileSync(`/proc/${name}/environ`).includes(wanted)) continue;
      process.kill(pid, "SIGKILL");
      some = true;
    } catch {
      // The process belongs to another user, or it is gone.
    }
  }
  return some;
}

function entries(): string[] {
  try {
    return readdirSync("/proc");
  } catch {
    return [];
  }
}
