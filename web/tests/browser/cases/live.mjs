// What moves on the page while real workers and servers run.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { act, check, login } from '../lib/stage.mjs';
import { PASSWORD, Site, eventually, runs } from '../lib/site.mjs';

/** Notes in the page that it was not loaded again. */
const stay = (page) => page.evaluate(() => { window.stayed = true; });
const stayed = async (page) => assert.equal(await page.evaluate(() => window.stayed), true, 'the page was loaded again');

check('a task is followed from its submit to its end without a reload', async (stage) => {
  const site = await stage.site();
  site.program('film', `#!/bin/sh
echo "begin of the work"; echo "a warning" >&2
for n in 1 2 3 4; do
  until [ -e "${site.folder}/gate-$n" ]; do sleep 0.05; done
  echo "{\\"progress\\": {\\"done\\": $n, \\"total\\": 4}}" >>"$BLUEQUE_EVENTS"
  echo "step $n"
done
echo '"all done"' >"$BLUEQUE_RESULT"
`);
  const gate = (n) => writeFileSync(join(site.folder, `gate-${n}`), '');
  const [now, task] = [await stage.visitor(site), await stage.visitor(site)];
  await now.go();
  await stay(now);
  await now.waitForSelector('body[data-live=yes]');
  site.run(['submit', 'film', '["x"]', '--id', 'movie']);
  await now.locator('[data-alarm=no-worker]').getByText('film').first().waitFor();
  await task.go('/tasks/movie');
  await stay(task);
  await task.locator('#why').getByText('pending').waitFor();
  await site.worker('film');
  await now.waitForSelector('#now-running [data-key=movie]');
  await now.waitForSelector('[data-alarm=no-worker]', { state: 'detached' });
  await task.waitForSelector('#why [data-state=started]');
  await task.locator('.log p[data-source=stdout]', { hasText: 'begin of the work' }).waitFor();
  await task.locator('.log p[data-source=stderr]', { hasText: 'a warning' }).waitFor();
  for (const n of [1, 2, 3]) {
    gate(n);
    for (const page of [now, task]) await page.waitForSelector(`main progress[value="${(n / 4).toFixed(4)}"]`);
    await task.locator('.log p', { hasText: `step ${n}` }).waitFor();
  }
  gate(4);
  await task.waitForSelector('#why [data-state=complete]');
  await task.locator('#task-values', { hasText: 'all done' }).waitFor();
  await task.locator('.log p', { hasText: 'step 4' }).waitFor();
  await now.waitForSelector('#now-running [data-key=movie]', { state: 'detached' });
  // The supervisor has measured the attempt.
  assert.match(await task.textContent('#task-attempts tbody'), /exit code 0\s*\d+\.\d s\s*[\d.]+ [KM]iB/);
  // Each line is shown once, in its order.
  const lines = await task.locator('.log p[data-source=stdout] > span').allTextContents();
  assert.deepEqual(lines, ['begin of the work', 'step 1', 'step 2', 'step 3', 'step 4']);
  await stayed(now);
  await stayed(task);
});

check('a cancel by mouse ends all processes of the task', async (stage) => {
  const site = await stage.site();
  // Neither the program nor its descendants end by themselves, and a part of them leaves the process group.
  const tree = `#!/bin/sh
trap '' TERM INT HUP
echo $$ >>"$0.$BLUEQUE_TASK_ID.pids"
for n in 1 2; do sh -c 'trap "" TERM INT; echo $$ >>"$1"; while :; do sleep 0.2; done' - "$0.$BLUEQUE_TASK_ID.pids" & done
setsid sh -c 'trap "" TERM INT; echo $$ >>"$1"; while :; do sleep 0.2; done' - "$0.$BLUEQUE_TASK_ID.pids" &
while :; do sleep 0.2; done
`;
  site.program('tree', tree);
  await site.worker('tree', '--slots', '2', '--grace', '1s');
  for (const action of ['cancel', 'kill']) {
    const page = await stage.visitor(site);
    const file = join(site.programs, `tree.${action}-it.pids`);
    site.run(['submit', 'tree', '[]', '--id', `${action}-it`]);
    const pids = await eventually('four processes run', () => {
      const all = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
      return all.length === 4 && all.every(runs) && all;
    });
    await page.go(`/tasks/${action}-it`);
    await act(page, action, { reason: 'the wrong film' });
    await page.waitForSelector('#why [data-state=cancelled]');
    await eventually(`all processes end: ${pids.filter(runs)}`, () => !pids.some(runs));
    assert.match(await page.textContent('main'), /the wrong film/);
  }
});

check('a page says that the server is away as `ping` does, and heals by itself', async (stage) => {
  const site = await stage.site();
  const away = /status of 503|ERR_CONNECTION|ERR_EMPTY/;
  const [now, task, late] = [await stage.visitor(site), await stage.visitor(site), await stage.visitor(site, { expects: away })];
  await site.scripts.submit('q', 'waits');
  await now.go();
  await task.go('/tasks/waits');
  for (const page of [now, task]) {
    await page.waitForSelector('body[data-live=yes]');
    await stay(page);
  }
  await site.kill(site.redis);
  assert.match(site.run(['ping'], '', [0, 1, 2, 3, 4, 5, 6]), /refused/);
  for (const page of [now, task]) {
    await page.locator('#banner', { hasText: 'What you see is old' }).waitFor();
    assert.match(await page.textContent('#banner'), /refused/);
  }
  assert.equal((await late.go('/tasks')).status(), 503);
  assert.match(await late.textContent('main'), /refused[^]*blueque ping/);
  await site.server();
  for (const page of [now, task]) {
    await page.waitForSelector('#banner', { state: 'hidden' });
    await stayed(page);
  }
  await site.scripts.submit('q', 'later');
  await now.locator('#now-queues', { hasText: '2' }).waitFor();
  await late.waitForSelector('[data-key=waits]');
});

check('the page itself ends and starts again', async (stage) => {
  const site = await stage.site();
  const page = await stage.visitor(site, { expects: /ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY/ });
  await site.scripts.submit('q', 'waits');
  await page.go('/tasks/waits');
  await page.waitForSelector('body[data-live=yes]');
  await site.kill(site.page);
  await page.locator('#banner', { hasText: 'the page does not answer' }).waitFor();
  site.page = site.spawn(['web', '--listen', new URL(site.url).host]);
  await page.waitForSelector('#banner', { state: 'hidden' });
  await site.scripts.call('cancel', ['waits', 'by another']);
  await page.waitForSelector('#why [data-state=cancelled]');
});

check('two browsers see what the other does', async (stage) => {
  const site = await stage.site({ users: true });
  const [alice, olga] = [await stage.visitor(site), await stage.visitor(site)];
  await site.scripts.submit('q', 'shared');
  for (const [page, name] of [[alice, 'alice'], [olga, 'olga']]) {
    await page.go('/tasks/shared');
    await login(page, name, PASSWORD);
    await page.waitForSelector('body[data-live=yes]');
    await stay(page);
  }
  await act(olga, 'tag', { tags: 'urgent' });
  await alice.locator('#task-facts a.tag', { hasText: 'urgent' }).waitFor();
  await stay(olga);
  // The form came with a live part, and is sent with the session of its own browser.
  await act(alice, 'untag');
  await olga.waitForSelector('#task-facts a.tag', { state: 'detached' });
  await stay(alice);
  await act(olga, 'cancel', { reason: 'by olga' });
  await alice.waitForSelector('#why [data-state=cancelled]');
  await stayed(alice);
  await alice.go('/audit');
  assert.match(await alice.textContent('tbody'), /olga[^]*cancel[^]*shared/);
});

check('the log is followed, searched, and read backwards', async (stage) => {
  const site = await stage.site();
  await site.scripts.submit('q', 'talks', '[]', { log_bytes: 10_000_000 });
  const { id, token } = await site.scripts.take('q');
  for (let part = 0; part < 40; part += 1) {
    const lines = Array.from({ length: 100 }, (_, n) => `line ${part * 100 + n}`);
    await site.scripts.call('append_log', [id, token, 'stdout', `${lines.join('\n')}\n`]);
  }
  const page = await stage.visitor(site);
  await page.go('/tasks/talks');
  // A worker that names its process has started the task when it took it.
  await page.waitForSelector('#task-attempts [data-attempt="1"]');
  const log = page.locator('.log');
  const bottom = () => log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight < 30);
  await eventually('the log is at its end', bottom);
  await site.scripts.call('append_log', [id, token, 'stderr', 'the last line\n']);
  await log.getByText('the last line').waitFor();
  await eventually('the log follows', bottom);
  await log.hover();
  await eventually('the beginning is read', async () => {
    await page.mouse.wheel(0, -100_000);
    return log.getByText('line 0', { exact: true }).count();
  });
  assert.equal(await page.isChecked('#log-follow'), false);
  const numbers = await log.locator('p[data-source=stdout] > span').allTextContents();
  assert.deepEqual(numbers, Array.from({ length: 4000 }, (_, n) => `line ${n}`));
  await page.fill('#log-search', 'line 3999');
  await eventually('one line is left', async () => (await log.locator('p:visible').count()) === 1);
  await page.fill('#log-search', '');
  await page.selectOption('#log-source', 'stderr');
  await eventually('one line is left', async () => (await log.locator('p:visible').count()) === 1);
});

check('the notices of a task appear with the answers of their targets', async (stage) => {
  const site = await stage.site();
  await site.scripts.submit('q', 'told', '[]', { notify: 'chat,ops:failed' });
  const page = await stage.visitor(site);
  await page.go('/tasks/told');
  await page.waitForSelector('body[data-live=yes]');
  await stay(page);
  await page.locator('#task-notices', { hasText: 'chat,ops:failed' }).getByText('No notice yet').waitFor();
  const { id, token } = await site.scripts.take('q');
  await site.scripts.call('fail', [id, token, 'no'], { final: 1 });
  const row = (target) => page.locator('#task-notices tbody tr', { hasText: target });
  await row('chat').getByText('not tried yet').waitFor();
  for (const [target, outcome, answer] of [['chat', 'failed', 'no such <room>'], ['ops', 'delivered', '200 OK']]) {
    const [[, , , lent]] = await eventually('the notice is due', async () => {
      const taken = await site.scripts.call('take_notices', [1, 1, target]);
      return taken.length > 0 && [taken.slice(0, 17)];
    });
    await site.scripts.call('answer_notice', ['task', id, target, lent, outcome, answer]);
  }
  await row('chat').getByText('1 try, tried again').waitFor();
  assert.match(await row('chat').textContent(), /failed1[^]*no such <room>/);
  await row('ops').getByText('delivered').waitFor();
  assert.match(await row('ops').textContent(), /200 OK/);
  await stayed(page);
});

check('the notices of a graph appear with the answers of their targets', async (stage) => {
  const site = await stage.site();
  await site.scripts.call('submit_graph', ['told', 1, 1, 'only', 'q', '', '[]', '', ''], { notify: 'ops' });
  await site.scripts.call('run_deferred', [10]);
  const page = await stage.visitor(site);
  await page.go('/graphs/told');
  await page.waitForSelector('body[data-live=yes]');
  await stay(page);
  assert.equal(await page.locator('#graph-notices table').count(), 0);
  const { id, token } = await site.scripts.take('q');
  await site.scripts.call('complete', [id, token, '1']);
  const row = page.locator('#graph-notices tbody tr');
  await row.getByText('not tried yet').waitFor();
  const [[, , , lent]] = await eventually('the notice is due', async () => {
    const taken = await site.scripts.call('take_notices', [1, 1, 'ops']);
    return taken.length > 0 && [taken.slice(0, 17)];
  });
  await site.scripts.call('answer_notice', ['graph', 'told', 'ops', lent, 'failed', '503 Service Unavailable: <busy>']);
  await row.getByText('503 Service Unavailable: <busy>').waitFor();
  assert.match(await row.textContent(), /^ops.*complete.*1 try, tried again/);
  await stayed(page);
});

check('the first task of `blueque dev` moves on its page', async (stage) => {
  const site = new Site();
  stage.adopt(site);
  delete site.environment.BLUEQUE_URL;
  mkdirSync(join(site.folder, 'first'));
  const dev = site.spawn(['dev'], { cwd: join(site.folder, 'first') });
  site.url = (await site.line(dev, /^Page: http/)).replace('Page: ', '').trim().replace(/\/$/, '');
  const page = await stage.visitor(site);
  await page.go();
  await stay(page);
  const answer = await fetch(`${site.url}/api/v1/blueque/submit`, {
    method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ queue: 'count', tasks: [{ id: 'first', parameters: 8 }] }),
  });
  assert.equal(answer.status, 200, await answer.text());
  const bar = page.locator('#now-running [data-key=first] progress');
  const done = async () => ((await bar.count()) ? Number(await bar.getAttribute('value')) : 0);
  await eventually('the bar begins', async () => (await done()) > 0);
  const begun = await done();
  await eventually('the bar moves', async () => (await done()) > begun);
  await page.waitForSelector('#now-running [data-key=first]', { state: 'detached' });
  await stayed(page);
});
