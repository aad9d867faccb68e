// The filter of the page of tasks.
import assert from 'node:assert/strict';

import { check } from '../lib/stage.mjs';

check('a word is looked for in ids, titles, parameters and errors, as far as the page says', async (stage) => {
  const site = await stage.site({ args: ['--redact', 'password'] });
  const { scripts } = site;
  // The oldest task is behind all that one page looks into.
  await scripts.submit('q', 'hidden-away', '["x"]', { title: 'The lost reel' });
  const ids = Array.from({ length: 450 }, (_, n) => n);
  for (let part = 0; part < 12; part += 1) {
    await scripts.call('submit', ['q', 450, ...ids.flatMap((n) => [`filler-${part}-${n}`, '', '[]'])]);
  }
  await scripts.submit('q', 'one', '["Nosferatu.mkv"]', { title: 'Über den Dächern' });
  await scripts.submit('q', 'two', '{"film": "faust", "password": "hunter2"}');
  const command = JSON.stringify({ argv: ['encode', '--film', 'sunrise'], env: { TOKEN: 'swordfish' } });
  await scripts.submit('q', 'three', '[]', { command, priority: 5 });
  const { token } = await scripts.take('q');
  await scripts.call('fail', ['three', token, 'No space left on device'], { final: 1 });
  const page = await stage.visitor(site, { javaScriptEnabled: false });
  const find = async (text) => {
    await page.fill('#filter', text);
    await page.locator('form', { has: page.locator('#filter') }).locator('button').first().click();
    assert.equal(await page.inputValue('#filter'), text);
    return (await page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.dataset.key))).sort();
  };
  await page.go('/tasks');
  assert.deepEqual(await find('nosferatu'), ['one']);
  assert.deepEqual(await find('über dächern'), ['one']);
  assert.deepEqual(await find('dächern über'), ['one'], 'each word counts, in any order');
  assert.deepEqual(await find('sunrise'), ['three']);
  assert.deepEqual(await find('state:pending faust'), ['two']);
  assert.deepEqual(await find('text:"no space"'), ['three']);
  assert.deepEqual([await find('hunter2'), await find('swordfish')], [[], []], 'what is hidden is not found');
  assert.match(await page.textContent('#looked'), /^Looked for the text in [1-5].\d{3} tasks of this page, the last created/);
  // A whole id is found at once, a title on the next page.
  assert.deepEqual(await find('hidden-away'), ['hidden-away']);
  assert.deepEqual(await find('reel'), []);
  // A page looks for some seconds at most.
  const further = page.locator('.pager a[rel=next]', { hasText: 'Look further' });
  do await further.click();
  while (await further.count());
  assert.deepEqual(await page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.dataset.key)), ['hidden-away']);
  assert.match(await page.textContent('#looked'), /in all .+ tasks of the search/);
  // Such a search has no action on all tasks.
  assert.equal(await page.locator('input[name=scope][value=all]').count(), 0);
});
