import type { VersionLink } from '../works/index.ts';

export const LABELS = ['included', 'excluded'] as const;
/** What screening comes to for a work. */
export type Label = (typeof LABELS)[number];

/** A line of `decisions.jsonl`: what a person decided about works, and merges of versions, which a person may undo. */
export type Decision =
  | { readonly kind: 'label'; readonly work: string; readonly label: Label; readonly at: string }
  | ({ readonly kind: 'version'; readonly at: string } & VersionLink)
  /** A named choice of works: these, or those that a filter finds when it is used; with neither, the set is deleted. */
  | {
      readonly kind: 'set';
      readonly name: string;
      readonly works: readonly string[] | null;
      readonly filter: string | null;
      readonly at: string;
    }
  /** A person's value for a cell of a table; '' says that there is none, null goes back to what was found. */
  | {
      readonly kind: 'cell';
      readonly work: string;
      readonly column: string;
      readonly value: string | null;
      readonly at: string;
    }
  /** Whether a work is the same as another one, whatever was found out about it. */
  | {
      readonly kind: 'identity';
      readonly work: string;
      readonly of: string;
      readonly same: boolean;
      readonly at: string;
    }
  /** Undoes or restores one merge of versions, or all merges of a work where `of` is null. */
  | { readonly kind: 'split' | 'merge'; readonly work: string; readonly of: string | null; readonly at: string };

/** A named choice of works: these, or those that a filter finds when it is used. */
export interface SavedSet {
  readonly name: string;
  readonly works: readonly string[] | null;
  readonly filter: string | null;
  readonly at: string;
}
