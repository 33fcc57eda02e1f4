import type { StageLine } from './data.ts';
import type { ReportLimits } from './limits.ts';
import type { StageRow } from './rows.ts';
import { stageRows } from './rows.ts';
import { Tally } from './tally.ts';

const STAGES = ['doctags', 'chunk', 'embed'] as const;
const SLOWEST = 5;
/** Bounds of the buckets in seconds: each twice the one before, from a hundredth of a second on. */
const FIRST_BOUND = 0.01;
const MOST_BUCKETS = 30;

/** How every stage that ran went, document by document: its last real outcome counts, skips repeat what is known. */
export async function stageLines(dataRoot: string, limits: ReportLimits): Promise<StageLine[]> {
  const lines: StageLine[] = [];
  for (const stage of STAGES) {
    const [last, skipped] = [new Map<string, StageRow>(), new Map<string, StageRow>()];
    for await (const row of stageRows(dataRoot, stage)) (row.status === 'skip' ? skipped : last).set(row.doc_id, row);
    if (last.size + skipped.size > 0) lines.push(stageLine(stage, last, skipped, limits));
  }
  return lines;
}

function stageLine(
  name: string,
  last: ReadonlyMap<string, StageRow>,
  skipped: ReadonlyMap<string, StageRow>,
  limits: ReportLimits,
): StageLine {
  const rows = [...last.values()];
  const good = rows.filter(({ status }) => status === 'success').toSorted((a, b) => b.duration_s - a.duration_s);
  const bad = rows.filter(({ status }) => status === 'failure');
  const categories = new Tally();
  for (const { category } of bad) categories.add(category ?? 'unknown');
  const durations = good.map(({ duration_s: seconds }) => seconds).toReversed();
  const share = (part: number): number =>
    durations[Math.min(durations.length - 1, Math.floor(part * durations.length))] ?? 0;
  return {
    name,
    succeeded: good.length,
    failed: bad.length,
    skipped: [...skipped.keys()].filter((id) => !last.has(id)).length,
    p50: share(0.5),
    p95: share(0.95),
    max: share(1),
    histogram: histogram(durations),
    slowest: good.slice(0, SLOWEST).map((row) => [row.doc_id, row.duration_s]),
    categories: categories.record(),
    failures: bad
      .slice(0, limits.failures)
      .map((row) => [row.doc_id, row.category ?? 'unknown', (row.message ?? '').slice(0, 400)]),
  };
}

function histogram(sorted: readonly number[]): (readonly [bound: number, count: number])[] {
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return [];
  const place = (seconds: number): number =>
    Math.min(MOST_BUCKETS, Math.max(0, Math.ceil(Math.log2(seconds / FIRST_BOUND))));
  const counts = new Map<number, number>();
  for (const seconds of sorted) counts.set(place(seconds), (counts.get(place(seconds)) ?? 0) + 1);
  const [from, to] = [place(least), place(most)];
  return Array.from({ length: to - from + 1 }, (_, at) => [FIRST_BOUND * 2 ** (from + at), counts.get(from + at) ?? 0]);
}
