// Empties a queue whose jobs go to 200 hosts of very unequal size: how near to the least possible time, in every order.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Clock } from '../src/base/index.ts';
import { systemClock, wait } from '../src/base/index.ts';
import { openStore, Orchestrator, WorkQueue } from '../src/queue/index.ts';
import { HeldClock } from '../src/testing/index.ts';
import { parseFlags } from './kit/flags.ts';
import { BENCH_ORCHESTRATOR } from './kit/orchestrator-options.ts';
import { BenchReport } from './kit/report.ts';

const JOBS = 2_000;
const HOSTS = 200;
const AT_ONCE = 64;
const PER_HOST = 4;
const JOB_MS = 200;
const TARGET = 1.05;

interface Task {
  readonly id: string;
  readonly host: number;
  readonly url: string;
}

/** Jobs by host as Zipf (s = 1) has them, largest remainders rounded up, largest host first. */
function zipfTasks(): Task[] {
  const weights = Array.from({ length: HOSTS }, (_, rank) => 1 / (rank + 1));
  const unit = JOBS / weights.reduce((sum, weight) => sum + weight, 0);
  const counts = weights.map((weight) => Math.floor(weight * unit));
  const byRemainder = weights.map((_, rank) => rank).sort((a, b) => remainder(b) - remainder(a));
  function remainder(rank: number): number {
    return ((weights[rank] ?? 0) * unit) % 1;
  }
  const missing = JOBS - counts.reduce((sum, count) => sum + count, 0);
  for (const rank of byRemainder.slice(0, missing)) counts[rank] = (counts[rank] ?? 0) + 1;
  return counts.flatMap((count, host) =>
    Array.from({ length: count }, (_, number) => ({
      id: `${host}-${number}`,
      host,
      url: `https://host-${host}.example.org/${number}.pdf`,
    })),
  );
}

/** The same mixture in every run. */
function shuffled(tasks: readonly Task[]): Task[] {
  const mixed = [...tasks];
  let state = 20_260_115;
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other] as Task, mixed[at] as Task];
  }
  return mixed;
}

interface Outcome {
  readonly seconds: number;
  readonly mostAtOnce: number;
  readonly mostPerHost: number;
}

/** `hostsKnown`: the payload names the URL, so that the queue knows each job's host before it runs. */
async function empty(tasks: readonly Task[], clock: Clock, hostsKnown: boolean): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'docstokg-bench-schedule-'));
  try {
    const store = await openStore(join(folder, 'queue.sqlite'), { clock });
    await using queue = new WorkQueue(store, clock);
    await queue.bulkImport(
      tasks.map(({ id, url }) => ({ artifactId: id, artifact: hostsKnown ? { url } : { paper: url } })),
    );
    let [atOnce, mostAtOnce, mostPerHost, startedAt, endedAt] = [0, 0, 0, Infinity, 0];
    const perHost = new Map<string, number>();
    const orchestrator = new Orchestrator({
      maxWorkers: AT_ONCE,
      ...BENCH_ORCHESTRATOR,
      maxPerHost: PER_HOST,
      maxParked: 512,
      queue,
      clock,
      handler: (job, context) => {
        const { url, paper } = job.artifact as { readonly url?: string; readonly paper?: string };
        const address = url ?? paper ?? '';
        return context.withLimits(null, address, async ({ signal }) => {
          const { host } = new URL(address);
          startedAt = Math.min(startedAt, clock.monotonic());
          mostAtOnce = Math.max(mostAtOnce, (atOnce += 1));
          perHost.set(host, (perHost.get(host) ?? 0) + 1);
          mostPerHost = Math.max(mostPerHost, perHost.get(host) ?? 0);
          await wait(clock, JOB_MS, signal);
          atOnce -= 1;
          perHost.set(host, (perHost.get(host) ?? 0) - 1);
          endedAt = clock.monotonic();
        });
      },
    });
    const progress = { over: false };
    const running = orchestrator.run({ drain: 'empty' }).finally(() => (progress.over = true));
    if (clock instanceof HeldClock) while (!progress.over) await clock.advanceToNext();
    const { done } = await running;
    if (done !== tasks.length) throw new Error(`${done} of ${tasks.length} jobs were done`);
    return { seconds: (endedAt - startedAt) / 1000, mostAtOnce, mostPerHost };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const flags = parseFlags();
const report = new BenchReport('schedule', flags);
const sorted = zipfTasks();
const orders = { shuffled: shuffled(sorted), 'sorted by host': sorted, reversed: sorted.toReversed() };
const longest = Math.max(
  ...Map.groupBy(sorted, ({ host }) => host)
    .values()
    .map((tasks) => tasks.length),
);
const bound = (Math.max(sorted.length / AT_ONCE, longest / PER_HOST) * JOB_MS) / 1000;
report.setting('jobs', `${JOBS} of ${JOB_MS} ms over ${HOSTS} hosts (Zipf, s = 1; the largest has ${longest})`);
report.setting('caps', `${AT_ONCE} at once, ${PER_HOST} per host`);
report.setting(
  'lower bound',
  `${bound.toFixed(2)} s, the larger of all work / ${AT_ONCE} and the largest host / ${PER_HOST}`,
);
report.setting('store', 'SQLite WAL; enqueue synchronous FULL, lease and settle NORMAL');

let [mostAtOnce, mostPerHost] = [0, 0];
async function measure(name: string, order: keyof typeof orders, clock: Clock, hostsKnown: boolean): Promise<void> {
  report.progress(`${name}, ${order}`);
  const outcome = await empty(orders[order], clock, hostsKnown);
  mostAtOnce = Math.max(mostAtOnce, outcome.mostAtOnce);
  mostPerHost = Math.max(mostPerHost, outcome.mostPerHost);
  report.add({
    measure: `makespan / lower bound, ${name}`,
    subject: `${order} (${outcome.seconds.toFixed(2)} s)`,
    value: outcome.seconds / bound,
    unit: '×',
    // Where hosts are found out only as jobs run, no scheduler can know which one is the longest.
    ...(hostsKnown && { target: { atMost: TARGET } }),
  });
}

for (const order of ['shuffled', 'sorted by host', 'reversed'] as const) {
  await measure('simulated clock', order, new HeldClock(), true);
  await measure('simulated clock, hosts found out as the jobs run', order, new HeldClock(), false);
  if (!flags.quick || order === 'sorted by host') await measure('real clock', order, systemClock, true);
}
report.add({ measure: 'caps', subject: 'most jobs at once', value: mostAtOnce, unit: '', target: { atMost: AT_ONCE } });
report.add({
  measure: 'caps',
  subject: 'most at one host',
  value: mostPerHost,
  unit: '',
  target: { atMost: PER_HOST },
});
report.finish();
