import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, rename } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { arch, cpus, platform, release, tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Dispatcher } from 'undici';
import { Agent } from 'undici';

import { createClient } from '../src/http/index.ts';

// What politeness costs: our client (guard, redirects, robots, retry, circuit, pace, limits) beside a bare loop on
// undici's dispatch, both hashing the body and writing it to a `.part` that is renamed. CPU seconds of each
// process are compared, since the machine may be busy with other things.

const TARGET_RATIO = 1.25;
const AT_ONCE = 64;
const quick = process.argv.includes('--quick');
const files = quick ? 300 : 1500;
const rounds = quick ? 3 : 5;

/** Log-normal sizes with a median of half a megabyte, the same in every run. */
function sizes(): number[] {
  let state = 12_345;
  const uniform = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 1) / 2 ** 32;
  };
  return Array.from({ length: files }, () => {
    const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    return Math.min(20_000_000, Math.max(2_000, Math.round(500_000 * Math.exp(0.9 * normal))));
  });
}

function serve(): void {
  const all = sizes();
  const bytes = Buffer.alloc(20_000_000, 'a document of no meaning ');
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const size = all[Number(request.url?.slice(1))];
    if (size === undefined) response.writeHead(404).end();
    else
      response
        .writeHead(200, { 'content-type': 'application/pdf', 'content-length': size })
        .end(bytes.subarray(0, size));
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('disconnect', () => process.exit(0));
}

/** Hashes what comes and writes it in pieces of a quarter megabyte, so that both sides do the same with the bytes. */
class FileSink {
  readonly #path: string;
  readonly #hash = createHash('sha256');
  #handle: FileHandle | undefined;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  write(chunk: Buffer): void | Promise<void> {
    this.#hash.update(chunk);
    this.#pieces.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= 262_144) return this.#flush();
    return undefined;
  }

  async end(): Promise<string> {
    if (this.#bytes > 0) await this.#flush();
    await this.#handle?.close();
    await rename(`${this.#path}.part`, this.#path);
    return this.#hash.digest('hex');
  }

  async #flush(): Promise<void> {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#bytes = 0;
    this.#handle ??= await open(`${this.#path}.part`, 'w');
    await this.#handle.writev(pieces);
  }
}

type Fetch = (url: URL, sink: FileSink) => Promise<void>;

async function bare(agent: Agent, url: URL, sink: FileSink): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let writing: Promise<void> | undefined;
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, status) => void (status === 200 || reject(new Error(`status ${status}`))),
    onResponseData(controller, chunk) {
      const written = sink.write(chunk);
      if (!(written instanceof Promise)) return;
      controller.pause();
      writing = written.then(() => controller.resume());
    },
    onResponseEnd: () => void (writing ?? Promise.resolve()).then(resolve, reject),
    onResponseError: (_controller, error) => reject(error),
  };
  agent.dispatch({ origin: url.origin, path: url.pathname, method: 'GET' }, handler);
  return promise;
}

async function round(origin: string, folder: string, fetch: Fetch): Promise<{ cpu: number; wall: number }> {
  const waiting = Array.from({ length: files }, (_, at) => at);
  const cpuAt = process.cpuUsage();
  const wallAt = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
        const sink = new FileSink(join(folder, `${at}.pdf`));
        await fetch(new URL(`${origin}/${at}`), sink);
        await sink.end();
      }
    }),
  );
  const { user, system } = process.cpuUsage(cpuAt);
  return { cpu: (user + system) / 1e6, wall: (performance.now() - wallAt) / 1000 };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** One side in a process of its own: a round to warm up, then one that counts. */
async function runSide(name: string, port: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-http-'));
  const agent = new Agent({ connections: AT_ONCE });
  await using client = createClient({
    guard: { dnsMap: [{ pattern: 'files.test', address: '127.0.0.1', port }] },
    perHost: { perSecond: Infinity, concurrency: AT_ONCE },
  });
  const polite: Fetch = async (url, sink) => {
    const result = await client.send({ url, sink: () => sink });
    if (result.kind !== 'response' || result.response.status !== 200) throw new Error(JSON.stringify(result));
  };
  const [origin, fetch]: [string, Fetch] =
    name === 'ours'
      ? ['http://files.test', polite]
      : [`http://127.0.0.1:${port}`, (url, sink) => bare(agent, url, sink)];
  try {
    await round(origin, folder, fetch);
    process.send?.({ ...(await round(origin, folder, fetch)), rss: process.resourceUsage().maxRSS / 1024 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await agent.destroy();
    process.disconnect();
  }
}

interface Run {
  readonly cpu: number;
  readonly wall: number;
  readonly rss: number;
}

function inChild<T>(options: readonly string[]): { readonly child: ChildProcess; readonly message: Promise<T> } {
  const child = fork(import.meta.filename, [...options, ...(quick ? ['--quick'] : [])]);
  const message = new Promise<T>((resolve, reject) => {
    child.once('message', (value) => resolve(value as T));
    child.once('exit', (code) => reject(new Error(`a child ended with ${code}`)));
  });
  return { child, message };
}

async function main(): Promise<void> {
  const server = inChild<number>(['--serve']);
  const port = await server.message;
  const measured = { bare: [] as Run[], ours: [] as Run[] };
  // In turns, so that other load on the machine meets both.
  for (let at = 0; at < rounds; at += 1) {
    for (const name of ['bare', 'ours'] as const) {
      measured[name].push(await inChild<Run>([`--side=${name}`, `--port=${port}`]).message);
    }
  }
  server.child.disconnect();
  const bytes = sizes().reduce((sum, size) => sum + size, 0);
  const side = (runs: readonly Run[]): Record<string, number> => {
    const wall = median(runs.map((run) => run.wall));
    return {
      cpuSeconds: median(runs.map((run) => run.cpu)),
      wallSeconds: wall,
      filesPerSecond: files / wall,
      megabytesPerSecond: bytes / wall / 1e6,
    };
  };
  const report = {
    bench: 'http',
    machine: `${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}, ${platform()} ${release()} ${arch()}`,
    node: process.version,
    settings: { files, bytes, atOnce: AT_ONCE, rounds },
    bare: side(measured.bare),
    ours: side(measured.ours),
    // Pairwise, so that a busy moment of the machine counts on both sides.
    cpuRatio: median(measured.ours.map((run, at) => run.cpu / (measured.bare[at]?.cpu ?? Number.NaN))),
    target: TARGET_RATIO,
    peakRssMegabytes: Math.max(...measured.ours.map(({ rss }) => rss)),
  };
  if (process.argv.includes('--json')) console.log(JSON.stringify(report, undefined, 2));
  else {
    console.log(`${report.machine}, node ${report.node}`);
    console.log(
      `${files} files, ${(bytes / 1e6).toFixed(0)} MB, ${AT_ONCE} at once, median of ${rounds} rounds in turns`,
    );
    for (const name of ['bare', 'ours'] as const) {
      const { cpuSeconds = 0, wallSeconds = 0, filesPerSecond = 0, megabytesPerSecond = 0 } = report[name];
      console.log(
        `${name.padEnd(5)} CPU ${cpuSeconds.toFixed(2)} s  wall ${wallSeconds.toFixed(2)} s  ${filesPerSecond.toFixed(0)} files/s  ${megabytesPerSecond.toFixed(0)} MB/s`,
      );
    }
    console.log(
      `CPU ratio ${report.cpuRatio.toFixed(2)} (target at most ${TARGET_RATIO}), peak RSS ${report.peakRssMegabytes.toFixed(0)} MB`,
    );
  }
  if (process.argv.includes('--check') && !(report.cpuRatio <= TARGET_RATIO)) process.exitCode = 1;
}

const side = process.argv.find((argument) => argument.startsWith('--side='))?.slice('--side='.length);
const port = Number(process.argv.find((argument) => argument.startsWith('--port='))?.slice('--port='.length));
if (process.argv.includes('--serve')) serve();
else if (side !== undefined) await runSide(side, port);
else await main();
