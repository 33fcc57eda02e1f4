// The server: requests per second beside a bare node:http that answers the same bytes, pages over a million jobs, watchers.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { accepting, freePort } from './kit/started-server.ts';
import type { Figure } from './measure.ts';
import { quick, report } from './measure.ts';
import { makeQueue, makeRun } from './serve/corpus.ts';

const WORKS = quick ? 5_000 : 100_000;
const JOBS = quick ? 50_000 : 1_000_000;
const REQUESTS = quick ? 3_000 : 20_000;
const CONNECTIONS = 16;
const WATCHERS = 200;
const TOKEN = 'a-token-for-the-bench';
const folder = mkdtempSync(join(tmpdir(), 'bench-serve-'));
const figures: Figure[] = [];
const children: ChildProcess[] = [];

/** Asks a path again and again over several connections; answers requests per second, the 99th percentile, and the bytes. */
async function load(
  port: number,
  paths: readonly string[],
  requests: number,
): Promise<{ perSecond: number; p99: number }> {
  const times: number[] = [];
  let asked = 0;
  const startedAt = performance.now();
  const lane = async (): Promise<void> => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    while (asked < requests) {
      const path = paths[asked % paths.length] ?? '/';
      asked += 1;
      const at = performance.now();
      await exchange(socket, path);
      times.push(performance.now() - at);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  times.sort((a, b) => a - b);
  return {
    perSecond: (requests * 1000) / (performance.now() - startedAt),
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
  };
}

/** One question and its whole answer, whose length its head tells. */
async function exchange(socket: Socket, path: string): Promise<Buffer> {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`);
  let answer: Buffer = Buffer.alloc(0);
  for (let wanted = Infinity; answer.length < wanted;) {
    const [piece] = (await once(socket, 'data')) as [Buffer];
    answer = answer.length === 0 ? piece : Buffer.concat([answer, piece]);
    const end = answer.indexOf('\r\n\r\n');
    if (end === -1 || wanted !== Infinity) continue;
    const head = answer.toString('latin1', 0, end);
    if (!head.startsWith('HTTP/1.1 200')) throw new Error(`${path}: ${head.split('\r\n', 1)[0] ?? ''}`);
    wanted = end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  }
  return answer;
}

/** Seconds of processor time that a process has used, and its memory in megabytes. */
function usage(pid: number): { readonly cpu: number; readonly megabytes: number } {
  if (process.platform !== 'linux') return { cpu: 0, megabytes: 0 };
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return { cpu: (Number(fields[11]) + Number(fields[12])) / 100, megabytes: (pages * 4096) / 1e6 };
}

async function start(file: string, parameters: readonly string[], port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...parameters], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DOCSTOKG_SERVE__TOKEN: TOKEN, BENCH_PORT: String(port) },
  });
  children.push(child);
  // A busy machine takes its time to start a program.
  for (let tries = 1; ; tries += 1) {
    try {
      await accepting(port, child);
      return child;
    } catch (error) {
      if (tries === 20 || child.exitCode !== null) throw error;
    }
  }
}

/** The processor seconds of a process that writes rows and settles jobs as a harvest does. */
async function harvest(name: string, works: number): Promise<number> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'serve', 'harvest.ts'), join(folder, 'run'), name, String(works)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  children.push(child);
  let told = '';
  child.stdout.on('data', (bytes: Buffer) => (told += bytes.toString()));
  await once(child, 'close');
  return Number(told);
}

try {
  await makeRun(join(folder, 'run'), WORKS);
  await makeQueue(join(folder, 'run', 'state', 'workqueue.sqlite'), JOBS);
  const port = await freePort();
  const serve = await start(
    '../src/cli/main.ts',
    ['serve', join(folder, 'run'), '--port', String(port), '--log-level', 'error'],
    port,
  );
  const probe = connect(port, '127.0.0.1');
  await once(probe, 'connect');
  await exchange(probe, '/api/v1/');

  // Pages that were not asked before, each once.
  const first = '/api/v1/runs/run/works?limit=50';
  const pages = [
    ...['title', 'year', 'reason', 'licence', 'at', 'citations'].flatMap((sort) => [
      `${first}&sort=${sort}`,
      `${first}&sort=${sort}&order=desc&outcome=saved`,
    ]),
    `${first}&q=matter+reefs`,
    `${first}&reason=timeout&year=1999`,
    '/api/v1/runs/run/facets',
    '/api/v1/runs/run/now',
    '/api/v1/runs/run/account',
    '/api/v1/runs/run/documents',
    '/api/v1/queue',
    '/api/v1/queue/history',
    '/api/v1/hosts',
    ...['queued', 'in_progress', 'done', 'skipped', 'error'].map((state) => `/api/v1/queue/jobs?state=${state}`),
    '/api/v1/queue/jobs?error_code=HTTP_418',
    `/api/v1/queue/jobs/${JOBS}`,
  ];
  const took: number[] = [];
  let slowest = '';
  for (const path of pages) {
    const at = performance.now();
    await exchange(probe, path);
    const ms = performance.now() - at;
    if (ms > Math.max(0, ...took)) slowest = path;
    took.push(ms);
  }
  figures.push({
    name: `slowest first answer of ${pages.length} pages (${slowest})`,
    value: Math.max(...took),
    unit: 'ms',
    atMost: 100,
  });

  for (const [name, path] of [
    ['works', first],
    ['now', '/api/v1/runs/run/now'],
    ['queue', '/api/v1/queue'],
  ] as const) {
    const body = await exchange(probe, path);
    const barePort = await freePort();
    const bare = await start(
      'serve/bare.ts',
      [body.subarray(body.indexOf('\r\n\r\n') + 4).toString('base64')],
      barePort,
    );
    await load(port, [path], 500);
    await load(barePort, [path], 500);
    const before = [usage(serve.pid ?? 0).cpu, usage(bare.pid ?? 0).cpu] as const;
    const ours = await load(port, [path], REQUESTS);
    const theirs = await load(barePort, [path], REQUESTS);
    const cpu = [usage(serve.pid ?? 0).cpu - before[0], usage(bare.pid ?? 0).cpu - before[1]] as const;
    bare.kill();
    figures.push(
      { name: `${name}: requests per second`, value: ours.perSecond, unit: '/s' },
      { name: `${name}: 99th percentile`, value: ours.p99, unit: 'ms' },
      { name: `${name}: bare node:http`, value: theirs.perSecond, unit: '/s' },
      {
        name: `${name}: processor time per request, bare to ours`,
        value: cpu[1] / cpu[0],
        unit: 'times',
        atLeast: 0.5,
      },
      {
        name: `${name}: share of the bare server`,
        value: ours.perSecond / theirs.perSecond,
        unit: 'times',
        atLeast: 0.5,
      },
    );
  }

  const alone = await harvest('alone', quick ? 2_000 : 10_000);
  const before = usage(serve.pid ?? 0).megabytes;
  const watchers = await Promise.all(
    Array.from({ length: WATCHERS }, async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(`GET /api/v1/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`);
      await once(socket, 'data');
      socket.on('data', () => undefined);
      return socket;
    }),
  );
  const watched = await harvest('watched', quick ? 2_000 : 10_000);
  figures.push(
    {
      name: `memory of ${WATCHERS} watchers`,
      value: usage(serve.pid ?? 0).megabytes - before,
      unit: 'MB',
      atMost: 100,
    },
    { name: 'a harvest alone', value: alone, unit: 'CPU s' },
    { name: `the same with ${WATCHERS} watchers`, value: watched, unit: 'CPU s' },
    { name: 'what they cost it', value: (watched / alone - 1) * 100, unit: '%', atMost: 5 },
  );
  for (const socket of watchers) socket.destroy();
  probe.destroy();
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
}

report(
  'serve',
  { works: WORKS, jobs: JOBS, requests: REQUESTS, connections: CONNECTIONS, watchers: WATCHERS },
  figures,
);
