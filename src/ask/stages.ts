import type { CorpusStore } from '../store/index.ts';

const STAGES = [
  ['doctags', 'parsed'],
  ['chunk', 'chunked'],
  ['embed', 'embedded'],
] as const;
const SLOWEST = 5;
const MOST_FAILURES = 100;
/** Bounds of the buckets: from 0.01 s, each twice the previous one. */
const FIRST_BOUND_S = 0.01;
const MOST_BUCKETS = 30;

/** The outcomes and times of a stage, by documents. */
export interface StageTimes {
  readonly name: string;
  readonly succeeded: number;
  readonly failed: number;
  /** Finished before this program logged it. */
  readonly skipped: number;
  readonly needs_ocr: number;
  readonly median_s: number;
  readonly p95_s: number;
  readonly max_s: number;
  readonly histogram: readonly { readonly up_to_s: number; readonly documents: number }[];
  readonly slowest: readonly { readonly document: string; readonly seconds: number }[];
  readonly categories: Readonly<Record<string, number>>;
  readonly failures: readonly { readonly document: string; readonly category: string; readonly message: string }[];
}

/** The times of the stages, from the last outcome of each document; stages without outcomes are omitted. */
export function stageTimes(store: CorpusStore): StageTimes[] {
  return STAGES.flatMap(([name, step]) => {
    const counts = new Map(
      store
        .all<{ status: string; n: number }>(
          `select case when ${step} = 'success' and ${step}_s is null then 'skipped' else ${step} end as status, count(*) as n
           from documents where ${step} <> '' group by 1`,
        )
        .map(({ status, n }) => [status, n]),
    );
    if (counts.size === 0) return [];
    const good = store.all<{ document: string; seconds: number }>(
      `select id as document, ${step}_s as seconds from documents where ${step} = 'success' and ${step}_s is not null order by ${step}_s, id`,
    );
    const seconds = good.map((row) => row.seconds);
    const share = (part: number): number =>
      seconds[Math.min(seconds.length - 1, Math.floor(part * seconds.length))] ?? 0;
    const failed = `from documents where ${step} = 'failure'`;
    return [
      {
        name,
        succeeded: good.length,
        failed: counts.get('failure') ?? 0,
        skipped: counts.get('skipped') ?? 0,
        needs_ocr: counts.get('needs-ocr') ?? 0,
        median_s: share(0.5),
        p95_s: share(0.95),
        max_s: share(1),
        histogram: histogram(seconds),
        slowest: good.slice(-SLOWEST).toReversed(),
        categories: Object.fromEntries(
          store
            .all<{ category: string; n: number }>(
              `select coalesce(${step}_category, 'unknown') as category, count(*) as n ${failed} group by 1 order by 2 desc, 1`,
            )
            .map(({ category, n }) => [category, n]),
        ),
        failures: store.all<{ document: string; category: string; message: string }>(
          `select id as document, coalesce(${step}_category, 'unknown') as category, substr(coalesce(${step}_failure, ''), 1, 400) as message
           ${failed} order by id limit ${MOST_FAILURES}`,
        ),
      },
    ];
  });
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
