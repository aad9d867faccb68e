// Who may see the page, and who may do what.
import assert from 'node:assert/strict';
import http from 'node:http';

import { PAGES, demo } from '../lib/demo.mjs';
import { act, check, login } from '../lib/stage.mjs';
import { PASSWORD } from '../lib/site.mjs';

const shown = (page) => page.locator('.act:visible').count();

/** Sends a write from the scripts of a page, and returns its status. */
const post = (page, action, fields, token) => page.evaluate(async ([path, pairs, csrf]) => {
  const body = new URLSearchParams({ ...pairs, csrf: csrf ?? document.body.dataset.csrf });
  return (await fetch(path, { method: 'POST', body, redirect: 'manual' })).status;
}, [`/blueque/act/${action}`, fields, token]);

check('a login is needed, a wrong password is refused, and the log-out ends the session', async (stage) => {
  const site = await stage.site({ users: true });
  const page = await stage.visitor(site, { expects: /status of 40[13]/ });
  await page.go('/tasks?q=state:failed');
  assert.match(page.url(), /\/login\?to=/);
  await login(page, 'alice', 'wrong horse');
  assert.match(await page.textContent('[role=alert]'), /wrong/);
  await login(page, 'nobody', PASSWORD);
  assert.match(await page.textContent('[role=alert]'), /wrong/);
  await login(page, 'alice', PASSWORD);
  await page.waitForURL('**/blueque/tasks?q=state:failed');
  assert.match(await page.textContent('.actor'), /alice/);
  const cookies = await page.context().cookies();
  await page.getByText('Log out').click();
  await page.waitForURL('**/login');
  // Whoever has copied the cookie has nothing.
  await page.context().addCookies(cookies);
  await page.go('/');
  assert.match(page.url(), /\/login/);
});

check('a viewer sees no action and may do none, an operator only those on tasks', async (stage) => {
  const site = await stage.site({ users: true });
  await demo(site);
  const page = await stage.visitor(site, { expects: /status of 403/ });
  await page.go();
  await login(page, 'vera', PASSWORD);
  for (const path of PAGES) {
    await page.go(path);
    await page.waitForSelector('main');
    assert.equal(await shown(page), 0, path);
  }
  assert.equal(await post(page, 'cancel', { id: 'movie-1' }), 403);
  assert.equal(await post(page, 'pause', { queue: 'transcode' }), 403);

  const olga = await stage.visitor(site, { expects: /status of 403/ });
  await olga.go('/tasks/movie-1');
  await login(olga, 'olga', PASSWORD);
  await olga.waitForSelector('#task-actions');
  assert.ok(await shown(olga) > 4);
  for (const path of ['/queues/transcode', '/workers', '/schedules/nightly', '/server']) {
    await olga.go(path);
    await olga.waitForSelector('main');
    assert.deepEqual(await olga.locator('.act:visible').evaluateAll((all) => all.map((one) => one.dataset.needs).filter((role) => role !== 'operator')), [], path);
  }
  assert.equal(await post(olga, 'pause', { queue: 'transcode' }), 403);
  assert.equal(await post(olga, 'configure', { name: 'lease', value: '9' }), 403);
  assert.equal(await post(olga, 'many', { scope: 'all', what: 'delete', q: '' }), 403);
  assert.notEqual(await post(olga, 'tag', { id: 'movie-1', tags: 'seen' }), 403);
  assert.equal(await site.state('movie-1'), undefined, 'the API needs a token');
});

check('a role that is taken away is gone at once, and a read-only page has no actions', async (stage) => {
  const site = await stage.site({ users: true });
  await site.scripts.submit('q', 'waits');
  const page = await stage.visitor(site, { expects: /status of 403/ });
  await page.go('/tasks/waits');
  await login(page, 'olga', PASSWORD);
  await page.waitForSelector('#task-actions');
  site.run(['web', 'user', 'role', 'olga', 'viewer']);
  assert.equal(await post(page, 'cancel', { id: 'waits' }), 403);
  await page.reload();
  assert.equal(await shown(page), 0);

  const still = await stage.site({ args: ['--read-only'] });
  await still.scripts.submit('q', 'waits');
  const reader = await stage.visitor(still, { expects: /status of 403/ });
  await reader.go('/tasks/waits');
  assert.equal(await shown(reader), 0);
  assert.equal(await post(reader, 'cancel', { id: 'waits' }), 403);
  assert.equal(await still.state('waits'), 'pending');
});

check('a session that has ended leads to the login, and back', async (stage) => {
  const site = await stage.site({ users: true });
  await site.scripts.submit('q', 'waits');
  const page = await stage.visitor(site, { expects: /status of 401/ });
  await page.go('/tasks/waits');
  await login(page, 'alice', PASSWORD);
  await page.waitForSelector('body[data-live=yes]');
  site.run(['web', 'user', 'password', 'alice', '--password-stdin'], 'battery staple\n');
  // The form of the old session is refused, and leads to the login.
  await page.locator('details.ask', { has: page.locator('form[data-action=cancel]') }).locator('summary').click();
  await page.locator('form[data-action=cancel] button.primary').click();
  await page.waitForSelector('#password');
  assert.equal((await (await fetch(`${site.url}/healthz`)).text()).length > 0, true);
  await page.go('/tasks/waits');
  await login(page, 'alice', 'battery staple');
  await page.waitForURL('**/tasks/waits');
  await page.waitForSelector('#why [data-state=pending]');
});

check('a write from elsewhere, or without the token of the page, is refused', async (stage) => {
  const site = await stage.site();
  await site.scripts.submit('q', 'waits');
  const page = await stage.visitor(site, { expects: /status of 40[03]/ });
  await page.go('/tasks/waits');
  for (const token of ['', 'x', 'a'.repeat(64)]) assert.equal(await post(page, 'cancel', { id: 'waits' }, token), 403, token);
  const taken = await page.evaluate(() => document.body.dataset.csrf);

  const form = `<form method="post" action="${site.url}/blueque/act/cancel"><input name="id" value="waits">
    <input name="csrf" value="${taken}"><button>Win a prize</button></form><iframe src="${site.url}/blueque/"></iframe>`;
  const other = http.createServer((_, answer) => { answer.setHeader('Content-Type', 'text/html'); answer.end(form); });
  await new Promise((resolve) => { other.listen(0, '127.0.0.1', resolve); });
  try {
    const evil = { url: `http://localhost:${other.address().port}` };
    const victim = await stage.visitor(evil, { expects: /frame-ancestors|X-Frame-Options|status of 403|a request to|^CSP|console: / });
    await victim.goto(`${evil.url}/`);
    const frame = victim.frames().find((one) => one !== victim.mainFrame());
    assert.equal(await frame?.locator('.tabs').count() ?? 0, 0, 'another site can frame the page');
    const answered = victim.waitForResponse(`${site.url}/blueque/act/cancel`);
    await victim.click('button');
    assert.equal((await answered).status(), 403);
  } finally {
    other.closeAllConnections();
    other.close();
  }
  assert.equal(await site.state('waits'), 'pending');
  await act(page, 'cancel');
  assert.equal(await site.state('waits'), 'cancelled');
});

check('`blueque web --no-auth --host` answers to its names only, and warns', async (stage) => {
  const site = await stage.site({ args: ['--no-auth', '--host', 'queue.example,second.example'] });
  assert.match(site.page.said, /warning[^]*--no-auth/);
  const status = (host) => new Promise((resolve, reject) => {
    http.get(`${site.url}/blueque/`, { headers: { Host: host } }, (answer) => { answer.resume(); resolve(answer.statusCode); }).on('error', reject);
  });
  for (const [host, wanted] of [['queue.example', 200], ['second.example:7733', 200], ['10.1.2.3', 200], ['evil.example', 421]]) {
    assert.equal(await status(host), wanted, host);
  }
  assert.match(site.run(['web', '--host', 'queue.example'], '', [2]), /--no-auth/);
});
