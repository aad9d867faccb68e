// Runs the tests of the page in a browser: node main.mjs [PART OF A NAME]
import { readdirSync } from 'node:fs';
import { after, describe, it } from 'node:test';

import { Stage, cases, closeBrowser } from './lib/stage.mjs';

for (const file of readdirSync(new URL('cases/', import.meta.url)).sort()) await import(`./cases/${file}`);
const part = process.argv[2] ?? '';

// Tests wait for processes and for the page most of the time.
describe('the page', { concurrency: Number(process.env.AT_ONCE ?? 3) }, () => {
  for (const { name, body } of cases.filter((one) => one.name.includes(part))) {
    it(name, { timeout: 300_000 }, async () => {
      const stage = new Stage();
      try {
        await body(stage);
      } finally {
        await stage.end();
      }
      stage.quiet();
    });
  }
  after(closeBrowser);
});
