import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request as forward } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { AwsClient } from 'aws4fetch';

import { seededRandom } from '../fixtures/random-document.ts';
import { freePort } from '../postgres.ts';
import { findProgram } from './programs.ts';

/** An S3 server with an empty bucket `papers`. */
export interface TestS3 extends AsyncDisposable {
  readonly endpoint: string;
  /** What a program needs to use it. */
  readonly env: Readonly<Record<string, string>>;
}

export const S3_SERVERS = ['s3rver', 'swift', 'faulty'] as const;
export type S3ServerName = (typeof S3_SERVERS)[number];

/** Starts a server; undefined where it is not installed. */
export async function startS3(name: S3ServerName, seed = 1): Promise<TestS3 | undefined> {
  if (name === 'swift') return await startSwift();
  const server = await startS3rver();
  return name === 's3rver' ? server : await FaultyS3.open(server, seed);
}

function environment(endpoint: string, id: string, key: string): TestS3['env'] {
  return {
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: key,
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_REGION: 'us-east-1',
  };
}

interface S3Server {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}

/** To list more than 1,000 objects it needs `node --openssl-legacy-provider`: its continuation tokens are encrypted with DES. */
async function startS3rver(): Promise<TestS3> {
  const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: object) => S3Server;
  const folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-s3-'));
  const options = { port: 0, address: '127.0.0.1', silent: true, directory: folder.path };
  const server = new S3rver({ ...options, configureBuckets: [{ name: 'papers' }] });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    endpoint,
    env: environment(endpoint, 'S3RVER', 'S3RVER'),
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const SWIFT_PARTS = ['object', 'container', 'account'] as const;

/** OpenStack Swift with its S3 interface (Debian: swift-proxy swift-account swift-container swift-object memcached), on one disk. */
async function startSwift(): Promise<TestS3 | undefined> {
  if (findProgram('swift-proxy-server') === undefined) return undefined;
  const folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-swift-'));
  const etc = join(folder.path, 'etc');
  for (const name of ['etc', 'srv/d1', 'cache']) mkdirSync(join(folder.path, name), { recursive: true });
  writeFileSync(
    join(etc, 'swift.conf'),
    '[swift-hash]\nswift_hash_path_suffix = test\n[storage-policy:0]\nname = one\ndefault = yes\n',
  );
  const common = (port: number): string =>
    `[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = ${port}\nworkers = 0\nuser = ${userName()}\nswift_dir = ${etc}\nlog_level = ERROR\n`;
  const children: ChildProcess[] = [];
  const start = (name: string): void => {
    const path = join(etc, `${name}.conf`);
    children.push(spawn(`/usr/bin/swift-${name}-server`, [path], { stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } }));
  };
  for (const part of SWIFT_PARTS) {
    const port = await freePort();
    const ring = (...parameters: string[]): void =>
      void execFileSync('/usr/bin/swift-ring-builder', [join(etc, `${part}.builder`), ...parameters], {
        stdio: 'ignore',
      });
    ring('create', '4', '1', '1');
    ring('add', `r1z1-127.0.0.1:${port}/d1`, '1');
    ring('rebalance');
    writeFileSync(
      join(etc, `${part}.conf`),
      `${common(port)}devices = ${folder.path}/srv\nmount_check = false\nrecon_cache_path = ${folder.path}/cache\n` +
        `[pipeline:main]\npipeline = ${part}-server\n[app:${part}-server]\nuse = egg:swift#${part}\n`,
    );
    start(part);
    // A proxy that finds a server away leaves it alone for a minute.
    await listening(port);
  }
  const cache = await freePort();
  children.push(
    spawn('/usr/bin/memcached', ['-l', '127.0.0.1', '-p', String(cache), '-u', 'nobody'], { stdio: 'ignore' }),
  );
  const filters = ['catch_errors', 'gatekeeper', 'cache', 'listing_formats', 's3api', 'tempauth', 'copy', 'slo', 'dlo'];
  const more: Readonly<Record<string, string>> = {
    cache: `memcache_servers = 127.0.0.1:${cache}\n`,
    s3api: 'location = us-east-1\n',
    tempauth: 'user_test_tester = testing .admin\n',
  };
  const port = await freePort();
  writeFileSync(
    join(etc, 'proxy.conf'),
    `${common(port)}[pipeline:main]\npipeline = ${filters.join(' ')} proxy-server\n` +
      '[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\n' +
      filters
        .map(
          (filter) =>
            `[filter:${filter}]\nuse = egg:swift#${filter === 'cache' ? 'memcache' : filter}\n${more[filter] ?? ''}`,
        )
        .join(''),
  );
  start('proxy');
  const endpoint = `http://127.0.0.1:${port}`;
  const env = environment(endpoint, 'test:tester', 'testing');
  const client = new AwsClient({
    accessKeyId: 'test:tester',
    secretAccessKey: 'testing',
    region: 'us-east-1',
    service: 's3',
    retries: 0,
  });
  for (const deadline = performance.now() + 120_000; ;) {
    const answer = await client.fetch(`${endpoint}/papers`, { method: 'PUT' }).catch(() => undefined);
    if (answer?.ok) break;
    if (performance.now() > deadline) throw new Error(`swift does not start: ${answer && (await answer.text())}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    endpoint,
    env,
    [Symbol.asyncDispose]: async () => {
      for (const child of children) {
        if (child.exitCode !== null) continue;
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function listening(port: number): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch (error) {
      if (tries > 600) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    } finally {
      socket.destroy();
    }
  }
}

function userName(): string {
  return execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
}

/** How a server treats a request. */
type Fault = 'none' | 'slow-down' | 'cut-request' | 'lost-answer' | 'cut-body' | 'slow' | 'missing';

/**
 * A server of our own that lies in front of a good one: it asks to slow down, drops requests, loses answers to requests that
 * were carried out, cuts bodies, is slow, lists only a part, and says now and then that an object is not there.
 */
export class FaultyS3 implements TestS3 {
  readonly endpoint: string;
  readonly env: TestS3['env'];
  /** How many of a thousand requests get a fault. */
  perMille = 150;
  /** Refuses everything. */
  isAway = false;
  /** Called with every request. */
  onRequest: () => void = () => undefined;
  readonly #behind: TestS3;
  readonly #server: ReturnType<typeof createServer>;
  readonly #random: () => number;

  private constructor(behind: TestS3, server: ReturnType<typeof createServer>, seed: number) {
    this.#behind = behind;
    this.#server = server;
    this.#random = seededRandom(seed);
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.env = { ...behind.env, AWS_ENDPOINT_URL_S3: this.endpoint };
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#answer(request, response));
  }

  static async open(behind: TestS3, seed: number): Promise<FaultyS3> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultyS3(behind, server, seed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    await this.#behind[Symbol.asyncDispose]();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const fault = this.#choose(request.method ?? '');
    this.onRequest();
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    if (fault === 'cut-request') return void request.socket.destroy();
    if (fault === 'slow-down' || fault === 'missing') {
      request.resume();
      request.on('end', () => {
        if (fault === 'missing') response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
        else response.writeHead(503, { 'retry-after': '0' }).end('<Error><Code>SlowDown</Code></Error>');
      });
      return;
    }
    const { port } = new URL(this.#behind.endpoint);
    // The host name is signed.
    const upstream = forward({
      host: '127.0.0.1',
      port,
      method: request.method,
      path: request.url,
      headers: request.headers,
    });
    upstream.on('error', () => response.destroy());
    upstream.on('response', (answer) => {
      if (fault === 'lost-answer') return void response.destroy();
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      if (fault === 'cut-body')
        answer.once('data', (chunk: Buffer) =>
          response.write(chunk.subarray(0, chunk.length >> 1), () => response.destroy()),
        );
      else if (fault === 'slow') setTimeout(() => answer.pipe(response), 300);
      else answer.pipe(response);
    });
    request.pipe(upstream);
  }

  #choose(method: string): Fault {
    if (this.isAway) return 'cut-request';
    if (this.#random() * 1000 >= this.perMille) return 'none';
    const faults: Fault[] = [
      'slow-down',
      'cut-request',
      'lost-answer',
      'slow',
      ...(method === 'GET' ? ['cut-body' as const] : []),
      ...(method === 'HEAD' ? ['missing' as const] : []),
    ];
    return faults[Math.floor(this.#random() * faults.length)] ?? 'none';
  }
}
