import { existsSync } from 'node:fs';

import { readJsonl } from '../../base/index.ts';
import { manifestFolder } from '../../corpus/index.ts';
import { manifestPath } from '../../stage/index.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { Context } from './context.ts';
import { runOf } from './context.ts';
import { noQuery, runPath } from './parameters.ts';
import * as shapes from './shapes/course.ts';

const STAGES = ['doctags', 'chunk', 'embed'] as const;
const SLOWEST = 5;
const MOST_FAILURES = 100;
/** Histogram bounds: powers of two, starting at 0.01 seconds. */
const FIRST_BOUND_S = 0.01;
const MOST_BUCKETS = 30;

interface StageRow {
  readonly doc_id: string;
  readonly status: string;
  readonly duration_s: number;
  readonly reason?: string;
  readonly category?: string;
  readonly message?: string;
}

export function stageRoutes(context: Context): Route[] {
  return [
    route({
      path: '/runs/{run}/stages',
      summary: 'Duration of each stage per document, the slowest documents, and failures by category.',
      pathSchema: runPath,
      querySchema: noQuery,
      gives: { kind: 'json', schema: shapes.stages },
      version: ({ path }) => runOf(context, path.run).version,
      handle: async ({ path }) => {
        const manifests = manifestFolder(runOf(context, path.run).corpus.config);
        const items = await Array.fromAsync(STAGES, (name) => stageOf(name, manifestPath(manifests, name)));
        return { kind: 'json', value: { items: items.filter((item) => item !== undefined) } };
      },
    }),
  ];
}

/** The last outcome of a document counts; skips only repeat it. */
async function stageOf(name: string, path: string): Promise<unknown> {
  if (!existsSync(path)) return undefined;
  const [last, skipped] = [new Map<string, StageRow>(), new Map<string, string | undefined>()];
  for await (const line of readJsonl(path)) {
    const row = line.kind === 'good' ? (line.value as Partial<StageRow> | null) : null;
    if (typeof row?.doc_id !== 'string' || typeof row.duration_s !== 'number') continue;
    if (row.status === 'skip') skipped.set(row.doc_id, row.reason);
    else {
      const { doc_id, status = '', duration_s, category = 'unknown', message = '' } = row;
      last.set(doc_id, { doc_id, status, duration_s, category, message: message.slice(0, 400) });
    }
  }
  if (last.size + skipped.size === 0) return undefined;
  const rows = [...last.values()];
  const good = rows.filter(({ status }) => status === 'success').toSorted((a, b) => a.duration_s - b.duration_s);
  const failures = rows.filter(({ status }) => status === 'failure');
  const onlySkipped = [...skipped].filter(([id]) => !last.has(id));
  const scans = onlySkipped.filter(([, reason]) => reason === 'needs-ocr');
  const seconds = good.map((row) => row.duration_s);
  const share = (part: number): number => seconds[Math.min(seconds.length - 1, Math.floor(part * seconds.length))] ?? 0;
  const byCategory = [...Map.groupBy(failures, ({ category }) => category)];
  return {
    name,
    succeeded: good.length,
    failed: failures.length,
    skipped: onlySkipped.length - scans.length,
    needs_ocr: scans.length,
    median_s: share(0.5),
    p95_s: share(0.95),
    max_s: share(1),
    histogram: histogram(seconds),
    slowest: good
      .slice(-SLOWEST)
      .toReversed()
      .map((row) => ({ document: row.doc_id, seconds: row.duration_s })),
    categories: Object.fromEntries(
      byCategory.map(([category, all]) => [category, all.length] as const).toSorted((a, b) => b[1] - a[1]),
    ),
    failures: failures
      .slice(0, MOST_FAILURES)
      .map(({ doc_id: document, category, message }) => ({ document, category, message })),
  };
}

function histogram(sorted: readonly number[]): { readonly up_to_s: number; readonly documents: number }[] {
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return [];
  const bucket = (seconds: number): number =>
    Math.min(MOST_BUCKETS, Math.max(0, Math.ceil(Math.log2(seconds / FIRST_BOUND_S))));
  const counts = Map.groupBy(sorted, bucket);
  return Array.from({ length: bucket(most) - bucket(least) + 1 }, (_, at) => ({
    up_to_s: FIRST_BOUND_S * 2 ** (bucket(least) + at),
    documents: counts.get(bucket(least) + at)?.length ?? 0,
  }));
}
