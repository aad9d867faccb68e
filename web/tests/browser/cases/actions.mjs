// Each action of the table, by mouse, on the page that offers it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { act, check, said } from '../lib/stage.mjs';
import { eventually } from '../lib/site.mjs';

const table = readFileSync(new URL('../../../src/act.rs', import.meta.url), 'utf8');
const names = Array.from(table.matchAll(/^ {4}"([a-z-]+)" "[^"]+" "[a-z_]+"/gm), ([, name]) => name);

const status = (site, id, wanted) => eventually(`${id} is ${wanted}`, async () => (await site.state(id)) === wanted);
const row = (page, key) => page.locator(`[data-key="${key}"]`);

/** A task of each state, whose id is the name of the action. */
async function pending(site, id, options) { await site.scripts.submit(id, id, '["old"]', options); }
async function held(site, id) { await pending(site, id); return site.scripts.take(id); }
async function failed(site, id) {
  const { token } = await held(site, id);
  await site.scripts.call('checkpoint', [id, token, '"half"']);
  await site.scripts.call('fail', [id, token, 'no'], { final: 1, group: 'disk' });
}
async function graph(site, id) {
  const tasks = [[`${id}-a`, id, '', '[]', '', ''], [`${id}-b`, id, '', '[]', `success=${id}-a`, '']];
  await site.scripts.call('submit_graph', [id, 2, 2, ...tasks.flat()]);
  await site.scripts.call('run_deferred', [10]);
}
async function worker(site, id) {
  await site.scripts.call('register', [id, 'drained_1']);
  await site.scripts.call('report', ['drained_1', 2, 2, 1, id]);
}
const schedule = (site, id, options = {}) => site.scripts.call('schedule', [id, id, 'every 86400', '["old"]', 0], options);

const ways = {
  'add-task': async (site, page) => {
    await page.go('/tasks?q=queue:add-task');
    await page.click('a.button:text("Add a task")');
    const sets = { 'set.title': 'The <first> reel', 'set.priority': '7', 'set.tags': 'nightly,4k', start: '2h', id: 'added' };
    assert.match(await act(page, 'add-task', { ...sets, parameters: '{"n": 12345678901234567890}' }), /added is in the queue add-task/);
    assert.match(page.url(), /\/tasks\/added$/);
    const task = await (await fetch(`${site.url}/api/v1/blueque/get?id=added`)).text();
    assert.match(task, /12345678901234567890/);
    const { status: state, title, priority, tags, submitter } = JSON.parse(task);
    assert.ok(submitter);
    assert.deepEqual([state, title, Number(priority), tags], ['scheduled', 'The <first> reel', 7, '4k,nightly']);
    await page.go('/queues/add-task');
    await page.click('a.button:text("Add a task")');
    await act(page, 'add-task', { command: "encode 'two words'" });
    const { command, needs, parameters } = await site.api('get', { id: decodeURIComponent(page.url().split('/').pop()) });
    assert.deepEqual([JSON.parse(command).argv, needs, parameters], [['encode', 'two words'], 'commands', []]);
  },
  'add-schedule': async (site, page) => {
    await page.go('/schedules');
    await page.click('a.button:text("Add a schedule")');
    const when = { schedule: 'added', cron: '30 4 * * 1-5', zone: 'Europe/Berlin', queue: 'add-schedule', parameters: '["x"]', 'set.priority': '3' };
    assert.match(await act(page, 'add-schedule', when), /added creates tasks/);
    assert.match(await page.textContent('main'), /cron Europe\/Berlin 30 4[^]*priority[^]*3/);
    await page.go('/new/schedule');
    await act(page, 'add-schedule', { schedule: 'often', cron: 'every 15m', queue: 'add-schedule' });
    assert.match(await page.textContent('main'), /every 900/);
  },
  cancel: async (site, page) => {
    await held(site, 'cancel');
    await page.go('/tasks/cancel');
    assert.match(await act(page, 'cancel', { reason: 'too late' }), /asked to stop/);
    await page.waitForSelector('#why [data-state=stopping]');
  },
  kill: async (site, page) => {
    await held(site, 'kill');
    await page.go('/tasks/kill');
    assert.match(await act(page, 'kill'), /ordered to kill/);
  },
  free: async (site, page) => {
    await held(site, 'free');
    await page.go('/tasks/free');
    await act(page, 'free');
    await status(site, 'free', 'cancelled');
  },
  retry: async (site, page) => {
    await failed(site, 'retry');
    await page.go('/tasks/retry');
    await act(page, 'retry');
    await status(site, 'retry', 'pending');
    assert.equal((await site.api('get', { id: 'retry' })).checkpoint, 'half');
  },
  'retry-fresh': async (site, page) => {
    await failed(site, 'retry-fresh');
    await page.go('/tasks/retry-fresh');
    await act(page, 'retry-fresh');
    await status(site, 'retry-fresh', 'pending');
    assert.equal((await site.api('get', { id: 'retry-fresh' })).checkpoint ?? null, null);
  },
  requeue: async (site, page) => {
    await held(site, 'requeue');
    await page.go('/tasks/requeue');
    assert.match(await act(page, 'requeue'), /asked to give/);
  },
  suspend: async (site, page) => {
    const { token } = await held(site, 'suspend');
    await page.go('/tasks/suspend');
    assert.match(await act(page, 'suspend'), /asked to suspend/);
    await site.scripts.call('attend', ['suspend', token], { answered: 1 });
    await page.waitForSelector('#why [data-state=suspended]');
  },
  continue: async (site, page) => {
    const { token } = await held(site, 'continue');
    await site.scripts.call('suspend', ['continue']);
    await site.scripts.call('attend', ['continue', token], { answered: 1 });
    await page.go('/tasks/continue');
    assert.match(await act(page, 'continue'), /asked to continue/);
    assert.match((await site.api('get', { id: 'continue' })).controls, /unsuspend/);
  },
  signal: async (site, page) => {
    await held(site, 'signal');
    await page.go('/tasks/signal');
    assert.match(await act(page, 'signal', { signal: 'USR2' }), /send USR2/);
  },
  hold: async (site, page) => {
    await pending(site, 'hold');
    await page.go('/tasks/hold');
    await act(page, 'hold');
    await status(site, 'hold', 'held');
  },
  unhold: async (site, page) => {
    await pending(site, 'unhold', { hold: 1 });
    await page.go('/tasks/unhold');
    await act(page, 'unhold');
    await status(site, 'unhold', 'pending');
  },
  delete: async (site, page) => {
    await failed(site, 'delete');
    await page.go('/tasks/delete');
    await act(page, 'delete');
    assert.match(page.url(), /\/tasks$/);
    assert.equal((await site.api('get', { id: 'delete' })).status ?? null, null);
  },
  move: async (site, page) => {
    await pending(site, 'move');
    await page.go('/tasks/move');
    await act(page, 'move', { into: 'elsewhere' });
    assert.equal((await site.api('get', { id: 'move' })).queue, 'elsewhere');
  },
  prioritise: async (site, page) => {
    await pending(site, 'prioritise');
    await page.go('/tasks/prioritise');
    await act(page, 'prioritise', { priority: '7' });
    assert.equal(Number((await site.api('get', { id: 'prioritise' })).priority), 7);
  },
  tag: async (site, page) => {
    await pending(site, 'tag');
    await page.go('/tasks/tag');
    assert.match(await act(page, 'tag', { tags: 'red,blue' }), /red/);
    assert.equal(await page.locator('#task-facts a.tag').count(), 2);
  },
  untag: async (site, page) => {
    await pending(site, 'untag', { tags: 'old' });
    await page.go('/tasks/untag');
    assert.match(await act(page, 'untag'), /no tags/);
  },
  note: async (site, page) => {
    await pending(site, 'note');
    await page.go('/tasks/note');
    await act(page, 'note', { text: 'look at <this>' });
    assert.match(await page.textContent('#task-history'), /look at <this>/);
  },
  edit: async (site, page) => {
    await pending(site, 'edit');
    await page.go('/tasks/edit');
    await act(page, 'edit', { 'set.parameters': '["new",\n12345678901234567890]', 'set.max_failures': '3', reason: 'wrong file' });
    const answer = await fetch(`${site.url}/api/v1/blueque/get?id=edit`);
    assert.match(await answer.text(), /12345678901234567890/);
    assert.match(await page.textContent('#task-audit'), /edit/);
  },
  pause: async (site, page) => {
    await pending(site, 'pause');
    await page.go('/queues/pause');
    await act(page, 'pause', { reason: 'the disk is full' });
    assert.match(await page.textContent('[data-paused]'), /the disk is full/);
  },
  stop: async (site, page) => {
    await held(site, 'stop');
    await page.go('/queues/stop');
    await act(page, 'stop');
    assert.match(await page.textContent('[data-paused]'), /stopping/);
  },
  open: async (site, page) => {
    await pending(site, 'open');
    await site.scripts.call('pause', ['open', 'anna', '']);
    await page.go('/queues/open');
    await act(page, 'open');
    assert.equal(await page.locator('[data-paused]').count(), 0);
  },
  configure: async (site, page) => {
    await pending(site, 'configure');
    await page.go('/queues/configure');
    const sheet = page.locator('.act', { has: page.locator('form input[name=name][value=max_failures]') });
    assert.match(await act(page, 'configure', { value: '9' }, sheet), /max_failures is 9/);
    await page.go('/server');
    assert.match(await act(page, 'configure', { value: '120' }, page.locator('.act', { has: page.locator('form input[name=name][value=lease]') })), /lease is 120/);
  },
  limit: async (site, page) => {
    await pending(site, 'limit');
    await page.go('/queues/limit');
    await act(page, 'limit', { key: 'acme', concurrency: '2', rate: '5/60' }, page.locator('#queue-limits'));
    assert.match(await page.textContent('#queue-limits'), /acme/);
    await page.go('/queues');
    await act(page, 'limit', { key: 'database', concurrency: '4' }, page.locator('#shared'));
    assert.match(await row(page, 'database').textContent(), /4/);
  },
  'delete-queue': async (site, page) => {
    await failed(site, 'delete-queue');
    await site.scripts.call('delete', ['delete-queue']);
    await site.scripts.call('unregister', ['delete-queue', 'host-1_1']);
    await page.go('/queues/delete-queue');
    assert.match(await act(page, 'delete-queue'), /is deleted/);
    assert.match(page.url(), /\/queues$/);
  },
  drain: async (site, page) => {
    await worker(site, 'drain');
    await page.go('/workers');
    assert.match(await act(page, 'drain', {}, row(page, 'drained_1')), /takes no more tasks/);
    await row(page, 'drained_1').getByText('draining').waitFor();
  },
  undrain: async (site, page) => {
    await worker(site, 'undrain');
    await site.scripts.call('drain', ['undrain', 'drained_1', 1]);
    await page.go('/workers');
    assert.match(await act(page, 'undrain', {}, row(page, 'drained_1')), /is withdrawn/);
  },
  'pause-schedule': async (site, page) => {
    await schedule(site, 'pause-schedule');
    await page.go('/schedules');
    await act(page, 'pause-schedule', { reason: 'holidays' }, row(page, 'pause-schedule'));
    assert.match(await row(page, 'pause-schedule').textContent(), /paused/);
  },
  'resume-schedule': async (site, page) => {
    await schedule(site, 'resume-schedule');
    await site.scripts.call('pause_schedule', ['resume-schedule', 'anna', '']);
    await page.go('/schedules/resume-schedule');
    await act(page, 'resume-schedule');
    assert.match(await page.textContent('h1'), /active/);
  },
  'run-schedule': async (site, page) => {
    await schedule(site, 'run-schedule');
    await page.go('/schedules/run-schedule');
    assert.match(await act(page, 'run-schedule'), /has created the task/);
  },
  'edit-schedule': async (site, page) => {
    await schedule(site, 'edit-schedule');
    await page.go('/schedules/edit-schedule');
    await act(page, 'edit-schedule', { recurrence: 'every 3600', parameters: '["new"]' });
    assert.match(await page.textContent('main'), /every 3600[^]*new/);
  },
  'delete-schedule': async (site, page) => {
    await schedule(site, 'delete-schedule');
    await page.go('/schedules/delete-schedule');
    assert.match(await act(page, 'delete-schedule'), /is deleted/);
  },
  'cancel-graph': async (site, page) => {
    await graph(site, 'cancel-graph');
    await page.go('/graphs/cancel-graph');
    await act(page, 'cancel-graph', { reason: 'wrong film' });
    await eventually('the steps of the cancel', async () => {
      await site.scripts.call('run_deferred', [10]);
      return (await site.state('cancel-graph-a')) === 'cancelled';
    });
    await page.locator('#graph-picture [data-state=cancelled]').first().waitFor();
  },
  'retry-graph': async (site, page) => {
    await graph(site, 'retry-graph');
    const { id, token } = await site.scripts.take('retry-graph');
    await site.scripts.call('fail', [id, token, 'no'], { final: 1 });
    await page.go('/graphs/retry-graph');
    await act(page, 'retry-graph');
    await eventually('the steps of the retry', async () => {
      await site.scripts.call('run_deferred', [10]);
      return (await site.state('retry-graph-a')) === 'pending';
    });
  },
  'rerun-graph': async (site, page) => {
    await graph(site, 'rerun-graph');
    const { id, token } = await site.scripts.take('rerun-graph');
    await site.scripts.call('complete', [id, token, '[]']);
    await page.go('/tasks/rerun-graph-a');
    await act(page, 'rerun-graph');
    await eventually('the steps of the rerun', async () => {
      await site.scripts.call('run_deferred', [10]);
      return (await site.state('rerun-graph-a')) === 'pending';
    });
  },
  many: async (site, page) => {
    for (const id of ['many-1', 'many-2', 'many-3']) await site.scripts.submit('many', id);
    await page.go('/tasks?q=queue:many');
    await page.check('[data-key=many-1] input');
    await page.check('[data-key=many-2] input');
    await page.selectOption('#what', 'cancel');
    await page.click('.bulk details.ask summary');
    await page.click('.bulk .sheet button');
    assert.match(await said(page), /2 tasks changed/);
    await page.click('.flash a');
    assert.deepEqual((await page.locator('tbody tr').evaluateAll((rows) => rows.map((one) => one.dataset.key))).sort(), ['many-1', 'many-2']);
    await page.go('/tasks?q=queue:many');
    assert.deepEqual([await site.state('many-1'), await site.state('many-3')], ['cancelled', 'pending']);
    await page.check('input[name=scope][value=all]');
    await page.selectOption('#what', 'prioritise');
    await page.fill('[data-for=prioritise] input', '5');
    await page.click('.bulk details.ask summary');
    await page.click('.bulk .sheet button');
    await said(page);
    await page.getByText('It is done.').waitFor();
    assert.equal(Number((await site.api('get', { id: 'many-3' })).priority), 5);
    await page.click('[data-after]');
    await page.waitForURL('**/tasks?q=queue:many');
    assert.match(await page.locator('[data-job]').first().textContent(), /Change priority: all that match by [^]*1 task changed, 2 refused/);
    await page.locator('[data-job] a').first().click();
    await page.getByText('It is done.').waitFor();
  },
  'confirm-many': async (site, page) => {
    for (const id of ['yes-1', 'yes-2', 'no']) await site.scripts.submit('confirm-many', id);
    await page.go('/tasks?q=queue:confirm-many+yes');
    await page.check('input[name=scope][value=all]');
    await page.selectOption('#what', 'hold');
    await page.click('.bulk details.ask summary');
    await page.click('.bulk .sheet button.primary');
    await page.getByText('2 tasks found.').waitFor();
    await act(page, 'confirm-many');
    await page.getByText('It is done.').waitFor();
    assert.deepEqual([await site.state('yes-1'), await site.state('yes-2'), await site.state('no')], ['held', 'held', 'pending']);
  },
  'stop-many': async (site, page) => {
    // Enough steps that the stop comes before the end.
    const ids = Array.from({ length: 500 }, (_, at) => at);
    for (let part = 0; part < 40; part += 1) {
      await site.scripts.call('submit', ['stop-many', 500, ...ids.flatMap((at) => [`n-${part}-${at}`, '', '[]'])]);
    }
    await page.go('/tasks?q=queue:stop-many');
    await page.check('input[name=scope][value=all]');
    await page.click('.bulk details.ask summary');
    await page.click('.bulk .sheet button');
    await act(page, 'stop-many');
    await page.getByText('It was stopped.').waitFor();
    assert.ok((await site.api('counts', { queue: 'stop-many' })).pending > 0, 'nothing was left to stop');
  },
};

check('each action of the table has a test', async () => {
  assert.ok(names.length > 30, 'the table is not read');
  assert.deepEqual(Object.keys(ways).sort(), names.sort());
});

const PARTS = 4;
for (let part = 0; part < PARTS; part += 1) {
  const own = Object.entries(ways).filter((_, at) => at % PARTS === part);
  check(`actions by mouse: ${own.map(([name]) => name).join(', ')}`, async (stage) => {
    const site = await stage.site();
    const page = await stage.visitor(site);
    for (const [, way] of own) await way(site, page);
  });
}
