// Puts jobs in and processes them: ours, the bare limit of SQLite, and the queues people use, in one run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startPostgres } from '../test/postgres.ts';
import { parseFlags } from './kit/flags.ts';
import { installPeers, peerVersion } from './kit/peers.ts';
import { BenchReport, median } from './kit/report.ts';
import { bullmq } from './queue/bullmq.ts';
import type { Contender, Place } from './queue/contender.ts';
import { createPayload } from './queue/contender.ts';
import { drainWithProcesses } from './queue/drain.ts';
import { graphileSynced, graphileUnsynced } from './queue/graphile.ts';
import { liteque } from './queue/liteque.ts';
import { ours, oursNormal, oursSynced, oursUnsynced } from './queue/ours.ts';
import { pgBossSynced, pgBossUnsynced } from './queue/pg-boss.ts';
import { plainjob } from './queue/plainjob.ts';
import { rawFull, rawNormal } from './queue/raw.ts';
import { serverCpuMs, startRedis } from './queue/servers.ts';

const flags = parseFlags();
const report = new BenchReport('queue', flags);
const folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-queue-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const JOBS = flags.quick ? 15_000 : 100_000;
const SERVER_JOBS = flags.quick ? 8_000 : 50_000;
/** No contender needs half of this for a queue: one that does hangs, and must not take the bench along. */
const LONGEST_MS = 180_000;
const REPETITIONS = 3;
const SINGLES = 500;
const SERVER_SINGLES = flags.quick ? 100 : 500;
const SHAPES = (flags.quick ? [64] : [64, 8]).flatMap((concurrency) =>
  [1, 2, 4].map((processes) => ({ concurrency, processes })),
);

/** When repetitions of the same work differ by more than this, the machine is too busy for wall clocks. */
const SENSELESS_SPREAD = 2;

interface Sample {
  /** Per second of wall clock. */
  readonly rate: number;
  readonly cpuMicroseconds: number;
}
const samples = new Map<string, Sample[]>();
let runs = 0;

function keep(measure: string, contender: Contender, sample: Sample): void {
  const key = `${measure}|${contender.name}`;
  samples.set(key, [...(samples.get(key) ?? []), sample]);
}

async function timed(measure: string, contender: Contender, count: number, work: () => Promise<void>): Promise<void> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - startedAt) / 1000;
  keep(measure, contender, { rate: count / seconds, cpuMicroseconds: (user + system) / count });
}

const payloads = Array.from({ length: JOBS }, (_, number) => createPayload(number));
const bytes = new Map<string, number>();

async function measureEnqueue(contender: Contender, place: Place, jobs: number): Promise<void> {
  const mine = payloads.slice(0, Math.round(jobs * contender.share));
  await using queue = await contender.open(place);
  const empty = contender === bullmq ? await queue.bytes() : 0;
  await timed('bulk enqueue', contender, mine.length, () => queue.bulk(mine));
  bytes.set(contender.name, ((await queue.bytes()) - empty) * (10_000 / mine.length));
  if (contender !== plainjob) await timed('the same ids again', contender, mine.length, () => queue.bulk(mine));
  // Where no disk is waited for, fewer would be over before the code is compiled.
  const undelayed = contender === oursNormal || contender === rawNormal;
  const singles = undelayed ? 10_000 : jobs === JOBS ? SINGLES : SERVER_SINGLES;
  if (undelayed)
    for (let number = 0; number < singles; number += 1) await queue.single(createPayload(2 * JOBS + number));
  await timed('single enqueue', contender, singles, async () => {
    for (let number = 0; number < singles; number += 1) await queue.single(createPayload(JOBS + number));
  });
}

async function measureDrain(
  contender: Contender,
  place: Place,
  jobs: number,
  shape: (typeof SHAPES)[number],
): Promise<void> {
  const mine = payloads.slice(0, Math.round(jobs * contender.share));
  {
    await using queue = await contender.open(place);
    await queue.bulk(mine);
  }
  const onServer = SERVER.has(contender);
  const serverBefore = onServer ? serverCpuMs(postgres.pid) : 0;
  const drained = await drainWithProcesses(contender, place, { ...shape, longestMs: LONGEST_MS }).catch(
    (error: unknown) => {
      if (OWN.has(contender)) throw error;
      report.missing(
        `${contender.name} is LEFT OUT of ${measureOf(shape)}: ${String(error)} (a hanging one is killed)`,
      );
    },
  );
  if (!drained) return;
  const { jobs: done, seconds, cpuMs: clientMs } = drained;
  // What the server computes for a queue is part of what the queue costs.
  const cpuMs = clientMs + (onServer ? serverCpuMs(postgres.pid) - serverBefore : 0);
  if (done < mine.length) throw new Error(`${contender.name} did ${done} of ${mine.length} jobs`);
  if (done > mine.length && !doubled.has(contender.name)) {
    doubled.add(contender.name);
    report.note(`${contender.name} ran ${done - mine.length} of ${mine.length} jobs twice (${measureOf(shape)})`);
  }
  keep(measureOf(shape), contender, { rate: mine.length / seconds, cpuMicroseconds: (cpuMs * 1000) / mine.length });
}
const SERVER = new Set([oursSynced, oursUnsynced, pgBossSynced, pgBossUnsynced, graphileSynced, graphileUnsynced]);
const OWN = new Set([ours, rawNormal, oursSynced, oursUnsynced]);
const doubled = new Set<string>();
const measureOf = ({ concurrency, processes }: (typeof SHAPES)[number]): string =>
  `process, concurrency ${concurrency}, ${processes} process${processes === 1 ? '' : 'es'}`;

const havePeers = installPeers((text) => report.progress(text));
// Several processes of peers, each with pools of their own.
await using postgres = await startPostgres({ max_connections: '400' });
await using redis = havePeers ? await startRedis(folder) : undefined;
if (!havePeers) report.missing('bench/peers could not be installed, so nothing is compared with them');
if (havePeers && !redis)
  report.note('BullMQ is LEFT OUT: there is no redis-server on this machine (Debian: apt install redis-server)');

/** Measured only where there is time, since no target names them. */
const LEISURELY = new Set([liteque]);

const groups = [
  { jobs: JOBS, enqueue: [oursNormal, rawNormal, ours, rawFull], drain: [ours, rawNormal], peers: [plainjob, liteque] },
  {
    jobs: SERVER_JOBS,
    enqueue: [oursSynced, oursUnsynced],
    drain: [oursSynced, oursUnsynced],
    peers: [pgBossSynced, pgBossUnsynced, graphileSynced, graphileUnsynced, ...(redis ? [bullmq] : [])],
  },
].map(({ peers, ...group }) => {
  const rivals = havePeers ? peers.filter((peer) => !(flags.quick && LEISURELY.has(peer))) : [];
  return { jobs: group.jobs, enqueue: [...group.enqueue, ...rivals], drain: [...group.drain, ...rivals] };
});
const newPlace = (): Place => ({
  folder,
  name: `bench_${(runs += 1)}`,
  postgresUrl: postgres.url,
  redisUrl: redis?.url ?? '',
});

for (let repetition = 1; repetition <= REPETITIONS; repetition += 1) {
  for (const { jobs, enqueue, drain } of groups) {
    for (const contender of enqueue) {
      report.progress(`${repetition}/${REPETITIONS} enqueue: ${contender.name}`);
      await measureEnqueue(contender, newPlace(), jobs);
    }
    for (const shape of SHAPES)
      for (const contender of drain) {
        report.progress(`${repetition}/${REPETITIONS} ${measureOf(shape)}: ${contender.name}`);
        await measureDrain(contender, newPlace(), jobs, shape);
      }
  }
}

const everybody = [...new Set(groups.flatMap(({ enqueue, drain }) => [...enqueue, ...drain]))];
report.setting(
  'jobs',
  `${JOBS} on SQLite, ${SERVER_JOBS} on servers; peers a share of that; ${REPETITIONS} repetitions, interleaved; median`,
);
report.setting('payload', `${JSON.stringify(createPayload(10_000)).length} bytes of JSON, unique id`);
report.setting(
  'ours',
  'Orchestrator with fencing, heartbeats, host and resolver limits taken by every job, metrics recorded through the OpenTelemetry API',
);
for (const { name, settings } of everybody) report.setting(name, settings);
if (havePeers)
  for (const name of ['plainjob', 'liteque', 'better-sqlite3', 'pg-boss', 'graphile-worker', 'bullmq'])
    report.setting(`${name} version`, peerVersion(name));
if (redis) report.setting('Redis version', redis.version);

for (const measure of new Set([...samples.keys()].map((key) => key.split('|')[0] ?? '')))
  for (const contender of everybody) {
    const found = samples.get(`${measure}|${contender.name}`);
    if (!found) continue;
    report.add({
      measure,
      subject: contender.name,
      value: median(found.map(({ rate }) => rate)),
      unit: 'jobs/s',
      cpuMicroseconds: median(found.map(({ cpuMicroseconds }) => cpuMicroseconds)),
      samples: found.map(({ rate }) => Math.round(rate)),
    });
  }
for (const [subject, value] of bytes)
  report.add({ measure: 'size of 10,000 jobs', subject, value: value / 1e6, unit: 'MB' });

/** How many times as fast: by the wall clock, unless the machine was too busy for that. */
function compare(measure: string, first: Contender, second: Contender, atLeast?: number): void {
  const [a, b] = [first, second].map(({ name }) => samples.get(`${measure}|${name}`));
  if (!a || !b) return;
  const spread = Math.max(
    ...[a, b].map((list) => Math.max(...list.map(({ rate }) => rate)) / Math.min(...list.map(({ rate }) => rate))),
  );
  const wall = median(a.map(({ rate }) => rate)) / median(b.map(({ rate }) => rate));
  const cpu = median(b.map((each) => each.cpuMicroseconds)) / median(a.map((each) => each.cpuMicroseconds));
  const byCpu = spread > SENSELESS_SPREAD;
  const cpuOf = SERVER.has(first) ? 'CPU, server included,' : 'CPU';
  const other = byCpu
    ? `; by wall clock ${wall.toFixed(2)}, which varied by ${spread.toFixed(1)}`
    : `; by ${cpuOf} ${cpu.toFixed(2)}`;
  report.add({
    measure: 'compared',
    subject: `${measure}: ${first.name} / ${second.name}${other}`,
    value: byCpu ? cpu : wall,
    unit: byCpu ? '(CPU)' : '×',
    ...(atLeast !== undefined && { target: { atLeast } }),
  });
}

compare('bulk enqueue', ours, rawFull, 0.8);
compare('the same ids again', ours, rawFull, 0.8);
compare('single enqueue', ours, rawFull, 0.8);
compare('single enqueue', oursNormal, rawNormal, 0.8);
for (const shape of SHAPES.filter(({ concurrency }) => concurrency === 64)) {
  compare(measureOf(shape), ours, rawNormal, 0.5);
  compare(measureOf(shape), ours, plainjob, 4);
  // At equal durability, both ways.
  compare(measureOf(shape), oursSynced, pgBossSynced, 2);
  compare(measureOf(shape), oursUnsynced, pgBossUnsynced, 2);
  compare(measureOf(shape), oursSynced, graphileSynced, 1.5);
  compare(measureOf(shape), oursUnsynced, graphileUnsynced, 1.5);
}
report.add({
  measure: 'compared',
  subject: 'size: ours / raw',
  value: (bytes.get(ours.name) ?? Number.NaN) / (bytes.get(rawFull.name) ?? Number.NaN),
  unit: '×',
  target: { atMost: 1.1 },
});
report.finish();
