// The server: requests per second beside a bare node:http that answers the same bytes, pages over a million jobs, watchers.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { systemClock } from '../src/base/index.ts';
import { ManifestFolder } from '../src/harvest/index.ts';
import { parseFlags } from './kit/flags.ts';
import { BenchReport, median } from './kit/report.ts';
import { accepting, freePort } from './kit/started-server.ts';
import type { Load } from './serve/asking.ts';
import { exchange, load, open, percentile, TOKEN, usage, watch } from './serve/asking.ts';
import { makeIndex, makeQueue, makeRun, QUESTIONS, rowOf } from './serve/corpus.ts';
import { Harvests } from './serve/harvests.ts';

const flags = parseFlags();
const { quick } = flags;
const report = new BenchReport('serve', flags);
const WORKS = quick ? 5_000 : 100_000;
const JOBS = quick ? 50_000 : 1_000_000;
const PASSAGES = quick ? 1_000 : 5_000;
const REQUESTS = quick ? 3_000 : 20_000;
const ROUNDS = 5;
const WARM_UP = 3_000;
const WATCHERS = 200;
const IDLE = quick ? 1_000 : 10_000;
const EVENT_SECONDS = quick ? 5 : 20;
const EVENTS_PER_SECOND = 50;
/** Pairs of harvests, one watched and one not, and how many works each gathers. */
const PAIRS = quick ? 1 : 3;
const HARVESTED = quick ? 100 : 500;
const SLOWEST = 5;
const folder = mkdtempSync(join(tmpdir(), 'bench-serve-'));
const run = join(folder, 'run');
const children: ChildProcess[] = [];

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

/** A server in front of a run that has read everything once. */
async function startServe(served: string): Promise<{ readonly port: number; readonly pid: number | undefined }> {
  const port = await freePort();
  const parameters = ['serve', served, '--port', String(port), '--log-level', 'error'];
  const { pid } = await start('../src/cli/main.ts', parameters, port);
  const probe = await open(port);
  await exchange(probe, '/api/v1/');
  probe.destroy();
  return { port, pid };
}

type Served = Awaited<ReturnType<typeof startServe>>;

/** Pages that were not asked before, each once. */
async function firstAnswers({ port }: Served): Promise<void> {
  const first = '/api/v1/runs/run/works?limit=50';
  const paths = [
    ...['title', 'year', 'reason', 'licence', 'at', 'citations'].flatMap((sort) => [
      `${first}&sort=${sort}`,
      `${first}&sort=${sort}&order=desc&outcome=saved`,
    ]),
    `${first}&q=matter+reefs`,
    `${first}&q=10&sort=at`,
    `${first}&reason=timeout&year=1999`,
    '/api/v1/runs/run/facets',
    '/api/v1/runs/run/now',
    '/api/v1/runs/run/account',
    '/api/v1/runs/run/documents',
    '/api/v1/runs/run/documents?q=reefs',
    '/api/v1/queue',
    '/api/v1/queue/history',
    '/api/v1/hosts',
    ...['queued', 'in_progress', 'done', 'skipped', 'error'].map((state) => `/api/v1/queue/jobs?state=${state}`),
    '/api/v1/queue/jobs?error_code=HTTP_418',
    `/api/v1/queue/jobs/${JOBS}`,
  ];
  const probe = await open(port);
  const took: { readonly path: string; readonly ms: number }[] = [];
  for (const path of paths) {
    const at = performance.now();
    await exchange(probe, path);
    took.push({ path, ms: performance.now() - at });
  }
  probe.destroy();
  const slowest = took.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  for (const { path, ms } of slowest)
    report.add({
      measure: `first answers of ${paths.length} pages over ${WORKS} works and ${JOBS} jobs: the ${SLOWEST} slowest`,
      subject: path,
      value: ms,
      unit: 'ms',
      target: { atMost: 100 },
    });
}

/** The same answers from us and from a server that does nothing but send them. */
async function besideBare({ port, pid }: Served, name: string, path: string): Promise<void> {
  const probe = await open(port);
  const body = await exchange(probe, path);
  probe.destroy();
  const barePort = await freePort();
  const parameters = [body.subarray(body.indexOf('\r\n\r\n') + 4).toString('base64')];
  const bare = await start('serve/bare.ts', parameters, barePort);
  await load(port, [path], WARM_UP);
  await load(barePort, [path], WARM_UP);
  const before = [usage(pid).cpu, usage(bare.pid).cpu] as const;
  const rounds: { readonly ours: Load; readonly theirs: Load }[] = [];
  // In turns: what else the machine does meanwhile falls on both.
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push({
      ours: await load(port, [path], REQUESTS / ROUNDS),
      theirs: await load(barePort, [path], REQUESTS / ROUNDS),
    });
  const cpu = [usage(pid).cpu - before[0], usage(bare.pid).cpu - before[1]] as const;
  const middle = (who: 'ours' | 'theirs', what: keyof Load): number => median(rounds.map((round) => round[who][what]));
  bare.kill();
  const measure = `${name}: ${path}`;
  report.add({ measure, subject: 'requests per second', value: middle('ours', 'perSecond'), unit: '/s' });
  report.add({ measure, subject: '99th percentile', value: middle('ours', 'p99'), unit: 'ms' });
  report.add({ measure, subject: 'bare node:http, the same bytes', value: middle('theirs', 'perSecond'), unit: '/s' });
  report.add({ measure, subject: 'bare node:http, 99th percentile', value: middle('theirs', 'p99'), unit: 'ms' });
  report.add({
    measure,
    subject: 'share of the bare server',
    value: middle('ours', 'perSecond') / middle('theirs', 'perSecond'),
    unit: 'times',
    target: { atLeast: 0.5 },
  });
  report.add({
    measure,
    subject: 'processor time per request, bare to ours',
    value: cpu[1] / cpu[0],
    unit: 'times',
    target: { atLeast: 0.5 },
  });
}

async function search({ port }: Served): Promise<void> {
  const paths = QUESTIONS.map((question) => `/api/v1/runs/run/search?mode=lexical&q=${encodeURIComponent(question)}`);
  await load(port, paths, 100);
  const { perSecond, p99 } = await load(port, paths, REQUESTS / 20);
  const measure = `search by words in ${PASSAGES} passages, ${QUESTIONS.length} questions in turn, no answer kept`;
  report.add({ measure, subject: 'requests per second', value: perSecond, unit: '/s' });
  report.add({ measure, subject: '99th percentile', value: p99, unit: 'ms' });
}

/** Rows are written into the run as they come from a harvest; the delay is from then to when a watcher has read of it. */
async function events({ port, pid }: Served): Promise<void> {
  const before = usage(pid);
  const delays: number[] = [];
  let written = 0;
  {
    using _watching = await watch(port, WATCHERS, (at) => delays.push(Date.now() - at));
    await using manifest = await ManifestFolder.open({ folder: run, runId: 'live', clock: systemClock });
    const startedAt = performance.now();
    for (let number = 0; number < EVENT_SECONDS * EVENTS_PER_SECOND; number += 1) {
      const at = new Date().toISOString();
      await manifest.write({ ...rowOf(number), work: `live-${number}`, at });
      written += 1;
      await sleep(Math.max(0, startedAt + (number * 1000) / EVENTS_PER_SECOND - performance.now()));
    }
    for (let tries = 0; delays.length < written * WATCHERS && tries < 100; tries += 1) await sleep(100);
  }
  const after = usage(pid);
  const measure = `events: ${EVENTS_PER_SECOND} rows a second for ${EVENT_SECONDS} s, told to ${WATCHERS} watchers (looks are a second apart)`;
  report.add({ measure, subject: 'messages per second', value: delays.length / EVENT_SECONDS, unit: '/s' });
  const share = (delays.length / (written * WATCHERS)) * 100;
  report.add({ measure, subject: 'of all that happened; of a burst only the end is told', value: share, unit: '%' });
  report.add({ measure, subject: 'delay, median', value: percentile(delays, 0.5), unit: 'ms' });
  report.add({ measure, subject: 'delay, 99th percentile', value: percentile(delays, 0.99), unit: 'ms' });
  report.add({
    measure,
    subject: 'messages per second of processor time of serve',
    value: delays.length / (after.cpu - before.cpu),
    unit: '/s',
  });
}

async function idleConnections({ port, pid }: Served): Promise<void> {
  const before = usage(pid).megabytes;
  const sockets = [];
  for (let opened = 0; opened < IDLE; opened += 500)
    sockets.push(...(await Promise.all(Array.from({ length: Math.min(500, IDLE - opened) }, () => open(port)))));
  const megabytes = usage(pid).megabytes - before;
  const probe = connect(port, '127.0.0.1');
  const at = performance.now();
  await once(probe, 'connect');
  await exchange(probe, '/api/v1/runs/run/works?limit=50');
  const ms = performance.now() - at;
  const held = sockets.filter(({ readyState }) => readyState === 'open').length;
  for (const socket of [...sockets, probe]) socket.destroy();
  const measure = 'connections that say nothing';
  report.add({ measure, subject: 'opened and held at once', value: held, unit: '', target: { atLeast: IDLE } });
  report.add({ measure, subject: 'memory of serve for each', value: (megabytes * 1000) / held, unit: 'kB' });
  report.add({ measure, subject: 'a page to somebody new meanwhile', value: ms, unit: 'ms', target: { atMost: 100 } });
}

/** Harvests of the simulated web in turn with and without watchers; serve is there both times. */
async function watchedHarvests(): Promise<void> {
  using harvests = await Harvests.open(folder, HARVESTED * (2 * PAIRS + 1));
  await harvests.next(HARVESTED);
  const { port, pid } = await startServe(harvests.run);
  const seconds = { alone: [] as number[], watched: [] as number[] };
  let heard = 0;
  let most = 0;
  const before = usage(pid).megabytes;
  // Alone and watched, then watched and alone: what grows with the run falls on both.
  const turns = Array.from({ length: PAIRS }, (_, at) =>
    at % 2 === 0 ? (['alone', 'watched'] as const) : (['watched', 'alone'] as const),
  ).flat();
  for (const turn of turns) {
    using _watching = turn === 'watched' ? await watch(port, WATCHERS, () => (heard += 1)) : undefined;
    seconds[turn].push(await harvests.next(HARVESTED));
    if (turn === 'watched') most = Math.max(most, usage(pid).megabytes);
  }
  const [alone, watched] = [median(seconds.alone), median(seconds.watched)];
  const measure = `processor time of the harvesting process: ${HARVESTED} works of the simulated web, contentdownload, serve beside it`;
  report.add({ measure, subject: 'nobody watches', value: alone, unit: 'CPU s', samples: seconds.alone });
  report.add({ measure, subject: `${WATCHERS} watch`, value: watched, unit: 'CPU s', samples: seconds.watched });
  report.add({
    measure,
    subject: 'what they cost it',
    value: (watched / alone - 1) * 100,
    unit: '%',
    target: { atMost: 5 },
  });
  report.add({ measure, subject: 'events that they heard', value: heard, unit: '' });
  report.add({
    measure: `memory of serve with ${WATCHERS} watchers`,
    subject: 'most, above before they came',
    value: most - before,
    unit: 'MB',
    target: { atMost: 100 },
  });
}

try {
  report.progress(`making ${WORKS} works and ${JOBS} jobs`);
  await makeRun(run, WORKS);
  await makeQueue(join(run, 'state', 'workqueue.sqlite'), JOBS);
  await makeIndex(join(run, 'Index'), PASSAGES);
  const served = await startServe(run);
  report.progress('asking');
  await firstAnswers(served);
  await besideBare(served, 'works', '/api/v1/runs/run/works?limit=50');
  await besideBare(served, 'now', '/api/v1/runs/run/now');
  await besideBare(served, 'queue', '/api/v1/queue');
  await search(served);
  report.progress('watching');
  await events(served);
  await idleConnections(served);
  for (const child of children.splice(0)) child.kill();
  report.progress(`harvesting ${2 * PAIRS + 1} times`);
  await watchedHarvests();
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
report.setting('load', `${REQUESTS} requests over 16 connections from the process of the bench`);
report.setting('judge', 'processor time is of single processes; requests per second share the cores with who asks');
report.finish();
