// The folder of a worker, which contains the folders of its attempts. The worker listens to a socket in the folder, which
// shows that the worker lives: the kernel closes the socket at the end of the process, however the process ends, and no
// other process can be mistaken for the worker.
import { execFile } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { type Server, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { InvalidCall } from "./errors.js";

const SOCKET = "lives";
const PREFIX = "worker-";

/** A folder that is removed with its worker, or by the next worker on this host. */
export class WorkFolder {
  private constructor(private readonly path: string, private readonly server: Server) {}

  /** Makes the folder of a worker, and removes the folders of workers that are gone. */
  static async make(): Promise<WorkFolder> {
    const user = process.getuid?.() ?? 0;
    const base = join(tmpdir(), `blueque-node-${user}`);
    mkdirSync(base, { recursive: true, mode: 0o700 });
    if (lstatSync(base).uid !== user) throw new InvalidCall("BADARG", `${base} belongs to another user: set TMPDIR.`);
    await sweep(base);
    // The folder gets its name when its socket exists, so that no other worker takes it for an abandoned folder.
    const made = mkdtempSync(join(base, "new-"));
    const server = createServer((visitor) => visitor.destroy());
    server.unref();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      // Without `exclusive` the primary process of `cluster` listens in the place of this process.
      server.listen({ path: join(made, SOCKET), exclusive: true }, resolve);
    });
    const path = join(base, made.replace(/^.*new-/, PREFIX));
    await rename(made, path);
    return new WorkFolder(path, server);
  }

  /** Creates a folder for an attempt, and returns its path. */
  folder(): string {
    // A clean-up program may have removed the work folder.
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    return mkdtempSync(join(this.path, "task-"));
  }

  async remove(): Promise<void> {
    this.server.close();
    await removed(this.path);
  }
}

/**
 * Removes a folder, even if it is too deep for Node.js, or if a program has made it read-only. If a process that was left
 * behind still writes to the folder, the folder stays for the next worker.
 */
export async function removed(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    for (const [command, ...words] of [["chmod", "-R", "u+rwX"], ["rm", "-rf"]] as const) {
      await promisify(execFile)(command, [...words, "--", folder]).catch(() => undefined);
    }
  }
}

/** Removes the folders of workers that are gone. */
async function sweep(base: string): Promise<void> {
  const folders = readdirSync(base).filter((name) => name.startsWith(PREFIX));
  await Promise.all(folders.map(async (name) => {
    if (await isGone(join(base, name, SOCKET))) await removed(join(base, name));
  }));
}

/** Returns true if a socket exists and no process listens to it. */
function isGone(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const visit = connect(path);
    visit.once("connect", () => {
      visit.destroy();
      resolve(false);
    });
    visit.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code === "ECONNREFUSED");
    });
  });
}
