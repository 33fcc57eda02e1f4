import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { accepting, freePort } from '../kit/started-server.ts';

/** A server that was started for the bench and ends with it. */
export interface StartedServer extends AsyncDisposable {
  readonly url: string;
  readonly version: string;
}

/** Starts the machine's Redis; undefined when there is none. */
export async function startRedis(folder: string): Promise<StartedServer | undefined> {
  const version = await redisVersion();
  if (version === undefined) return undefined;
  const port = await freePort();
  const directory = join(folder, 'redis');
  mkdirSync(directory);
  const settings = { port, bind: '127.0.0.1', dir: directory, appendonly: 'yes', appendfsync: 'everysec', save: '""' };
  const server = spawn(
    'redis-server',
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: 'ignore' },
  );
  await accepting(port, server);
  return {
    url: `redis://127.0.0.1:${port}`,
    version,
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
    },
  };
}

async function redisVersion(): Promise<string | undefined> {
  const probe = spawn('redis-server', ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  probe.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((resolve) => {
    probe.once('error', () => resolve(undefined));
    probe.once('close', () => resolve(/v=(\S+)/.exec(text)?.[1]));
  });
}

/** Ticks per second of the times that Linux tells in /proc; the same on every architecture. */
const TICKS = 100;

/** Processor time of a server and of everybody it ever started; NaN where the system does not tell. */
export function serverCpuMs(pid: number | undefined): number {
  if (process.platform !== 'linux' || pid === undefined) return Number.NaN;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  // Of those who have ended the parent knows, in the third and fourth of these fields.
  const [own = 0, ...living] = [String(pid), ...children].map((each, at) => ticksOf(each, at === 0 ? 4 : 2));
  return ((own + living.reduce((sum, ticks) => sum + ticks, 0)) * 1000) / TICKS;
}

function ticksOf(pid: string, fields: 2 | 4): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const values = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return values.slice(11, 11 + fields).reduce((sum, value) => sum + Number(value), 0);
  } catch {
    // It ended between the two looks, and is counted with its parent's next time.
    return 0;
  }
}
