// The README names a test for each feature.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';

import { cases, check } from '../lib/stage.mjs';

const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');

check('every test that the README names exists', () => {
  const rust = readdirSync(new URL('../../', import.meta.url)).filter((name) => name.endsWith('.rs')).map((name) => read(`../../${name}`)).join('');
  const rows = read('../README.md').split('\n').filter((line) => /^\| [^|]+ \| ["`]/.test(line));
  assert.ok(rows.length > 30, 'the table is not read');
  for (const row of rows) {
    const named = row.split('|')[2].trim();
    const tests = Array.from(named.matchAll(/"([^"]+)"/g), ([, name]) => name);
    for (const name of tests) assert.ok(cases.some((one) => one.name.startsWith(name)), name);
    for (const [, name] of named.replaceAll(/"[^"]+"/g, '').matchAll(/`(\w+)`/g)) assert.ok(rust.includes(`fn ${name}()`), name);
  }
});
