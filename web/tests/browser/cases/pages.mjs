// Each page opens, follows the server, and satisfies axe, at each width and in both colours.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { PAGES, demo } from '../lib/demo.mjs';
import { check } from '../lib/stage.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [1440, 1024, 390];
const shots = process.env.SHOTS;

/** The violations that axe finds. The rules about colours are enough for the second colour scheme. */
async function violations(page, rules) {
  const found = await page.evaluate(async (only) => {
    const options = only ? { runOnly: { type: 'rule', values: only } } : { runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] } };
    const report = await window.axe.run(document, options);
    return report.violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(' | ')}`);
  }, rules);
  return found;
}

async function looks(page, name) {
  await page.evaluate(axe);
  const wrong = [];
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (over > 0) wrong.push(`${name} is ${over} px too wide at ${width}`);
      if (shots) {
        mkdirSync(shots, { recursive: true });
        const file = join(shots, `${name.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '') || 'now'}-${width}-${colorScheme}.png`);
        await page.screenshot({ path: file, fullPage: true });
      }
    }
    // Running tasks fit without scrolling on most screens.
    await page.setViewportSize({ width: 1200, height: 900 });
    const cut = await page.locator('#now-running .table').evaluateAll((all) => all.some((one) => one.scrollWidth > one.clientWidth));
    if (cut) wrong.push(`${name}: the table of running tasks is cut at 1200`);
    await page.setViewportSize({ width: WIDTHS[0], height: 900 });
    wrong.push(...(await violations(page, colorScheme === 'light' ? null : ['color-contrast'])).map((one) => `${name}, ${colorScheme}: ${one}`));
  }
  return wrong;
}

for (const half of [0, 1]) {
  check(`every page opens and looks right, part ${half + 1}`, async (stage) => {
    const site = await stage.site();
    await demo(site);
    const page = await stage.visitor(site);
    const wrong = [];
    for (const path of PAGES.filter((_, at) => at % 2 === half)) {
      const answer = await page.go(path);
      assert.equal(answer.status(), 200, path);
      assert.equal(await page.locator('main .trouble').count(), 0, path);
      if (await page.locator('[data-live]:not(body)').count()) await page.waitForSelector('body[data-live=yes]');
      wrong.push(...await looks(page, path));
    }
    assert.deepEqual(wrong, []);
  });
}

check('every page of an empty namespace looks right, and so do the errors', async (stage) => {
  const site = await stage.site();
  const page = await stage.visitor(site, { expects: /status of 404/ });
  const wrong = [];
  for (const path of ['/', '/tasks', '/graphs', '/queues', '/workers', '/schedules', '/audit', '/tasks/none']) {
    await page.go(path);
    wrong.push(...await looks(page, `empty${path}`));
  }
  assert.deepEqual(wrong, []);
});

check('on a phone: tabs in reach, tables keep their first column, plots are readable', async (stage) => {
  const site = await stage.site();
  await demo(site);
  await site.scripts.call('aggregate', ['transcode', 500]);
  const page = await stage.visitor(site, { viewport: { width: 390, height: 800 } });
  const inside = ({ x, width }) => x >= 0 && x + width <= 390;
  await page.go('/tasks');
  for (const tab of await page.locator('.tabs a').all()) assert.ok(inside(await tab.boundingBox()), await tab.textContent());
  // A row of a task is a card, whose bar and state need no scrolling.
  const card = page.locator('[data-key=movie-1]');
  for (const part of ['th a', '.state', 'progress', '[data-label=Created]']) assert.ok(inside(await card.locator(part).first().boundingBox()), part);
  await page.go('/graphs');
  const table = page.locator('.table').first();
  assert.ok(await table.evaluate((one) => one.scrollWidth > one.clientWidth + 100), 'the table does not scroll');
  assert.match(await table.evaluate((one) => getComputedStyle(one).backgroundAttachment), /local, local, scroll, scroll/);
  await table.evaluate((one) => { one.scrollLeft = 1000; });
  for (const cell of [table.locator('thead th').first(), table.locator('tbody th').first()]) assert.ok(inside(await cell.boundingBox()));
  await page.go('/queues/transcode');
  const sizes = await page.locator('#queue-plots svg[role=img] text').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  assert.ok(sizes.length > 20 && Math.min(...sizes) >= 11, `${sizes}`);
});

check('sheets, shortcuts and the login look right', async (stage) => {
  const site = await stage.site({ users: true });
  const page = await stage.visitor(site);
  await site.scripts.submit('q', 'waits', '{"a":1}');
  await page.go('/tasks/waits');
  const wrong = await looks(page, 'login');
  await page.fill('#user', 'alice');
  await page.fill('#password', 'correct horse');
  await page.click('button[type=submit]');
  await page.waitForSelector('#task-actions');
  await page.keyboard.press('?');
  wrong.push(...await looks(page, 'shortcuts'));
  await page.keyboard.press('Escape');
  for (const action of ['cancel', 'edit']) {
    await page.locator('details.ask', { has: page.locator(`form[data-action=${action}]`) }).locator('summary').click();
    wrong.push(...await looks(page, `sheet of ${action}`));
  }
  assert.deepEqual(wrong, []);
});
