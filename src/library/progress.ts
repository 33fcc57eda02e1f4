import type { CorpusStore } from '../database/index.ts';
import { STEPS } from '../database/index.ts';

const STEP_NAMES = Object.values(STEPS);
type StepName = (typeof STEP_NAMES)[number];

/** How far a corpus was at a moment: works that had an outcome, full texts, and documents through each stage. */
export type Progress = { readonly at: number } & Readonly<Record<'works' | 'saved' | StepName, number>>;

/** Moments that are told apart; a screen is not much wider. */
const MOST_POINTS = 400;

const ENDS = `select unixepoch(at) as at, 'works' as name from last_outcomes where at <> ''
  union all select unixepoch(at), 'saved' from last_outcomes where at <> '' and outcome = 'saved'
  union all select unixepoch(at), step from document_steps where at <> '' and ended <> 'failure'`;

/** A corpus over time, from its logs, from the first outcome to the last one. */
export function progressOf(store: CorpusStore): Progress[] {
  const range = store.get<{ first: number | null; last: number | null }>(
    `select min(at) as first, max(at) as last from (${ENDS})`,
  );
  if (!range || range.first === null || range.last === null) return [];
  const { first, last } = range;
  const width = Math.max(1, Math.ceil((last - first + 1) / MOST_POINTS));
  const rows = store.all<{ place: number; name: keyof Omit<Progress, 'at'>; ends: number }>(
    `select cast((at - :first) / :width as integer) as place, name, count(*) as ends from (${ENDS}) group by 1, 2 order by 1`,
    { first, width },
  );
  let now: Progress = { at: first * 1_000, works: 0, saved: 0, parsed: 0, chunked: 0, embedded: 0 };
  const points: Progress[] = [now];
  for (const [place, ended] of Map.groupBy(rows, (row) => row.place)) {
    // At the end of its slice.
    now = { ...now, at: Math.min(last, first + (place + 1) * width) * 1_000 };
    for (const { name, ends } of ended) now = { ...now, [name]: now[name] + ends };
    points.push(now);
  }
  return points;
}
