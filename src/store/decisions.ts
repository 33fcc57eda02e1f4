import type { VersionLink } from '../works/index.ts';

export const LABELS = ['included', 'excluded'] as const;
/** What screening comes to for a work. */
export type Label = (typeof LABELS)[number];

/** A line of `decisions.jsonl`: what a person decided about works, and merges of versions, which a person may undo. */
export type Decision =
  | { readonly kind: 'label'; readonly work: string; readonly label: Label; readonly at: string }
  | ({ readonly kind: 'version'; readonly at: string } & VersionLink)
  /** Undoes or restores one merge, or all merges of a work where `of` is null. */
  | { readonly kind: 'split' | 'merge'; readonly work: string; readonly of: string | null; readonly at: string };
