// A namespace with something on every page. The data are always the same.

/** The paths of all pages with data. */
export const PAGES = [
  '/', '/tasks', '/tasks?q=state:failed+queue:transcode&columns=queue,method,progress,attempt,priority,key,tags,worker,created,changed',
  '/tasks/movie-1', '/tasks/movie-7', '/tasks/cut', '/graphs', '/graphs/film', '/queues', '/queues/transcode', '/queues/reports',
  '/workers', '/schedules', '/schedules/nightly', '/new/task?queue=transcode', '/new/schedule', '/audit', '/server',
];

const TITLES = ['metropolis', 'nosferatu', 'sunrise', 'the-general', 'faust', 'm', 'vampyr', 'safety-last', 'intolerance'];

/** Lets a task have begun some minutes ago. */
const begun = (scripts, id, minutes) => scripts.send('HSET', `blueque_task_${id}`, 'started', `${Math.floor(Date.now() / 1000) - minutes * 60}.000000`);

async function running(scripts, movies) {
  const done = [[412, 'scene 31 of 52'], [87, 'scene 6 of 44'], [655, 'scene 48 of 60']];
  for (const [at, [minutes, message]] of done.entries()) {
    const { id, token } = movies[at];
    await begun(scripts, id, minutes);
    await scripts.call('progress', [id, token, JSON.stringify({ progress: minutes / 720, message })]);
    await scripts.call('checkpoint', [id, token, JSON.stringify({ frame: minutes * 1440, seed: 12345678901234567890n.toString() })]);
    const lines = Array.from({ length: 30 }, (_, n) => `frame ${(minutes - 30 + n) * 1440}  \x1b[32m${38 + (n % 5)} fps\x1b[0m  bitrate ${2200 + n * 7} kbit/s`);
    await scripts.call('append_log', [id, token, 'stdout', `${lines.join('\n')}\n`]);
    await scripts.call('append_log', [id, token, 'stderr', 'warning: 3 frames of the source are damaged\n']);
  }
}

async function ended(scripts) {
  for (const [group, error] of [['disk', 'No space left on device: /scratch/out.mkv'], ['disk', 'No space left on device: /scratch/b.mkv'], ['codec', 'unsupported pixel format yuv444p12']]) {
    const { id, token } = await scripts.take('transcode');
    await scripts.call('append_log', [id, token, 'stderr', `${error}\n`]);
    const cost = JSON.stringify({ exit: 1, wall_ms: 3_720_000, cpu_ms: 14_100_000, max_rss_kib: 812_000, read_bytes: 4_100_000_000, written_bytes: 1_900_000_000 });
    await scripts.call('fail', [id, token, error], { final: 1, group, cost });
  }
  for (let n = 0; n < 2; n += 1) {
    const { id, token } = await scripts.take('transcode');
    await scripts.call('complete', [id, token, JSON.stringify({ file: `out/${id}.mkv`, seconds: 5400, size: 12345678901234567890n.toString() })]);
  }
}

async function graph(scripts) {
  const task = (id, inputs, options) => [id, 'film', '', '{"film":"metropolis"}', inputs, options];
  const tasks = [
    task('split', '', 'label=split'),
    ...['a', 'b', 'c', 'd'].map((part) => task(`part-${part}`, 'success=split', `label=encode-${part}${part === 'a' ? ' title=The%20first%20reel' : ''}`)),
    task('cut', ['a', 'b', 'c', 'd'].map((part) => `success=part-${part}`).join(' '), 'label=join'),
    task('check', 'success=cut', 'label=check'), task('clean', 'after=cut', 'label=clean-up'),
  ];
  await scripts.call('submit_graph', ['film', tasks.length, tasks.length, ...tasks.flat()], { name: 'Metropolis, 4K', tags: 'nightly' });
  await scripts.call('run_deferred', [10]);
  const first = await scripts.take('film', 'render-2_7');
  await scripts.call('complete', [first.id, first.token, '"4 parts"']);
  await scripts.call('run_deferred', [10]);
  const parts = [];
  for (let n = 0; n < 3; n += 1) parts.push(await scripts.take('film', 'render-2_7'));
  await scripts.call('complete', [parts[0].id, parts[0].token, '"part"']);
  for (const { id } of parts.slice(1)) await begun(scripts, id, 50);
  await scripts.call('progress', [parts[1].id, parts[1].token, '{"progress":0.7,"message":"70 of 100"}']);
  await scripts.call('progress', [parts[2].id, parts[2].token, '{"progress":0.25}']);
}

/** Fills the namespace of a site. */
export async function demo({ scripts }) {
  const common = { tags: 'nightly,4k', key: 'studio-a', method: 'encode' };
  for (const [at, title] of TITLES.entries()) {
    const parameters = JSON.stringify({ film: title, width: 3840, height: 2160, codec: 'av1', crf: 24 });
    await scripts.submit('transcode', `movie-${at + 1}`, parameters, { ...common, priority: at < 3 ? 5 : 0, ...(at ? {} : { title: 'Metropolis, 1927' }) });
  }
  const movies = [];
  for (let n = 0; n < 3; n += 1) movies.push(await scripts.take('transcode', 'render-1_7'));
  await running(scripts, movies);
  await ended(scripts);
  for (const id of ['month', 'quarter']) await scripts.submit('reports', id, '["2026"]');
  await scripts.call('submit', ['reports', 1, 'year', Math.floor(Date.now() / 1000) + 86_400, '["2026"]']);
  await graph(scripts);
  for (const [listener, free, queue, more] of [['render-1_7', 1, 'transcode', { has: 'gpu=2', methods: 'encode' }], ['render-2_7', 0, 'film', { methods: 'film' }]]) {
    await scripts.call('report', [listener, 4, free, 1, queue], { name: listener.split('_')[0], version: '0.1.0', ...more });
  }
  await scripts.call('schedule', ['nightly', 'reports', 'every 86400', '["nightly"]', 0], { priority: 3 });
  await scripts.call('limit', ['*', 'database', 4, '-'], { by: 'anna' });
  await scripts.call('limit', ['transcode', 'studio-a', 6, '10/60'], { by: 'anna' });
  await scripts.call('pause', ['reports', 'anna', 'the database moves'], {});
  await scripts.call('note', ['movie-1', 'the source is a scan of 1927'], { by: 'anna' });
}
