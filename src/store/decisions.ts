import type { VersionLink } from '../works/index.ts';
import type { CorpusStore } from './corpus-store.ts';

export const LABELS = ['included', 'excluded'] as const;
/** The result of screening a work. */
export type Label = (typeof LABELS)[number];

export const PHASES = ['title-abstract', 'full-text'] as const;
export type Phase = (typeof PHASES)[number];

export const CHOICES = ['include', 'exclude', 'maybe'] as const;
export type Choice = (typeof CHOICES)[number];

/** What one reviewer decided about one work. */
export interface ScreeningDecision {
  /** Chosen by the client, so that a decision sent twice is logged once. */
  readonly id: string;
  readonly work: string;
  readonly phase: Phase;
  readonly decision: Choice;
  readonly by: string;
  readonly at: string;
  /** Why the work was excluded. */
  readonly reason: string | null;
  readonly note: string | null;
  /** The version of the protocol at that time; 0 before the first. */
  readonly criteria: number;
  /** The rank of the work among the undecided ones; null if it was not ranked. */
  readonly rank: number | null;
}

/** How a review is done. */
export interface Protocol {
  readonly version: number;
  /** Reviewers that decide about each work, blind to each other. */
  readonly reviewers: number;
  readonly question: string;
  readonly criteria: string;
  /** Reasons to exclude a work that reviewers choose from. */
  readonly reasons: string[];
  /** Words that are marked in titles and abstracts. */
  readonly highlight: string[];
}

/** A line of `decisions.jsonl`: decisions of people about works, and merges of versions, which people can undo. */
export type Decision =
  /** Format before version 0.2. */
  | { readonly kind: 'label'; readonly work: string; readonly label: Label; readonly at: string }
  | ({ readonly kind: 'screened' } & ScreeningDecision)
  /** Undoes one decision. */
  | { readonly kind: 'undone'; readonly of: string; readonly work: string; readonly by: string; readonly at: string }
  | ({ readonly kind: 'protocol'; readonly by: string; readonly at: string } & Protocol)
  /** Starts a random sample of the undecided works; the seed determines their order. */
  | { readonly kind: 'sample'; readonly seed: string; readonly by: string; readonly at: string }
  | ({ readonly kind: 'version'; readonly at: string } & VersionLink)
  /** Without works and filter, the set is deleted. */
  | ({ readonly kind: 'set' } & SavedSet)
  /** A person's value for a table cell; '' means that there is none, null restores the extracted value. */
  | {
      readonly kind: 'cell';
      readonly work: string;
      readonly column: string;
      readonly value: string | null;
      readonly at: string;
    }
  /** Whether a work is the same as another one; overrides what was detected. */
  | {
      readonly kind: 'identity';
      readonly work: string;
      readonly of: string;
      readonly same: boolean;
      readonly at: string;
    }
  /** Undoes or restores one merge of versions, or all merges of a work where `of` is null. */
  | { readonly kind: 'split' | 'merge'; readonly work: string; readonly of: string | null; readonly at: string };

/** The decisions behind a verdict: those not undone, in order. */
export type Standing = Pick<ScreeningDecision, 'decision' | 'by' | 'phase' | 'reason'>;

/**
 * The verdict of one phase. Each reviewer's last decision counts. The first `reviewers` of them must agree; otherwise
 * it is a conflict, which another reviewer's decision settles. With one reviewer the last decision counts. Null while a
 * decision is missing.
 */
export function verdictOf(
  decisions: readonly Standing[],
  reviewers: number,
): { readonly verdict: Choice | 'conflict'; readonly reason: string | null } | null {
  const last = new Map<string, Standing>();
  for (const each of decisions) last.set(each.by, each);
  const all = [...last.values()];
  const [first] = all;
  if (!first || all.length < reviewers) return null;
  const settling = all.slice(reviewers).at(-1);
  const isAgreed = all.slice(0, reviewers).every(({ decision }) => decision === first.decision);
  if (settling && (reviewers === 1 || !isAgreed)) return { verdict: settling.decision, reason: settling.reason };
  if (!isAgreed) return { verdict: 'conflict', reason: null };
  return { verdict: first.decision, reason: all.find(({ reason }) => reason !== null)?.reason ?? null };
}

/** The label of a work: the verdict on the full text if there is one, otherwise that on title and abstract. */
export function labelOf(decisions: readonly Standing[], reviewers: number) {
  for (const phase of PHASES.toReversed()) {
    const found = verdictOf(
      decisions.filter((each) => each.phase === phase),
      reviewers,
    );
    if (found?.verdict === 'include') return { label: 'included', phase, reason: null } as const;
    if (found?.verdict === 'exclude') return { label: 'excluded', phase, reason: found.reason } as const;
  }
  return null;
}

/** A named set of works: a fixed list, or a filter that is run when the set is used. */
export interface SavedSet {
  readonly name: string;
  readonly works: readonly string[] | null;
  readonly filter: string | null;
  readonly at: string;
}

type Screened = ScreeningDecision & { readonly sequence: number };

const ABOUT = 'and (work = ?1 or work in (select id from work_ids where work_ids.work = ?1))';

/** Decisions that were not undone, in their order: all, or those about one work under any of its ids. */
export function screenedRows<C extends keyof Screened>(
  store: CorpusStore,
  columns: readonly C[],
  work?: string,
): IterableIterator<Pick<Screened, C>> {
  const sql = `select ${columns.join(', ')} from screened where undone = 0 ${work === undefined ? '' : ABOUT} order by sequence`;
  return store.iterate<Pick<Screened, C>>(sql, ...(work === undefined ? [] : [work]));
}

export function lastScreened(
  store: CorpusStore,
  by: string,
  phase: Phase | undefined,
): Pick<Screened, 'id' | 'work'> | undefined {
  return store.get(
    'select id, work from screened where by = ?1 and undone = 0 and (?2 is null or phase = ?2) order by sequence desc limit 1',
    by,
    phase ?? null,
  );
}

export function lastProtocol(store: CorpusStore): Protocol | undefined {
  const row = store.get<Protocol & { reasons: string; highlight: string }>(
    'select version, reviewers, question, criteria, reasons, highlight from protocols order by version desc limit 1',
  );
  return (
    row && {
      ...row,
      reasons: JSON.parse(row.reasons) as string[],
      highlight: JSON.parse(row.highlight) as string[],
    }
  );
}

export function lastSample(store: CorpusStore): { readonly seed: string; readonly after: number } | undefined {
  return store.get('select seed, after from samples order by sequence desc limit 1');
}

export function screenableWorks(store: CorpusStore): string[] {
  return store
    .all<{ work: string }>("select work from works where other_version = 0 and outcome <> 'unreadable' order by row")
    .map(({ work }) => work);
}

export function titleOf(store: CorpusStore, work: string): string | null {
  return store.get<{ title: string | null }>('select title from works where work = ?', work)?.title ?? null;
}

/** The work that an id was merged into. */
export function sameWork(store: CorpusStore, id: string): string | undefined {
  return store.get<{ of: string }>('select of from same_works where id = ?', id)?.of;
}
