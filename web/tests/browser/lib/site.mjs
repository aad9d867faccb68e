// A server, a page, and the workers of a test.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Scripts } from './scripts.mjs';

const blueque = process.env.BLUEQUE;
export const PASSWORD = 'correct horse';

/** How long a test waits for a condition. The machine may be busy. */
export const LIMIT = 60_000;

const tick = () => new Promise((resolve) => { setTimeout(resolve, 30); });

/** Waits until a function returns a value that is true, and returns the value. */
export async function eventually(what, is) {
  for (const end = Date.now() + LIMIT; ;) {
    const value = await is();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not in time: ${what}`);
    await tick();
  }
}

/** Returns true if a process runs. */
export function runs(pid) {
  try {
    return !['Z', 'X'].includes(readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '')[0]);
  } catch {
    return false;
  }
}

export class Site {
  #children = [];

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'blueque-browser-'));
    this.socket = join(this.folder, 'redis');
    this.environment = {
      PATH: process.env.PATH, HOME: this.folder, XDG_CONFIG_HOME: this.folder, LANG: 'C.UTF-8', USER: 'tester',
      BLUEQUE_URL: `unix://${this.socket}`,
    };
    this.programs = join(this.folder, 'worker.d');
    mkdirSync(this.programs, { mode: 0o755 });
  }

  /** Starts a server and a page. With `users`: alice is an admin, olga an operator, vera a viewer. */
  static async start({ users = false, args = [] } = {}) {
    const site = new Site();
    try {
      await site.server();
      if (users) for (const [name, role] of [['alice', 'admin'], ['olga', 'operator'], ['vera', 'viewer']]) {
        site.run(['web', 'user', 'add', name, '--role', role, '--password-stdin'], `${PASSWORD}\n`);
      }
      site.page = site.spawn(['web', '--listen', '127.0.0.1:0', ...args]);
      site.url = (await site.line(site.page, /^http/)).replace(/\/$/, '');
      return site;
    } catch (error) {
      await site.end();
      throw error;
    }
  }

  async server() {
    const args = ['--port', '0', '--unixsocket', this.socket, '--dir', this.folder, '--save', '', '--appendonly', 'yes'];
    this.redis = spawn(process.env.BLUEQUE_REDIS_SERVER, args, { stdio: 'ignore' });
    this.#children.push(this.redis);
    await eventually('the server starts', async () => {
      if (!existsSync(this.socket)) return false;
      this.scripts?.close();
      this.scripts = new Scripts(this.socket);
      return this.scripts.send('PING').then(() => true, () => false);
    });
  }

  async kill(child, signal = 'SIGKILL') {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => { child.once('exit', resolve); });
    child.kill(signal);
    await ended;
  }

  spawn(args, { cwd = this.folder } = {}) {
    const child = spawn(blueque, args, { env: this.environment, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    child.said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => { child.said += text; });
    this.#children.push(child);
    return child;
  }

  /** Waits for a line of a process. */
  async line(child, form) {
    const found = () => child.said.split('\n').slice(0, -1).find((line) => form.test(line));
    return (await eventually(`a line of ${child.spawnargs.slice(1, 3)}: ${child.said}`, () => found() ?? child.exitCode !== null)
      && found()) || Promise.reject(new Error(child.said));
  }

  /** Runs a command to its end. */
  run(args, input = '', statuses = [0]) {
    const done = spawnSync(blueque, args, { env: this.environment, input, encoding: 'utf8', cwd: this.folder });
    if (!statuses.includes(done.status)) throw new Error(`${args}: ${done.status} ${done.stdout}${done.stderr}`);
    return done.stdout + done.stderr;
  }

  program(name, text) { writeFileSync(join(this.programs, name), text, { mode: 0o755 }); }

  /** Starts a worker, and waits until the server knows it. */
  async worker(queue, ...more) {
    const state = join(this.folder, 'state');
    const child = this.spawn(['worker', '--queue', queue, '--dir', this.programs, '--state-dir', state, ...more]);
    await eventually('the worker is known', async () => (await this.scripts.call('workers', ['0', '10'])).length > 1);
    return child;
  }

  /** Reads with the API, as JSON. */
  async api(command, query = {}) {
    const answer = await fetch(`${this.url}/api/v1/blueque/${command}?${new URLSearchParams(query)}`);
    return answer.json();
  }

  async state(id) { return (await this.api('get', { id })).status; }

  async end() {
    this.scripts?.close();
    for (const child of this.#children.reverse()) {
      if (child !== this.redis) await this.kill(child, 'SIGTERM');
    }
    if (this.redis) await this.kill(this.redis);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
