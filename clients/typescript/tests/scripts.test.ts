// The scripts, which the package keeps as one text.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { compose } from "../dist/composer.js";
import { type Command, DIGESTS } from "../dist/scripts.js";

test("each script is composed as the bundle has it", () => {
  const names = Object.keys(DIGESTS) as Command[];
  assert.ok(names.length > 50);
  const digest = (name: Command) => createHash("sha1").update(compose(name)).digest("hex");
  assert.deepEqual(names.filter((name) => digest(name) !== DIGESTS[name]), []);
});
