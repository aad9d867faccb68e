// Texts by other users and programs, as the client shows them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { oneLine } from "../dist/text.js";

test("the characters that show nothing are those of all languages", () => {
  const ranges = JSON.parse(readFileSync(new URL("../../../tests/hidden.json", import.meta.url), "utf8")) as [string, string][];
  const numbers = ranges.map(([first, last]) => [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const);
  for (let code = 0; code <= 0x10ffff; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const listed = numbers.some(([first, last]) => code >= first && code <= last);
    const hidden = oneLine(`a${character}b`) === "ab";
    assert.equal(hidden, listed || (hidden && /\p{Cc}/u.test(character)), code.toString(16));
  }
});
