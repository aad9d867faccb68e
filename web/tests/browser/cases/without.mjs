// Without a mouse, and without scripts.
import assert from 'node:assert/strict';

import { PAGES, demo } from '../lib/demo.mjs';
import { act, check, said } from '../lib/stage.mjs';

check('by keyboard alone: find, move, open, act', async (stage) => {
  const site = await stage.site();
  for (const id of ['one', 'two', 'three']) await site.scripts.submit('q', id);
  const page = await stage.visitor(site);
  await page.go();
  await page.waitForSelector('#now-queues');
  await page.keyboard.press('?');
  await page.waitForSelector('#keys[open]');
  await page.keyboard.press('Escape');
  await page.waitForSelector('#keys', { state: 'hidden' });
  for (const [key, path] of [['w', '/workers'], ['q', '/queues'], ['g', '/graphs'], ['s', '/schedules'], ['a', '/audit'], ['v', '/server'], ['n', '/'], ['t', '/tasks']]) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.waitForURL(`**/blueque${path}`);
  }
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'filter');
  await page.keyboard.type('queue:q id:t');
  await page.keyboard.press('Enter');
  await page.waitForURL('**q=queue*');
  const list = await page.locator('tbody [data-key], tbody tr').evaluateAll((all) => all.map((one) => one.dataset.key));
  assert.deepEqual(list.sort(), ['three', 'two']);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('x');
  assert.equal(await page.locator('tbody tr').first().locator('input').isChecked(), true);
  const id = await page.locator('tr[data-at]').getAttribute('data-key');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/tasks/${id}`);
  await page.waitForSelector('body[data-live=yes]');
  // Tab reaches each action, and Enter opens its sheet, whose first field has the focus.
  const focused = () => page.evaluate(() => document.activeElement.closest('.act')?.querySelector('form')?.dataset.action ?? '');
  for (let tabs = 0; (await focused()) !== 'cancel'; tabs += 1) {
    assert.ok(tabs < 60, 'Tab does not reach the action');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.name === 'reason');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('details.ask[open]').count(), 0);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.name === 'reason');
  await page.keyboard.type('by keyboard');
  await page.keyboard.press('Enter');
  await said(page);
  assert.equal(await site.state(id), 'cancelled');
});

check('an open sheet keeps its text and its focus while the page moves', async (stage) => {
  const site = await stage.site();
  await site.scripts.submit('q', 'runs', '[]', { max_failures: 3 });
  const { token } = await site.scripts.take('q');
  const page = await stage.visitor(site);
  await page.go('/tasks/runs');
  await page.waitForSelector('body[data-live=yes]');
  await page.locator('details.ask', { has: page.locator('form[data-action=cancel]') }).locator('summary').click();
  await page.keyboard.type('half a rea');
  await site.scripts.call('progress', ['runs', token, '{"progress":0.5}']);
  await page.waitForSelector('#task-head progress[value="0.5000"]');
  await page.keyboard.type('son');
  assert.equal(await page.inputValue('form[data-action=cancel] [name=reason]'), 'half a reason');
  // The state changes the list of actions, but not what is typed.
  await site.scripts.call('fail', ['runs', token, 'no'], { again: 3600 });
  await page.waitForSelector('#why [data-state=scheduled]');
  await page.keyboard.type('!');
  assert.equal(await page.inputValue('form[data-action=cancel] [name=reason]'), 'half a reason!');
});

check('the button Back closes a sheet and changes nothing', async (stage) => {
  const site = await stage.site();
  await site.scripts.submit('q', 'stays');
  const page = await stage.visitor(site);
  await page.go('/tasks/stays');
  for (const action of ['cancel', 'move', 'edit']) {
    const sheet = page.locator('details.ask', { has: page.locator(`form[data-action=${action}]`) });
    await sheet.locator('summary').click();
    await sheet.locator('[data-close]').click();
    assert.equal(await page.locator('details.ask[open]').count(), 0, action);
    assert.equal(await sheet.locator('summary').evaluate((one) => one === document.activeElement), true, 'the focus goes back');
  }
  assert.equal(await site.state('stays'), 'pending');
  assert.equal(await page.locator('.flash').count(), 0);
});

check('an open sheet never becomes the sheet of another action', async (stage) => {
  const site = await stage.site();
  const page = await stage.visitor(site);
  for (const action of ['kill', 'free', 'requeue', 'edit', 'tag', 'note']) {
    await site.scripts.submit('q', action);
    const { token } = await site.scripts.take('q');
    await page.go(`/tasks/${action}`);
    await page.waitForSelector('body[data-live=yes]');
    await page.locator('details.ask', { has: page.locator(`form[data-action=${action}]`) }).locator('summary').click();
    await site.scripts.call('complete', [action, token, '1']);
    await page.waitForSelector('#why [data-state=complete]');
    const open = await page.locator('details.ask[open] form').evaluateAll((forms) => forms.map((form) => form.dataset.action));
    assert.deepEqual(open.filter((name) => name !== action), [], `${action} was open`);
  }
});

check('a form that is refused keeps what was typed, and says why', async (stage) => {
  const site = await stage.site();
  await site.scripts.submit('q', 'taken');
  await site.scripts.call('schedule', ['taken', 'q', 'every 86400', '[]', 0]);
  const page = await stage.visitor(site, { javaScriptEnabled: false, expects: /status of 400/ });
  const refused = async (form, fields) => {
    await page.go(`/new/${form}`);
    for (const [name, value] of Object.entries(fields)) {
      if (/^set\.(max|key)/.test(name)) await page.locator('details:not([open]) summary', { hasText: 'More' }).click();
      await page.fill(`form.new [name="${name}"]`, value);
    }
    await page.click('form.new button');
    for (const [name, value] of Object.entries(fields)) assert.equal(await page.inputValue(`form.new [name="${name}"]`), value, name);
    return page.textContent('[data-refused]');
  };
  assert.match(await refused('task', { queue: 'q', parameters: '["<x>",\n"a]' }), /not JSON: [^]*line 2/);
  assert.match(await refused('task', { queue: 'not a queue', 'set.title': 'kept "title"' }), /queue/);
  assert.match(await refused('task', { queue: 'q', 'set.priority': '1001' }), /priority: 1001 is not allowed/);
  assert.match(await refused('task', { queue: 'q', start: 'tomorrow' }), /tomorrow is not a time/);
  assert.match(await refused('task', { queue: 'q', command: "a 'b" }), /open quote/);
  assert.match(await refused('task', { queue: 'q', 'set.max_failures': 'many' }), /max_failures: many/);
  assert.match(await refused('task', { queue: 'q', id: 'taken' }), /already a task taken/);
  assert.match(await refused('schedule', { schedule: 'new', queue: 'q', cron: '61 * * * *' }), /61/);
  assert.match(await refused('schedule', { schedule: 'new', queue: 'q', cron: '0 3 * * *', zone: 'Mars/Base' }), /Mars\/Base/);
  assert.match(await refused('schedule', { schedule: 'taken', queue: 'q', cron: 'every 2h' }), /already a schedule taken/);
  assert.equal((await site.api('counts', { queue: 'q' })).pending, 1);
});

check('without scripts every page opens, and actions work', async (stage) => {
  const site = await stage.site();
  await demo(site);
  const page = await stage.visitor(site, { javaScriptEnabled: false });
  for (const path of PAGES) {
    const answer = await page.go(path);
    assert.equal(answer.status(), 200, path);
    assert.ok((await page.textContent('main')).length > 100, path);
  }
  await page.go('/tasks');
  await page.fill('#filter', 'id:movie-9');
  await page.locator('form', { has: page.locator('#filter') }).locator('button').first().click();
  await page.locator('tbody').getByText('movie-9').click();
  await act(page, 'prioritise', { priority: '9' });
  await act(page, 'cancel', { reason: 'without scripts' });
  assert.equal(await site.state('movie-9'), 'cancelled');
  await page.go('/tasks?q=queue:reports');
  await page.check('[data-key=month] input');
  await page.selectOption('#what', 'cancel');
  await page.click('.bulk details.ask summary');
  await page.click('.bulk .sheet button');
  assert.match(await said(page), /1 task changed/);
  await page.go('/schedules');
  await act(page, 'run-schedule');
});
