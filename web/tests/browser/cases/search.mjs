// The filter of the page of tasks.
import assert from 'node:assert/strict';

import { act, check } from '../lib/stage.mjs';

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
});

check('an action on all that a text finds asks for the number, by mouse', async (stage) => {
  const site = await stage.site();
  for (let n = 0; n < 60; n += 1) await site.scripts.submit('q', `movie-${n}`);
  await site.scripts.submit('q', 'song');
  const page = await stage.visitor(site);
  await page.go('/tasks?q=movie');
  await page.check('input[name=scope][value=all]');
  await page.locator('.bulk details.ask summary').getByText('Cancel: all matching tasks').click();
  await page.getByText('Nothing is changed before you confirm the number.').waitFor();
  await page.click('.bulk .sheet button.primary');
  await page.getByText('60 tasks found.').waitFor();
  assert.match(await page.textContent('#bulk-extent'), /all 61 tasks of the search/);
  assert.equal((await site.api('counts', { queue: 'q' })).pending, 61);
  await act(page, 'confirm-many');
  await page.getByText('It is done.').waitFor();
  const { pending, cancelled } = await site.api('counts', { queue: 'q' });
  assert.deepEqual([pending, cancelled, await site.state('song')], [1, 60, 'pending']);
  await page.click('[data-after]');
  await page.waitForSelector('tbody [data-key=movie-59] [data-state=cancelled]');
});
