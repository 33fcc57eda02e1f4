import { join } from 'node:path';

import { startPostgres } from '../../test/postgres.ts';
import type { Flags } from '../kit/flags.ts';
import type { BenchReport } from '../kit/report.ts';
import type { Makespan } from './makespan.ts';
import { lowerBoundSeconds, makespan, MIX } from './makespan.ts';
import { shuffled, zipfFiles } from './zipf.ts';

const WORKERS = [64, 16] as const;

/** How close to the least possible time a mix of hosts is harvested that each bear a few requests at once. */
export async function measurePoliteMix(report: BenchReport, flags: Flags, folder: string): Promise<void> {
  const mix = zipfFiles(MIX.files, MIX.hosts);
  const orders = { shuffled: shuffled(mix), 'sorted by host': mix, reversed: mix.toReversed() };
  report.setting(
    'polite mix',
    `${MIX.files} files over ${MIX.hosts} hosts (Zipf, s = 1), ${MIX.answerMs} ms each, ${MIX.perHost} per host; lower bound ${WORKERS.map((atOnce) => `${lowerBoundSeconds(mix, atOnce).toFixed(1)} s with ${atOnce} workers`).join(', ')}`,
  );
  const measure = async (order: keyof typeof orders, atOnce: number, shared?: string): Promise<void> => {
    report.progress(`polite mix, ${order}, ${atOnce} workers${shared === undefined ? '' : ', limits shared'}`);
    const out = join(folder, `mix-${order.replaceAll(' ', '-')}-${atOnce}${shared === undefined ? '' : '-shared'}`);
    const seen = await makespan(orders[order], { out, atOnce, shared });
    const isKept = seen.mostPerHost <= MIX.perHost && seen.mostAtOnce <= atOnce;
    const value = isKept ? seen.seconds / lowerBoundSeconds(mix, atOnce) : Number.NaN;
    const how = shared === undefined ? 'through the whole pipeline' : 'limits shared through PostgreSQL';
    report.add({
      measure: `polite makespan / lower bound, ${how}`,
      subject: `${order}, ${atOnce} workers (${describe(seen)})`,
      value,
      unit: '×',
      target: { atMost: shared === undefined ? 1.1 : 1.15 },
    });
    if (shared === undefined) return;
    report.add({
      measure: `polite makespan / lower bound, ${how}`,
      subject: `${order}, ${atOnce} workers: round trips about hosts per request`,
      value: seen.roundTrips / seen.served,
      unit: 'per request',
      target: { atMost: 0.2 },
    });
  };
  for (const atOnce of WORKERS) {
    for (const order of ['shuffled', 'sorted by host', 'reversed'] as const) {
      if (!flags.quick || order === 'reversed') await measure(order, atOnce);
    }
  }
  for (const atOnce of WORKERS) {
    await using server = await startPostgres();
    await measure('reversed', atOnce, server.url);
  }
}

function describe({ seconds, mostAtOnce, mostPerHost }: Makespan): string {
  return `${seconds.toFixed(1)} s; at most ${mostAtOnce} at once, ${mostPerHost} per host`;
}
