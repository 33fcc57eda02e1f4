// From a free slot to the next running job; statistics of a long queue; import of a large file in bounded memory.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

import { systemClock, wait } from '../src/base/index.ts';
import type { QueueStore, SettledLease } from '../src/queue/index.ts';
import { openStore, Orchestrator, WorkQueue } from '../src/queue/index.ts';
import type { ImportResult } from './dispatch/import.ts';
import { parseFlags } from './kit/flags.ts';
import { BENCH_ORCHESTRATOR } from './kit/orchestrator-options.ts';
import { BenchReport, median } from './kit/report.ts';
import { createPayload } from './queue/contender.ts';

const flags = parseFlags();
const report = new BenchReport('dispatch', flags);
const folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-dispatch-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const LINES = flags.quick ? 200_000 : 1_000_000;
const LATENCY_JOBS = flags.quick ? 2_000 : 5_000;
const RESOLVERS = ['arxiv', 'crossref', 'openalex', 'unpaywall'];

function open(name: string): Promise<QueueStore> {
  return openStore(join(folder, name));
}

/** Jobs of a few milliseconds, so that slots become free one by one; each start is laid to the slot that was free longest. */
async function measureLatency(workers: number): Promise<void> {
  const store = await open(`latency-${workers}.sqlite`);
  await using queue = new WorkQueue(store, systemClock);
  const numbers = Array.from({ length: LATENCY_JOBS }, (_, number) => number);
  await queue.bulkImport(numbers.map(createPayload).map((artifact) => ({ artifactId: artifact.id, artifact })));
  const freed: number[] = [];
  const latencies: number[] = [];
  let started = 0;
  const orchestrator = new Orchestrator({
    maxWorkers: workers,
    ...BENCH_ORCHESTRATOR,
    maxPerHost: 4,
    maxParked: 64,
    queue,
    handler: async ({ id }) => {
      const freedAt = freed.shift();
      if (freedAt !== undefined) latencies.push(performance.now() - freedAt);
      started += 1;
      await wait(systemClock, 5 + (id % 16));
      // Nobody follows the last ones.
      if (started < LATENCY_JOBS) freed.push(performance.now());
    },
  });
  await orchestrator.run({ drain: 'empty' });
  latencies.sort((a, b) => a - b);
  const measure = `dispatch latency, ${workers} workers (slot free → next job running, SQLite)`;
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  report.add({ measure, subject: 'p50', value: at(0.5), unit: 'ms', target: { below: 1 } });
  report.add({ measure, subject: 'p90', value: at(0.9), unit: 'ms' });
  report.add({ measure, subject: 'p99', value: at(0.99), unit: 'ms' });
}

async function writeLines(path: string): Promise<void> {
  const stream = createWriteStream(path);
  for (let number = 0; number < LINES; number += 1) {
    const { id, ...artifact } = createPayload(number);
    const line = { artifact_id: id, artifact, resolver_hint: RESOLVERS[number % RESOLVERS.length] };
    if (!stream.write(`${JSON.stringify(line)}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
}

/** In a process of its own, whose memory is nobody else's. */
async function measureImport(path: string, database: string): Promise<void> {
  const child = fork(join(import.meta.dirname, 'dispatch', 'import.ts'), [path, database], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [result] = (await once(child, 'message')) as [ImportResult];
  if (result.added !== LINES) throw new Error(`${result.added} of ${LINES} lines were imported`);
  const measure = `import of ${LINES.toLocaleString('en')} lines`;
  report.add({
    measure,
    subject: 'peak memory (RSS)',
    value: result.peakBytes / 1e6,
    unit: 'MB',
    target: { below: 200 },
  });
  report.add({
    measure,
    subject: 'speed',
    value: LINES / result.seconds,
    unit: 'lines/s',
    cpuMicroseconds: (result.cpuMs * 1000) / LINES,
  });
}

/** A queue as it looks in the middle of a run: most queued, some done, failed, delayed and running. */
async function measureStats(name: string): Promise<void> {
  const store = await open(name);
  await using queue = new WorkQueue(store, systemClock);
  for (let round = 0; round < LINES / 10_000; round += 1) {
    const leased = await queue.lease(`bench-${round % 3}`, 1_000, { leaseMs: 600_000 });
    const settlements = leased.slice(0, 990).map((lease, at): SettledLease => ({
      ...lease,
      settlement:
        at % 10 === 0
          ? { kind: 'finish', state: 'error', error: { code: `HTTP_${400 + (at % 20)}`, message: 'no' } }
          : at % 10 === 1
            ? { kind: 'requeue', delayMs: 3_600_000, refund: false, error: { code: 'HTTP_503', message: 'later' } }
            : { kind: 'finish', state: at % 10 === 2 ? 'skipped' : 'done' },
    }));
    await store.exchange({ workerId: '', settlements, picks: [], now: systemClock.now(), leaseMs: 0 });
  }
  const times: number[] = [];
  let total = 0;
  for (let repetition = 0; repetition < 21; repetition += 1) {
    const startedAt = performance.now();
    ({ total } = await queue.stats());
    times.push(performance.now() - startedAt);
  }
  if (total !== LINES) throw new Error(`stats counts ${total} of ${LINES} jobs`);
  const measure = `stats at ${LINES.toLocaleString('en')} jobs`;
  report.add({ measure, subject: 'median of 21', value: median(times), unit: 'ms', target: { below: 50 } });
  report.add({ measure, subject: 'slowest of 21', value: Math.max(...times), unit: 'ms' });
}

report.setting('store', 'SQLite WAL; enqueue synchronous FULL, lease and settle NORMAL');
report.setting('latency', `${LATENCY_JOBS} jobs of 5 to 20 ms`);
for (const workers of [8, 32]) {
  report.progress(`latency with ${workers} workers`);
  await measureLatency(workers);
}
report.progress(`writing ${LINES} lines`);
const lines = join(folder, 'jobs.jsonl');
await writeLines(lines);
report.progress('importing them');
await measureImport(lines, join(folder, 'long.sqlite'));
report.progress('statistics');
await measureStats('long.sqlite');
report.finish();
