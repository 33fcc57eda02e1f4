// A million jobs in the queue: enqueueing them, statistics, and pages of the list.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemClock } from '../src/base/index.ts';
import { openStore, WorkQueue } from '../src/queue/index.ts';
import { BenchReport, flags, measureCommand, ROOT } from './kit.ts';

const JOBS = flags.quick ? 100_000 : 1_000_000;
const BATCH = 10_000;
const ROUNDS = flags.quick ? 3 : 7;

const report = new BenchReport('queue');
const folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-queue-'));
const path = join(folder, 'queue.sqlite');
try {
  await using queue = new WorkQueue(await openStore(path), systemClock);
  const rates: number[] = [];
  for (let from = 0; from < JOBS; from += BATCH) {
    const startedAt = performance.now();
    await queue.bulkImport(jobs(from));
    rates.push((BATCH / (performance.now() - startedAt)) * 1000);
  }
  report.progress(`${JOBS} jobs are queued`);
  const stats = await repeated(() => queue.stats());
  const again = await repeated(() => queue.bulkImport(jobs(0)));
  const pages = await repeated(() => queue.store.admin.list({ states: ['queued'] }, { limit: 50 }));
  const words = [join(ROOT, 'bin', 'docstokg'), 'queue', 'stats', '--queue', path];
  await measureCommand(process.execPath, words, folder);
  const command: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    command.push((await measureCommand(process.execPath, words, folder)).wallSeconds * 1000);
  report.setting('jobs', `${JOBS}, about 150 bytes each, SQLite, enqueueing waits for the disk`);
  report.add({ name: `enqueueing, ${BATCH} at a time`, unit: 'jobs/s', samples: rates, atLeast: 10_000 });
  report.add({ name: `${BATCH} known ids again`, unit: 'ms', samples: again });
  report.add({ name: 'statistics', unit: 'ms', samples: stats, atMost: 100 });
  report.add({ name: 'a page of 50 queued jobs', unit: 'ms', samples: pages, atMost: 20 });
  report.add({ name: 'the command queue stats', unit: 'ms', samples: command });
  report.finish();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function jobs(from: number): { artifactId: string; payload: object }[] {
  return Array.from({ length: BATCH }, (_, at) => ({
    artifactId: `W${from + at}`,
    payload: {
      title: `A study of matter ${from + at}`,
      url: `https://host-${(from + at) % 200}.example.org/${from + at}.pdf`,
    },
  }));
}

/** Milliseconds of each call; the first, which fills caches, is not counted. */
async function repeated(work: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const startedAt = performance.now();
    await work();
    samples.push(performance.now() - startedAt);
  }
  return samples.slice(1);
}
