import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
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
