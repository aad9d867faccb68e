// Calls the scripts of the bundle, as workers and foreign clients do.
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';

const bundle = process.env.BLUEQUE_BUNDLE;
// Reads one reply at a position: [value, next position], or null if it is not whole yet.
function reply(buffer, at) {
  const end = buffer.indexOf('\r\n', at);
  if (end < 0) return null;
  const line = buffer.toString('latin1', at + 1, end);
  const next = end + 2;
  switch (String.fromCharCode(buffer[at])) {
    case '+': return [line, next];
    case '-': return [new Error(line), next];
    case ':': return [Number(line), next];
    case '$': {
      const size = Number(line);
      if (size < 0) return [null, next];
      return buffer.length < next + size + 2 ? null : [buffer.subarray(next, next + size), next + size + 2];
    }
    default: {
      const all = [];
      let place = next;
      for (let left = Number(line); left > 0; left -= 1) {
        const part = reply(buffer, place);
        if (!part) return null;
        all.push(part[0]);
        place = part[1];
      }
      return [all, place];
    }
  }
}

/** A connection to a server. */
export class Scripts {
  #socket;
  #waits = [];
  #rest = Buffer.alloc(0);
  #loaded = new Map();

  constructor(path) {
    this.#socket = net.connect(path);
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server has closed the connection')));
    this.#socket.on('data', (part) => {
      this.#rest = Buffer.concat([this.#rest, part]);
      for (let next = reply(this.#rest, 0); next && this.#waits.length; next = reply(this.#rest, 0)) {
        this.#rest = this.#rest.subarray(next[1]);
        const { resolve, reject } = this.#waits.shift();
        if (next[0] instanceof Error) reject(next[0]); else resolve(next[0]);
      }
    });
  }

  #fail(error) {
    for (const { reject } of this.#waits.splice(0)) reject(error);
  }

  close() { this.#socket.destroy(); }

  /** Sends a command of the server. */
  send(...words) {
    const parts = [Buffer.from(`*${words.length}\r\n`)];
    for (const word of words) {
      const bytes = Buffer.isBuffer(word) ? word : Buffer.from(String(word));
      parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'));
    }
    return new Promise((resolve, reject) => {
      this.#waits.push({ resolve, reject });
      this.#socket.write(Buffer.concat(parts));
    });
  }

  /** Calls a command of the contract. */
  async call(command, args = [], options = {}) {
    const words = Object.entries(options).flat();
    if (!this.#loaded.has(command)) this.#loaded.set(command, this.send('SCRIPT', 'LOAD', readFileSync(join(bundle, 'scripts', `${command}.lua`))));
    try {
      return await this.send('EVALSHA', await this.#loaded.get(command), 1, 'blueque_meta', '', ...args, ...words);
    } catch (error) {
      throw new Error(`${command}: ${error.message}`, { cause: error });
    }
  }

  submit(queue, id, parameters = '[]', options = {}) {
    return this.call('submit', [queue, 1, id, '', parameters], options);
  }

  /** Registers a listener of a queue and takes one task. Returns its id and token. */
  async take(queue, listener = 'host-1_1', options = {}) {
    await this.call('register', [queue, listener]);
    const taken = await this.call('reserve', [listener, 1, queue], { pid: 1, lease: 600, ...options });
    if (!taken?.length) throw new Error(`no task of ${queue} can be taken`);
    return { id: taken[0].toString(), token: taken[2] };
  }
}
