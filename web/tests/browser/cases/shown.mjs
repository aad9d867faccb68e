// What pages show of known data: expected ends, titles, plots, the cost of attempts, large graphs, several servers.
import assert from 'node:assert/strict';

import { demo } from '../lib/demo.mjs';
import { Site, eventually } from '../lib/site.mjs';
import { act, check } from '../lib/stage.mjs';

const cells = (row) => row.locator('td').allTextContents();

check('the expected end of a running task, the cost of its attempts, its title', async (stage) => {
  const site = await stage.site();
  await demo(site);
  const page = await stage.visitor(site);
  await page.go();
  const running = page.locator('#now-running [data-key=movie-1]');
  // 412 of 720 minutes have passed, so 308 are left.
  assert.match(await running.textContent(), /6 h 52 min[^]*in 5 h \d/);
  assert.match(await running.locator('a').first().textContent(), /^Metropolis, 1927$/);
  await page.go('/tasks/movie-1');
  assert.match(await page.textContent('#expected'), /^Expected end: in 5 h \d+ min, by its progress/);
  assert.equal(await page.textContent('#title'), 'Metropolis, 1927');
  const failed = (await site.api('list', { queue: 'transcode', status: 'failed' })).items[0].id;
  await page.go(`/tasks/${failed}`);
  const attempt = await cells(page.locator('#task-attempts tbody tr').first());
  for (const part of [/^exit code 1$/, /^3 h 55 min$/, /^793\.0 MiB$/, /^3\.8 GiB \/ 1\.8 GiB$/]) {
    assert.ok(attempt.some((cell) => part.test(cell.trim())), `${part} in ${attempt}`);
  }
  await page.go('/tasks?q=id:movie-1');
  assert.equal(await page.locator('[data-key=movie-1] th a').first().textContent(), 'Metropolis, 1927');
  await page.go('/tasks?q=id:movie-2');
  assert.match(await page.locator('[data-key=movie-2] .what').textContent(), /^\{"film":"nosferatu"/);
  await page.go('/graphs/film');
  assert.match(await page.locator('#graph-picture [data-key=part-a]').textContent(), /The first reel/);
});

check('a task that no worker can take is an alarm, and running tasks name their workers', async (stage) => {
  const site = await stage.site();
  await site.scripts.submit('q', 'runs');
  await site.scripts.take('q', 'render-1_7');
  await site.scripts.call('report', ['render-1_7', 2, 1, 1, 'q'], { name: 'render-1', version: '0.1.0' });
  const page = await stage.visitor(site);
  await page.go();
  const worker = page.locator('#now-running [data-key=runs] td').nth(5);
  assert.equal(await worker.textContent(), 'render-1');
  assert.equal(await worker.locator('span').getAttribute('title'), 'render-1_7');
  await page.waitForSelector('body[data-live=yes]');
  assert.equal(await page.locator('[data-alarm]').count(), 0);
  await site.scripts.submit('q', 'stuck', '[]', { needs: 'gpu', title: 'The <gpu> film' });
  const alarm = page.locator('[data-alarm=waits]');
  await alarm.waitFor();
  assert.match(await alarm.textContent(), /The next task, The <gpu> film, waits\. It needs gpu, which the only worker of q does not have/);
  await alarm.locator('a').click();
  await page.waitForURL('**/tasks/stuck');
});

check('plots of throughput, waiting time and running time', async (stage) => {
  const site = await stage.site();
  await demo(site);
  await site.scripts.call('aggregate', ['transcode', 500]);
  const page = await stage.visitor(site);
  await page.go('/queues/transcode');
  const plot = (name) => page.locator(`#queue-plots svg[aria-label="${name}"]`);
  for (const what of ['Tasks that ended', 'Waiting time', 'Running time']) {
    for (const by of ['day', 'hour']) assert.equal(await plot(`${what}, by ${by}`).count(), 1, what);
  }
  const titles = await plot('Tasks that ended, by hour').locator('g title').allTextContents();
  assert.equal(titles.length, 24);
  const sum = (word) => titles.map((title) => Number(title.match(`(\\d+) ${word}`)?.[1] ?? 0)).reduce((all, one) => all + one, 0);
  assert.deepEqual([sum('complete'), sum('failed')], [2, 3]);
});

check('forms of settings and options show the present value, its unit and its source', async (stage) => {
  const site = await stage.site();
  await site.scripts.submit('q', 'own', '[]', { max_failures: 3, lease: 90 });
  await site.scripts.call('configure', ['*', 'lease', '120']);
  await site.scripts.call('configure', ['q', 'keep', '1000']);
  const page = await stage.visitor(site);
  await page.go('/queues/q');
  const setting = (name) => page.locator('#queue-settings .act', { has: page.locator(`input[name=name][value=${name}]`) });
  const opened = async (name) => {
    await setting(name).locator('summary').click();
    const sheet = setting(name).locator('.sheet');
    return [await sheet.locator('input[name=value]').inputValue(), await sheet.locator('label').textContent(), await sheet.locator('[data-source]').textContent()];
  };
  assert.deepEqual(await opened('lease'), ['120', 'lease, in seconds, or 15m, 2h, 3d', 'The present value is that of all queues.']);
  assert.deepEqual(await opened('keep'), ['1000', 'keep, in tasks', 'The present value is that of this queue. Without a value here, that of all queues, or the default applies.']);
  assert.deepEqual(await opened('max_bytes'), ['1048576', 'max_bytes', 'The present value is the default.']);
  assert.match(await page.textContent('#queue-settings'), /1\.0 MiB/);
  assert.match(await act(page, 'configure', { value: '3d' }, setting('retain')), /retain is 259200/);
  await page.go('/tasks/own');
  const edit = page.locator('form[data-action=edit]');
  const option = (name) => edit.locator(`[name="set.${name}"]`);
  const [failures, delay, lease] = ['max_failures', 'delay', 'lease'].map(option);
  assert.deepEqual([await failures.inputValue(), await delay.inputValue(), await lease.inputValue()], ['3', '', '90']);
  assert.deepEqual([await delay.getAttribute('placeholder'), await lease.getAttribute('placeholder')], ['10 (default)', '120 (of all queues)']);
  assert.match(await edit.textContent(), /delay, in seconds/);
  await act(page, 'edit', { 'set.delay': '2m' });
  assert.equal(Number((await site.api('get', { id: 'own' })).delay), 120);
  assert.match(await page.textContent('#task-policy'), /delay\s*2 min\s*set for this task/);
});

check('an action on a large graph is shown soon, also if another client did it', async (stage) => {
  const site = await stage.site();
  const tasks = Array.from({ length: 1200 }, (_, n) => [`t${n}`, 'large', '', '[]', '', `label=part[${n}]`]);
  for (let at = 0; at < tasks.length; at += 400) {
    await site.scripts.call('submit_graph', ['large', tasks.length, 400, ...tasks.slice(at, at + 400).flat()]);
  }
  await eventually('all tasks exist', async () => {
    await site.scripts.call('run_deferred', [100]);
    return (await site.api('counts', { queue: 'large' })).pending === 1200;
  });
  const page = await stage.visitor(site);
  await page.go('/graphs/large');
  await page.waitForSelector('body[data-live=yes]');
  await page.locator('#graph-head', { hasText: '0 / 1200' }).waitFor();
  // Less than the time after which the page reads a large graph anyway.
  const shown = async (what, state) => {
    const begun = Date.now();
    await page.locator(`#graph-picture [data-state=${state}]`).waitFor();
    assert.ok(Date.now() - begun < 8_000, `${what} is shown after ${Date.now() - begun} ms`);
  };
  for (const [action, state] of [['cancel_graph', 'cancelled'], ['retry_graph', 'pending']]) {
    await site.scripts.call(action, action === 'cancel_graph' ? ['large', 'by another'] : ['large']);
    await eventually(`all tasks are ${state}`, async () => {
      await site.scripts.call('run_deferred', [100]);
      return (await site.api('counts', { queue: 'large' }))[state] === 1200;
    });
    await shown(action, state);
  }
  await act(page, 'cancel-graph', { reason: 'too large' });
  await eventually('the graph is cancelled', async () => {
    await site.scripts.call('run_deferred', [100]);
    return (await site.api('counts', { queue: 'large' })).cancelled === 1200;
  });
  await shown('cancel-graph', 'cancelled');
  await page.locator('#graph-head', { hasText: '1200 / 1200' }).waitFor();
});

check('partitions of a topology are places with a switch', async (stage) => {
  const [site, other] = [await stage.site(), new Site()];
  stage.adopt(other);
  await other.server();
  await site.kill(site.page, 'SIGTERM');
  const topology = `one=${site.environment.BLUEQUE_URL},two=${other.environment.BLUEQUE_URL}`;
  delete site.environment.BLUEQUE_URL;
  site.page = site.spawn(['web', '--listen', '127.0.0.1:0', '--topology', topology]);
  site.url = (await site.line(site.page, /^http/)).replace(/\/$/, '');
  await site.scripts.submit('q', 'first');
  await other.scripts.submit('q', 'second');
  const page = await stage.visitor(site);
  await page.goto(`${site.url}/`);
  await page.locator('nav a', { hasText: 'Tasks' }).first().click();
  await page.waitForSelector('[data-key=first]');
  assert.equal(await page.locator('[data-key=second]').count(), 0);
  await page.click('details.place summary');
  await page.locator('details.place a', { hasText: 'two' }).click();
  await page.waitForURL('**/two/**');
  await page.locator('nav a', { hasText: 'Tasks' }).first().click();
  await page.waitForSelector('[data-key=second]');
  assert.equal(await page.locator('[data-key=first]').count(), 0);
});
