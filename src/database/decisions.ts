import type { VersionLink } from '../works/index.ts';

export const LABELS = ['included', 'excluded'] as const;
export type Label = (typeof LABELS)[number];

export const PHASES = ['title-abstract', 'full-text'] as const;
export type Phase = (typeof PHASES)[number];

export const CHOICES = ['include', 'exclude', 'maybe'] as const;
export type Choice = (typeof CHOICES)[number];

export interface ScreeningDecision {
  /** Chosen by the client, so that a decision sent twice is logged once. */
  readonly id: string;
  readonly work: string;
  readonly phase: Phase;
  readonly decision: Choice;
  readonly by: string;
  readonly at: string;
  /** Why a work was excluded. */
  readonly reason: string | null;
  readonly note: string | null;
  /** The version of the protocol at that time; 0 before the first. */
  readonly criteria: number;
  /** The rank of the work among the undecided ones; null if it was not ranked. */
  readonly rank: number | null;
}

export interface Protocol {
  readonly version: number;
  /** Reviewers that decide about each work, blind to each other. */
  readonly reviewers: number;
  readonly question: string;
  readonly criteria: string;
  /** Reviewers choose from these. */
  readonly reasons: string[];
  /** Marked in titles and abstracts. */
  readonly highlight: string[];
}

/** A line of `decisions.jsonl`: decisions of people about works, and merges of versions, which people can undo. */
export type Decision =
  /** Format before version 0.2. */
  | { readonly kind: 'label'; readonly work: string; readonly label: Label; readonly at: string }
  | ({ readonly kind: 'screened' } & ScreeningDecision)
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
  /** A note as it is now: a later line with its id replaces it. */
  | ({ readonly kind: 'note' } & Note)
  /** Whether two works are the same; overrides what was detected. */
  | {
      readonly kind: 'identity';
      readonly work: string;
      readonly of: string;
      readonly same: boolean;
      readonly at: string;
    }
  /** Whether two nodes of the graph are one; the last line about them counts. */
  | {
      readonly kind: 'same-node';
      readonly node: string;
      readonly of: string;
      readonly same: boolean;
      readonly at: string;
    }
  /** Whether what papers print as `name` is another thing than the node that they were taken for. */
  | {
      readonly kind: 'other-node';
      readonly node: string;
      readonly name: string;
      readonly other: boolean;
      readonly at: string;
    }
  /** Undoes or restores one merge of versions, or all merges of a work where `of` is null. */
  | { readonly kind: 'split' | 'merge'; readonly work: string; readonly of: string | null; readonly at: string };

/** A decision that was not undone. */
export type Standing = Pick<ScreeningDecision, 'decision' | 'by' | 'phase' | 'reason'>;

/**
 * The verdict of one phase; null while a decision is missing. Each reviewer's last decision counts. If the first
 * `reviewers` of them disagree it is a conflict, which a further reviewer settles.
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

/** The verdict on the full text counts; without one, that on title and abstract. */
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

/** What a person wrote beside a paper, or a sentence that a person marked in it. */
export interface Note {
  /** Chosen by whoever writes it, so that a note sent twice is one note. */
  readonly id: string;
  /** The id of the work. */
  readonly work: string;
  /** The document in which it was written; null for a note about the work itself. */
  readonly document: string | null;
  /** The page of the quote, starting at 1. */
  readonly page: number | null;
  /** The words of the paper that it is about. */
  readonly quote: string | null;
  /** Empty where only the quote was marked. */
  readonly text: string;
  /** Who wrote it last. */
  readonly by: string;
  /** When it was last changed. */
  readonly at: string;
  /** A removed note can be restored. */
  readonly removed: boolean;
}
