// Queues 100,000 works and harvests a simulated web for a while: is memory flat, and does the queue answer meanwhile?
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { systemClock } from '../src/base/index.ts';
import { openStore, WorkQueue } from '../src/queue/index.ts';
import type { WorldUp } from './harvest/world.ts';
import { parseFlags } from './kit/flags.ts';
import { BenchReport, median } from './kit/report.ts';

const flags = parseFlags();
const report = new BenchReport('harvest', flags);
const WORKS = 100_000;
const WORKERS = 16;
const TIME_SCALE = 0.1;
/** How long it is watched once everything is queued. */
const WATCH_SECONDS = flags.quick ? 20 : 180;
/** What the first works need: connections, compiled code, caches. It is not counted as growth. */
const WARM_UP_SHARE = 0.25;
const SAMPLE_MS = 250;
const COMMANDS = flags.quick ? 2 : 6;

const folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-harvest-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const list = join(folder, 'works.jsonl');
const out = join(folder, 'run');
const queuePath = join(out, 'state', 'workqueue.sqlite');
const command = join(import.meta.dirname, '..', 'bin', 'contentdownload');

interface Sample {
  readonly megabytes: number;
  readonly statsMs: number;
  readonly ended: number;
}

function residentMegabytes(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const match = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? Number.NaN) / 1024;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

report.progress(`building a world of ${WORKS} works`);
const world = fork(join(import.meta.dirname, 'harvest', 'world.ts'), [String(WORKS), String(TIME_SCALE), list], {
  execArgv: ['--conditions=docstokg-source'],
});
const [up] = (await once(world, 'message')) as [WorldUp];
report.progress(`harvesting it: contentdownload --input works.jsonl --workers ${WORKERS}`);
const startedAt = performance.now();
const harvest = spawn(
  process.execPath,
  [command, '--input', list, '--sim', up.url, '--out', out, '--workers', String(WORKERS), '--log-level', 'error'],
  { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
);
const ended = once(harvest, 'exit');
const pid = harvest.pid ?? 0;
const isOver = (): boolean => harvest.exitCode !== null || harvest.signalCode !== null;

// The second process of the two that use the queue: this one.
await waitFor(async () => {
  try {
    readFileSync(queuePath);
    return true;
  } catch {
    return false;
  }
});
const store = await openStore(queuePath);
await using queue = new WorkQueue(store, systemClock);
await waitFor(async () => (await queue.stats()).total >= WORKS);
const queuedSeconds = (performance.now() - startedAt) / 1000;

report.progress(`everything is queued; watching for ${WATCH_SECONDS} s`);
const samples: Sample[] = [];
const until = performance.now() + WATCH_SECONDS * 1000;
while (performance.now() < until && !isOver()) {
  const askedAt = performance.now();
  const { states } = await queue.stats();
  const statsMs = performance.now() - askedAt;
  samples.push({ megabytes: residentMegabytes(pid), statsMs, ended: states.done + states.error + states.skipped });
  await sleep(SAMPLE_MS);
}
const commandMs: number[] = [];
for (let at = 0; at < COMMANDS && !isOver(); at += 1) {
  const askedAt = performance.now();
  const stats = spawn(process.execPath, [command, 'queue', 'stats', '--queue', queuePath, '--json'], {
    stdio: 'ignore',
  });
  await once(stats, 'exit');
  commandMs.push(performance.now() - askedAt);
}
report.progress('stopping it');
harvest.kill('SIGINT');
await Promise.race([ended, sleep(30_000)]);
harvest.kill('SIGKILL');
await ended;
world.disconnect();

const warm = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
const third = Math.max(1, Math.floor(warm.length / 3));
const early = median(warm.slice(0, third).map(({ megabytes }) => megabytes));
const late = median(warm.slice(-third).map(({ megabytes }) => megabytes));
const [first, last] = [samples[0], samples.at(-1)];
const processed = (last?.ended ?? 0) - (first?.ended ?? 0);
const seconds = (samples.length * WATCH_SECONDS) / Math.max(1, samples.length);

report.setting('works', `${up.works} queued from a JSONL file of ids, SQLite, ${WORKERS} workers`);
report.setting('web', `simulated, profile load, 400 hosts, time scale ${TIME_SCALE}, in a process of its own`);
report.setting('watched', `${WATCH_SECONDS} s after the last was queued; ${processed} works ended meanwhile`);
report.add({
  measure: 'queueing',
  subject: 'works queued while others run',
  value: WORKS / queuedSeconds,
  unit: 'works/s',
});
report.add({ measure: 'harvest', subject: 'works that ended', value: processed / seconds, unit: 'works/s' });
report.add({
  measure: 'memory of the harvesting process',
  subject: `growth after warm-up (${early.toFixed(0)} → ${late.toFixed(0)} MB)`,
  value: (late / early - 1) * 100,
  unit: '%',
  target: { below: 20 },
});
report.add({
  measure: 'memory of the harvesting process',
  subject: 'most',
  value: Math.max(...samples.map(({ megabytes }) => megabytes)),
  unit: 'MB',
});
const latencies = samples.map(({ statsMs }) => statsMs);
report.add({
  measure: 'queue stats from a second process while it runs',
  subject: `median of ${latencies.length}`,
  value: percentile(latencies, 0.5),
  unit: 'ms',
  target: { below: 100 },
});
report.add({
  measure: 'queue stats from a second process while it runs',
  subject: '95th percentile',
  value: percentile(latencies, 0.95),
  unit: 'ms',
  target: { below: 100 },
});
report.add({
  measure: 'queue stats from a second process while it runs',
  subject: `the command, from its start to its end, median of ${commandMs.length}`,
  value: median(commandMs),
  unit: 'ms',
});
report.finish();

async function waitFor(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) {
    if (isOver()) throw new Error(`the harvest ended early with ${harvest.exitCode}`);
    await sleep(50);
  }
}
