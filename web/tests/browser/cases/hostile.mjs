// Everything that a task, a worker or a foreign client says is text on every page, and nothing else.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';

import { corpus } from '../lib/corpus.mjs';
import { eventually } from '../lib/site.mjs';
import { check } from '../lib/stage.mjs';

/** The part of the texts that have a page of their own, in percent. All are on the pages with lists. */
const share = Number(process.env.SHARE ?? 100);
const every = Math.max(1, Math.round(100 / share));

const cut = (text, most) => text.subarray(0, most);
const percent = (text) => Array.from(text, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
/** The letters of a text, which a page must show as they are. */
const letters = (text) => text.toString('latin1').replace(/[^\x21-\x7e]/g, '');
const without = (text) => text.replace(/\\u\{[0-9a-f]+\}|\\x[0-9a-f]{2}/g, '').replace(/[^\x21-\x7e]/g, '');

/** A task that carries a text in every field, with two attempts. */
async function carry(scripts, text, at) {
  const id = `t${at}`;
  await scripts.submit('hostile', id, text, { max_failures: 5 });
  for (const final of [0, 1]) {
    const { token } = await scripts.take('hostile', 'host-1_1');
    for (let from = 0; from < Math.min(text.length, 1_000_000); from += 60_000) await scripts.call('append_log', [id, token, from ? 'stderr' : 'stdout', text.subarray(from, from + 60_000)]);
    const message = cut(text, 1_000);
    await scripts.call('progress', [id, token, final ? message : JSON.stringify({ progress: 0.5, message: message.toString() })]);
    await scripts.call('checkpoint', [id, token, JSON.stringify({ [message.toString()]: text.toString().slice(0, 100_000) })]);
    await scripts.call('fail', [id, token, text], { ...(final ? { final } : { again: 0 }), group: cut(text, 60_000), cost: cut(text, 300) });
  }
  await scripts.call('note', [id, cut(text, 1_000)], { by: 'anna', data: cut(text, 1_000) });
  await scripts.call('edit', [id], { reason: cut(text, 1_000), by: 'anna', priority: at }).catch(() => {});
  // The scripts refuse these; a client without scripts writes what it likes.
  const short = cut(text, 2_000);
  const fields = ['result', 'reason', 'label', 'method', 'key', 'tags', 'unique', 'needs', 'limits', 'steps', 'node', 'schedule', 'cause', 'graph', 'deadline', 'weight'];
  await scripts.send('HSET', `blueque_task_${id}`, ...fields.flatMap((name) => [name, name === 'result' ? text : short]));
}

/** A worker, a queue, a schedule, a graph, a limit and a setting that carry a text. */
async function surround(scripts, text, at) {
  const short = cut(text, 1_000);
  const queue = `q${at}`;
  const listener = `host-${at % 7}_${at + 1}`;
  await scripts.submit(queue, `w${at}`);
  await scripts.call('register', [queue, listener]);
  await scripts.call('report', [listener, 2, 1, 1, queue], { trouble: short });
  await scripts.send('HSET', `blueque_worker_${listener}`, ...['name', 'version', 'methods', 'has', 'patterns'].flatMap((name) => [name, short]));
  await scripts.call('pause', [queue, 'anna', short]);
  await scripts.call('cancel', [`w${at}`, short]);
  await scripts.call('schedule', [`s${at}`, queue, 'every 86400', text, 0]);
  await scripts.call('pause_schedule', [`s${at}`, 'anna', short]);
  await scripts.send('HSET', `blueque_schedule_s${at}`, ...['queue', 'method', 'last_task', 'tasks', 'error', 'overlap'].flatMap((name) => [name, short]));
  await scripts.call('submit_graph', [`g${at}`, 1, 1, `n${at}`, 'hostile-graphs', '', text, '', `label=${percent(cut(text, 300))}`], { name: short });
}

/** One of what only a client without scripts can name. */
async function foreign(scripts) {
  const names = corpus.filter((text) => text.length < 200);
  await scripts.send('ZADD', 'blueque_queues', ...names.slice(0, 60).flatMap((name) => ['1', name]));
  await scripts.send('SADD', 'blueque_listeners_hostile', ...names);
  await scripts.send('ZADD', 'blueque_tags_hostile', ...names.flatMap((name) => ['2', name]));
  await scripts.send('HSET', 'blueque_limits_hostile', ...names.flatMap((name) => [name, '3 -']));
  await scripts.send('HSET', 'blueque_shared_limits', ...names.flatMap((name) => [name, '3 -']));
}

/** Number of values of a notice in the reply of `take_notices`. */
const NOTICE = 16;

/** Opens a page, follows it until its first live frame, and does what a reader does. */
async function open(page, path) {
  const answer = await page.go(path);
  if (answer.status() >= 500) assert.fail(`${path}: ${answer.status()} ${await page.textContent('main')}`);
  if (await page.locator('main [data-live]').count()) await page.waitForSelector('body[data-live=yes]');
  return answer.status();
}

check('300 hostile texts are text on every page: lists', async (stage) => {
  assert.equal(corpus.length, 300);
  const site = await stage.site();
  for (const [at, text] of corpus.entries()) await surround(site.scripts, text, at);
  await site.scripts.submit('hostile', 'one');
  await foreign(site.scripts);
  const page = await stage.visitor(site, { expects: /status of 4/ });
  for (const path of ['/', '/queues', '/workers', '/schedules', '/graphs', '/audit', '/server', '/tasks?q=queue:hostile-graphs', '/queues/hostile']) {
    assert.equal(await open(page, path), 200, path);
  }
  for (let at = 0; at < corpus.length; at += every * 6) {
    for (const path of [`/queues/q${at}`, `/schedules/s${at}`, `/graphs/g${at}`]) assert.equal(await open(page, path), 200, path);
  }
  // Names in addresses, in filters, and in what an action says.
  for (const text of corpus.filter((one, at) => one.length < 2_000 && at % (every * 6) === 0)) {
    const name = encodeURIComponent(text.toString());
    for (const path of [`/tasks?q=${name}`, `/tasks/${name}`, `/graphs/g0?open=${name}`, `/audit?by=${name}&since=${name}`]) await open(page, path);
  }
});

check('300 hostile texts are text on every page: tasks', async (stage) => {
  const site = await stage.site();
  for (const [at, text] of corpus.entries()) await carry(site.scripts, text, at);
  const page = await stage.visitor(site, { expects: /status of 4/ });
  const columns = 'queue,method,progress,attempt,priority,key,tags,worker,created,changed';
  let shown = 0;
  for (let path = `/tasks?q=queue:hostile&columns=${columns}`; path;) {
    assert.equal(await open(page, path), 200, path);
    for (const [id, text] of await page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => [row.dataset.key, row.textContent]))) {
      const whole = letters(cut(corpus[Number(id.slice(1))], 30));
      assert.ok(without(text).includes(without(whole)), `${id}: ${text}`);
      shown += 1;
    }
    const next = page.locator('.pager a[rel=next]');
    path = await next.count() ? (await next.getAttribute('href')).replace('/blueque', '') : null;
  }
  assert.equal(shown, corpus.length);
  for (let at = 0; at < corpus.length; at += every) {
    const text = corpus[at];
    assert.equal(await open(page, `/tasks/t${at}`), 200);
    if (text.length > 1_000) continue;
    const values = without(await page.textContent('#task-values'));
    assert.ok(values.includes(without(letters(text))), `t${at}: ${text} is not in ${values}`);
  }
});

/** Sends a form with values that no user could type. Returns the status of the answer, after redirects. */
async function send(page, path, values) {
  await page.go(path);
  const sent = page.waitForNavigation({ waitUntil: 'domcontentloaded' });
  await page.locator('form.new').evaluate((form, typed) => {
    for (const field of form.querySelectorAll('input:not([type=hidden]), textarea')) {
      const value = typed[field.name] ?? typed['*'];
      if (value !== undefined) field.value = value;
    }
    // The checks of the browser and the script of the page are not asked.
    form.submit();
  }, values);
  return (await sent).status();
}

for (const part of [0, 1, 2]) check(`300 hostile texts are text on every page: forms, part ${part + 1}`, async (stage) => {
  const site = await stage.site();
  const page = await stage.visitor(site, { expects: /status of 4/ });
  const created = { task: 0, schedule: 0 };
  let tried = 0;
  for (let at = part * every; at < corpus.length; at += every * 3, tried += 1) {
    const text = corpus[at].toString();
    const [id, one, is_large] = [`f${at}`, text.slice(0, 500), text.length > 3_000];
    const [kind, own] = tried % 2 ? ['task', { id }] : ['schedule', { schedule: id, cron: 'every 1d', zone: '' }];
    // Everything is the text, in the link and in the form: it is shown again, with what was typed.
    const filled = ['queue', 'set.title', 'set.tags', 'set.unique', 'command', 'parameters', ...Object.keys(own)];
    const link = `/new/${kind}?${filled.map((name) => `${name}=${percent(cut(corpus[at], 300))}`).join('&')}`;
    const status = await send(page, link, is_large ? { ...own, queue: 'forms', parameters: text } : { '*': text });
    assert.ok(status === 400 || (is_large && [200, 413].includes(status)), `${kind} ${at}: ${status}`);
    if (status === 400) {
      await page.waitForSelector('[data-refused]');
      const kept = await page.inputValue('textarea[name=parameters]');
      assert.equal(letters(Buffer.from(kept)), letters(Buffer.from(text)), `${kind} ${at}`);
    }
    // Only what may have any text is the text.
    const command = kind === 'task' && tried % 4 === 1 ? `'${one.replaceAll("'", '')}'` : '';
    const made = await send(page, `/new/${kind}`, { ...own, queue: 'forms', 'set.title': one, command, parameters: JSON.stringify({ [one]: text.slice(0, 100_000) }) });
    if (!page.url().endsWith(`/${kind}s/${id}`)) {
      assert.equal(made, 400, `${kind} ${at}`);
      await page.waitForSelector('[data-refused]');
      continue;
    }
    created[kind] += 1;
    if (text.length < 1_000) assert.ok(without(await page.textContent('main')).includes(without(letters(Buffer.from(JSON.stringify(one))))), `${kind} ${at}`);
  }
  assert.ok(Math.min(created.task, created.schedule) > tried / 4, JSON.stringify({ ...created, tried }));
  for (const path of ['/', '/tasks?q=queue:forms', '/schedules', '/queues/forms', '/audit']) assert.equal(await open(page, path), 200, path);
});

check('300 hostile texts are text on every page: answers to notices', async (stage) => {
  const site = await stage.site();
  const hook = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (request) => {
      const at = /"(?:task|graph)":"[ng](\d+)"/.exec(request.toString('latin1'))?.[1];
      if (!at) return;
      const text = corpus[Number(at)];
      const status = cut(text, 200).toString('latin1').replace(/[\r\n]/g, ' ');
      const head = `HTTP/1.1 503 ${status}\r\nx-text: ${status}\r\ncontent-type: text/html\r\ncontent-length: ${text.length}\r\nconnection: close\r\n\r\n`;
      socket.end(Buffer.concat([Buffer.from(head, 'latin1'), text]));
    });
  });
  await new Promise((resolve) => { hook.listen(0, '127.0.0.1', resolve); });
  try {
    const end = async () => {
      const { id, token } = await site.scripts.take('told');
      await site.scripts.call('fail', [id, token, 'no'], { final: 1 });
    };
    const graphs = [];
    for (const at of corpus.keys()) {
      await site.scripts.submit('told', `n${at}`, '[]', { notify: 'hook,ops' });
      await end();
      if (at % (every * 6)) continue;
      graphs.push(at);
      await site.scripts.call('submit_graph', [`g${at}`, 1, 1, `only${at}`, 'told', '', '[]', '', ''], { notify: 'hook,ops' });
      await site.scripts.call('run_deferred', [10]);
      await end();
      await site.scripts.call('run_deferred', [10]);
    }
    // One target is served by a real receiver, the other by a foreign worker that passes on what it hears.
    const config = join(site.folder, 'notify.toml');
    writeFileSync(config, `[notify.hook]\nurl = "http://127.0.0.1:${hook.address().port}/"\n`, { mode: 0o600 });
    const courier = site.spawn(['--config', config, 'admin', 'maintenance', '--once']);
    await eventually(`the notices are sent: ${courier.said}`, () => courier.exitCode !== null);
    assert.match(courier.said, /hook: 503 Service Unavailable/);
    for (let taken = null; taken?.length !== 0;) {
      taken = await site.scripts.call('take_notices', [10, 1, 'ops']);
      for (let from = 0; from < taken.length; from += NOTICE) {
        const [of, id, , lent] = taken.slice(from, from + NOTICE);
        const text = corpus[Number(id.toString().slice(1))];
        await site.scripts.call('answer_notice', [of, id, 'ops', lent, 'failed', cut(text, 1_000)])
          .catch(() => site.scripts.call('answer_notice', [of, id, 'ops', lent, 'failed', 'refused']));
      }
    }
    const page = await stage.visitor(site);
    let shown = 0;
    const places = [...graphs.map((at) => [at, `/graphs/g${at}`, '#graph-notices']), ...Array.from({ length: Math.ceil(corpus.length / every) }, (_, n) => [n * every, `/tasks/n${n * every}`, '#task-notices'])];
    for (const [at, path, part] of places) {
      assert.equal(await open(page, path), 200, path);
      const rows = await page.locator(`${part} tbody tr`).allTextContents();
      assert.equal(rows.length, 2, path);
      const text = corpus[at].toString('latin1');
      if (!/^[\x21-\x7e]([\x20-\x7e]{0,100}[\x21-\x7e])?$/.test(text)) continue;
      for (const row of rows) assert.ok(row.includes(text), `${path}: ${row} lacks ${text}`);
      shown += 1;
    }
    assert.ok(shown > places.length / 3, `${shown} of ${places.length}`);
  } finally {
    hook.close();
  }
});
