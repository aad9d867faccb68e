import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** A new id for a listener of this process: HOSTNAME:IDENTITY-RANDOM_PID. IDENTITY separates hosts of one name. */
export function listenerId(): string {
  const host = hostname().replace(/[^A-Za-z0-9.-]/g, "-").slice(0, 100) || "host";
  return `${host}:${identity()}-${randomBytes(3).toString("hex")}_${process.pid}`;
}

/** The identity of the host. Hosts that see each other's process ids share an identity. Empty if it is unknown. */
function identity(): string {
  const boot = optional(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const table = optional(() => readlinkSync("/proc/self/ns/pid"));
  if (!boot || !table) return "";
  const machine = optional(() => readFileSync("/etc/machine-id", "utf8").trim());
  return createHash("sha1").update(`${machine}\n${boot}\n${table}`).digest("hex").slice(0, 8);
}

function optional(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
