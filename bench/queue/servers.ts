import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function accepting(port: number, server: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (server.exitCode !== null) throw new Error(`redis-server ended with ${server.exitCode}`);
    const socket = connect(port, '127.0.0.1');
    const open = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('redis-server does not accept connections');
}
