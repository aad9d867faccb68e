// Draws the pictures of the documentation: node pictures.mjs FOLDER
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { demo } from './lib/demo.mjs';
import { Stage, closeBrowser } from './lib/stage.mjs';

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const stage = new Stage();
try {
  const site = await stage.site({ args: ['--title', 'production', '--colour', 'red'] });
  await demo(site);
  const page = await stage.visitor(site, { viewport: { width: 1200, height: 675 }, colorScheme: 'light' });
  for (const [name, path] of [['now', '/'], ['task', '/tasks/movie-1'], ['graph', '/graphs/film']]) {
    await page.go(path);
    await page.waitForSelector('body[data-live=yes]');
    await page.screenshot({ path: join(folder, `${name}.png`) });
  }
} finally {
  await stage.end();
  await closeBrowser();
}
stage.quiet();
