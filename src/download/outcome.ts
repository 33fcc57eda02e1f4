import type { Hop } from '../http/index.ts';
import type { Work } from '../works/index.ts';
import type { Reason } from './reasons.ts';

export type ArtifactKind = 'pdf' | 'xml' | 'html';

/** A saved file. The path is relative to the run folder. */
export interface Artifact {
  readonly path: string;
  readonly kind: ArtifactKind;
  readonly contentType: string | null;
  readonly sha256: string;
  readonly bytes: number;
}

/** The result of one plan. URLs contain no keys. */
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
  /** Another DOI of this copy, and the evidence that it is the same work. */
  readonly sameAs: string | null;
  readonly evidence: string | null;
  /** 'text-mining' if the file may be mined but not redistributed. */
  readonly terms: string | null;
  readonly reason: Reason;
  readonly detail: string | null;
  readonly startedAt: number;
  readonly durationMs: number;
}

export type WorkOutcome =
  | { readonly kind: 'saved'; readonly artifact: Artifact; readonly attempt: Attempt }
  /** Unavailable: no open copy, a wall, robots.txt, a policy. */
  | { readonly kind: 'skipped'; readonly reason: Reason; readonly detail: string | null; readonly duplicateOf?: string }
  /** Available from `at`. */
  | { readonly kind: 'parked'; readonly reason: Reason; readonly at: number; readonly detail: string | null }
  /** Failed, may succeed later. */
  | { readonly kind: 'failed'; readonly reason: Reason; readonly detail: string | null };

export interface WorkResult {
  readonly work: Work;
  readonly outcome: WorkOutcome;
  /** Resolvers queried, in order. */
  readonly asked: readonly string[];
  readonly attempts: readonly Attempt[];
  readonly problems: readonly { readonly resolver: string; readonly message: string }[];
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The result of a work that ended before any attempt. */
export function unattemptedResult(work: Work, outcome: WorkOutcome, startedAt: number, endedAt: number): WorkResult {
  return { work, outcome, asked: [], attempts: [], problems: [], startedAt, endedAt };
}
