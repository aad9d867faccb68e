// A client that is closed before it is connected: the client does not keep the process alive.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("./closed_early.js", import.meta.url));

for (const kind of ["", "+sentinel", "+cluster"]) {
  test(`redis${kind}: a process ends whose client is closed while it connects`, () => {
    const ended = spawnSync(process.execPath, [SCRIPT, kind], { encoding: "utf8", timeout: 30_000 });
    assert.deepEqual([ended.status, ended.signal, ended.stderr], [0, null, ""], ended.stdout);
    assert.match(ended.stdout, /the client was closed/);
  });
}
