import * as z from 'zod';

import type { Work } from '../works/index.ts';
import type { Reason } from './reasons.ts';

/** Version of the row format; changes when a field changes its meaning. */
const SCHEMA = 'contentdownload/1.0.0';

const text = z.string().nullable().default(null);
const amount = z.number().min(0);
const moment = z.iso.datetime({ offset: true });
const reason = z.custom<Reason>((value) => typeof value === 'string');

/** URLs contain no keys. */
const ATTEMPT_ROW = z
  .looseObject({
    resolver: z.string(),
    url: z.string(),
    final_url: z.string(),
    chain: z.array(z.object({ url: z.string(), status: z.number() })).readonly(),
    status: z.number().nullable(),
    bytes: amount,
    sha256: text,
    kind: text,
    license: text,
    version: text,
    host_type: text,
    /** Another DOI of this copy, and the evidence that it is the same work. */
    same_as: text,
    evidence: text,
    /** 'text-mining' if the file may be mined but not redistributed. */
    terms: text,
    reason,
    detail: text,
    started_at: moment,
    duration_ms: amount,
  })
  .readonly();

const MANIFEST_ROW = z
  .looseObject({
    schema_version: text,
    run_id: z.string(),
    at: moment,
    work: z.string().min(1).max(2_000),
    doi: text,
    title: text,
    outcome: z.enum(['saved', 'failed', 'parked', 'skipped']),
    reason,
    detail: text,
    resolver: text,
    url: text,
    final_url: text,
    path: text,
    kind: text,
    content_type: text,
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .nullable()
      .default(null),
    bytes: amount.nullable().default(null),
    license: text,
    version: text,
    host_type: text,
    same_as: text,
    /** The work this one duplicates, if the reason is `duplicate`. */
    duplicate_of: text.optional(),
    terms: text,
    retry_at: moment.nullable().default(null),
    duration_ms: amount.default(0),
    /** Resolvers queried, in order; those without an attempt knew no URL. Missing in older rows. */
    asked: z.array(z.string()).readonly().optional(),
    attempts: z.array(ATTEMPT_ROW).readonly(),
    problems: z.array(z.object({ resolver: z.string(), message: z.string() })).readonly(),
  })
  .readonly();

/** One line of `manifest.jsonl`: a work's outcome and its attempts. Times are ISO 8601. */
export type ManifestRow = z.infer<typeof MANIFEST_ROW>;
export type AttemptRow = z.infer<typeof ATTEMPT_ROW>;

/** Parses a row that another program or machine may have written. */
export function parseManifestRow(
  value: unknown,
): { readonly row: ManifestRow } | { readonly row: undefined; readonly problem: string } {
  const parsed = MANIFEST_ROW.safeParse(value);
  if (parsed.success) return { row: parsed.data };
  const [issue] = parsed.error.issues;
  return {
    row: undefined,
    problem: `not a row of a manifest (${[...(issue?.path ?? []), issue?.message].join(': ')})`,
  };
}

export function manifestRow(result: WorkResult, runId: string): ManifestRow {
  const { work, outcome } = result;
  const won = outcome.kind === 'saved' ? outcome : undefined;
  return {
    schema_version: SCHEMA,
    run_id: runId,
    at: new Date(result.endedAt).toISOString(),
    work: work.id,
    doi: work.ids.doi,
    title: work.title,
    outcome: outcome.kind,
    reason: outcome.kind === 'saved' ? 'success' : outcome.reason,
    detail: outcome.kind === 'saved' ? null : outcome.detail,
    resolver: won?.attempt.resolver ?? null,
    url: won?.attempt.url ?? null,
    final_url: won?.attempt.final_url ?? null,
    path: won?.artifact.path ?? null,
    kind: won?.artifact.kind ?? null,
    content_type: won?.artifact.contentType ?? null,
    sha256: won?.artifact.sha256 ?? null,
    bytes: won?.artifact.bytes ?? null,
    license: won?.attempt.license ?? null,
    version: won?.attempt.version ?? null,
    host_type: won?.attempt.host_type ?? null,
    same_as: won?.attempt.same_as ?? null,
    ...(outcome.kind === 'skipped' && outcome.duplicateOf !== undefined && { duplicate_of: outcome.duplicateOf }),
    terms: won?.attempt.terms ?? null,
    retry_at: outcome.kind === 'parked' ? new Date(outcome.at).toISOString() : null,
    duration_ms: Math.round(result.endedAt - result.startedAt),
    asked: result.asked,
    attempts: result.attempts,
    problems: result.problems,
  };
}

export type ArtifactKind = 'pdf' | 'xml' | 'html';

/** `path` is relative to the run folder. */
export interface Artifact {
  readonly path: string;
  readonly kind: ArtifactKind;
  readonly contentType: string | null;
  readonly sha256: string;
  readonly bytes: number;
}

export type WorkOutcome =
  | { readonly kind: 'saved'; readonly artifact: Artifact; readonly attempt: AttemptRow }
  /** Unavailable: no open copy, a wall, robots.txt, a policy. */
  | { readonly kind: 'skipped'; readonly reason: Reason; readonly detail: string | null; readonly duplicateOf?: string }
  | { readonly kind: 'parked'; readonly reason: Reason; readonly at: number; readonly detail: string | null }
  | { readonly kind: 'failed'; readonly reason: Reason; readonly detail: string | null };

export interface WorkResult {
  readonly work: Work;
  readonly outcome: WorkOutcome;
  readonly asked: readonly string[];
  readonly attempts: readonly AttemptRow[];
  readonly problems: readonly { readonly resolver: string; readonly message: string }[];
  readonly startedAt: number;
  readonly endedAt: number;
}

export function unattemptedResult(work: Work, outcome: WorkOutcome, startedAt: number, endedAt: number): WorkResult {
  return { work, outcome, asked: [], attempts: [], problems: [], startedAt, endedAt };
}
