import type { ExpectedWork } from './outcome.ts';
import { expectedOutcome } from './outcome.ts';
import type { Policy } from './policy.ts';
import { retractionWatchCsv } from '../world/month.ts';
import type { MonthEvent } from '../world/month.ts';
import type { World } from '../world/world.ts';

/** What changed in a world's month, by sorted work ids. */
export interface MonthTruth {
  readonly new_works: readonly string[];
  readonly opened: readonly string[];
  /** Obtainable now for a correct client, but not before. */
  readonly fetched: readonly string[];
  readonly new_versions: readonly string[];
  readonly retracted: readonly string[];
  readonly reinstated: readonly string[];
  readonly corrected: readonly string[];
}

const PARTS: Readonly<Partial<Record<MonthEvent, keyof MonthTruth>>> = {
  appears: 'new_works',
  opens: 'opened',
  published: 'new_versions',
  improved: 'new_versions',
  revised: 'new_versions',
  retracted: 'retracted',
  'retracted-crossref': 'retracted',
  'retracted-watch': 'retracted',
  'retracted-notice': 'retracted',
  reinstated: 'reinstated',
  corrected: 'corrected',
  'of-concern': 'corrected',
  'corrected-watch': 'corrected',
};

/** What a correct client must report that saw the world before and after its month. */
export function monthTruth(before: World, after: World, policy: Policy): MonthTruth {
  const savedFrom = (works: readonly ExpectedWork[]): Map<string, string> =>
    new Map(works.flatMap(({ work, winner }) => (winner ? [[work.id, winner.plan.url]] : [])));
  const works = expectedOutcome(after, policy);
  const [earlier, now] = [savedFrom(expectedOutcome(before, policy)), savedFrom(works)];
  // A new arXiv version matters only if the previous one was downloaded from there.
  const isUnnoticed = (event: MonthEvent, id: string): boolean =>
    event === 'revised' && !/^https?:\/\/(?:export\.)?arxiv\.org[./:]/.test(earlier.get(id) ?? '');
  const parts = Map.groupBy(works, ({ work: { index, id } }) => {
    const event = after.event(index);
    return isUnnoticed(event, id) ? undefined : PARTS[event];
  });
  const idsOf = (part: keyof MonthTruth): string[] => (parts.get(part) ?? []).map(({ work }) => work.id).toSorted();
  return {
    new_works: idsOf('new_works'),
    opened: idsOf('opened'),
    fetched: [...now.keys()].filter((id) => !earlier.has(id)).toSorted(),
    new_versions: idsOf('new_versions'),
    retracted: idsOf('retracted'),
    reinstated: idsOf('reinstated'),
    corrected: idsOf('corrected'),
  };
}

export function retractionWatch(after: World): string {
  return retractionWatchCsv([...after.works()].map((work) => ({ work, event: after.event(work.index) })));
}
