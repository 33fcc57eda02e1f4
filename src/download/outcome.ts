import type { Hop } from '../http/index.ts';
import type { Work } from '../works/index.ts';
import type { Reason } from './reasons.ts';

/** What kind of document was kept. */
export type ArtifactKind = 'pdf' | 'xml' | 'html';

/** A kept file. The path is relative to the folder of the run. */
export interface Artifact {
  readonly path: string;
  readonly kind: ArtifactKind;
  readonly contentType: string | null;
  readonly sha256: string;
  readonly bytes: number;
}

/** What came of one plan. URLs carry no keys. */
export interface Attempt {
  readonly resolver: string;
  readonly url: string;
  readonly finalUrl: string;
  readonly chain: readonly Hop[];
  readonly status: number | null;
  readonly bytes: number;
  readonly sha256: string | null;
  readonly kind: string | null;
  readonly license: string | null;
  readonly version: string | null;
  readonly hostType: string | null;
  /** Another DOI that the copy goes by, and why it is believed to be the work's. */
  readonly sameAs: string | null;
  readonly evidence: string | null;
  /** 'text-mining' where the file may be mined and not passed on. */
  readonly terms: string | null;
  readonly reason: Reason;
  readonly detail: string | null;
  readonly startedAt: number;
  readonly durationMs: number;
}

/** What came of a work. */
export type WorkOutcome =
  | { readonly kind: 'saved'; readonly artifact: Artifact; readonly attempt: Attempt }
  /** Unavailable: no open copy, a wall, robots.txt, a policy. */
  | { readonly kind: 'skipped'; readonly reason: Reason; readonly detail: string | null; readonly duplicateOf?: string }
  /** It may be had from `at` on. */
  | { readonly kind: 'parked'; readonly reason: Reason; readonly at: number; readonly detail: string | null }
  /** Something failed, and may work another time. */
  | { readonly kind: 'failed'; readonly reason: Reason; readonly detail: string | null };

/** A work with all that was tried for it. */
export interface WorkResult {
  readonly work: Work;
  readonly outcome: WorkOutcome;
  /** The resolvers that were asked, in order. */
  readonly asked: readonly string[];
  readonly attempts: readonly Attempt[];
  /** What resolvers said when they could not answer. */
  readonly problems: readonly { readonly resolver: string; readonly message: string }[];
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A work that was lost before anybody was asked for it. */
export function unattemptedResult(work: Work, outcome: WorkOutcome, startedAt: number, endedAt: number): WorkResult {
  return { work, outcome, asked: [], attempts: [], problems: [], startedAt, endedAt };
}
