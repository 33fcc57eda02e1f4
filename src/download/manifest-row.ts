import type { Attempt, WorkResult } from './outcome.ts';
import type { Reason } from './reasons.ts';

/** The version of the row's shape; it changes when a field changes its meaning. */
const SCHEMA = 'contentdownload/1.0.0';

/** One line of `manifest.jsonl`: what came of one work, with everything that was tried. Moments are ISO 8601. */
export interface ManifestRow {
  readonly schema_version: string;
  readonly run_id: string;
  readonly at: string;
  readonly work: string;
  readonly doi: string | null;
  readonly title: string | null;
  readonly outcome: 'saved' | 'failed' | 'parked' | 'skipped';
  readonly reason: Reason;
  readonly detail: string | null;
  readonly resolver: string | null;
  readonly url: string | null;
  readonly final_url: string | null;
  readonly path: string | null;
  readonly kind: string | null;
  readonly content_type: string | null;
  readonly sha256: string | null;
  readonly bytes: number | null;
  readonly license: string | null;
  readonly version: string | null;
  readonly host_type: string | null;
  readonly same_as: string | null;
  readonly terms: string | null;
  readonly retry_at: string | null;
  readonly duration_ms: number;
  /** The resolvers that were asked, in order; those without an attempt knew no URL. Absent in rows of older versions. */
  readonly asked?: readonly string[];
  readonly attempts: readonly AttemptRow[];
  readonly problems: readonly { readonly resolver: string; readonly message: string }[];
}

export interface AttemptRow {
  readonly resolver: string;
  readonly url: string;
  readonly final_url: string;
  readonly chain: readonly { readonly url: string; readonly status: number }[];
  readonly status: number | null;
  readonly bytes: number;
  readonly sha256: string | null;
  readonly kind: string | null;
  readonly license: string | null;
  readonly version: string | null;
  readonly host_type: string | null;
  readonly same_as: string | null;
  readonly evidence: string | null;
  readonly terms: string | null;
  readonly reason: Reason;
  readonly detail: string | null;
  readonly started_at: string;
  readonly duration_ms: number;
}

/** A result as it is written down. */
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
    final_url: won?.attempt.finalUrl ?? null,
    path: won?.artifact.path ?? null,
    kind: won?.artifact.kind ?? null,
    content_type: won?.artifact.contentType ?? null,
    sha256: won?.artifact.sha256 ?? null,
    bytes: won?.artifact.bytes ?? null,
    license: won?.attempt.license ?? null,
    version: won?.attempt.version ?? null,
    host_type: won?.attempt.hostType ?? null,
    same_as: won?.attempt.sameAs ?? null,
    terms: won?.attempt.terms ?? null,
    retry_at: outcome.kind === 'parked' ? new Date(outcome.at).toISOString() : null,
    duration_ms: Math.round(result.endedAt - result.startedAt),
    asked: result.asked,
    attempts: result.attempts.map(attemptRow),
    problems: result.problems,
  };
}

function attemptRow(attempt: Attempt): AttemptRow {
  return {
    resolver: attempt.resolver,
    url: attempt.url,
    final_url: attempt.finalUrl,
    chain: attempt.chain,
    status: attempt.status,
    bytes: attempt.bytes,
    sha256: attempt.sha256,
    kind: attempt.kind,
    license: attempt.license,
    version: attempt.version,
    host_type: attempt.hostType,
    same_as: attempt.sameAs,
    evidence: attempt.evidence,
    terms: attempt.terms,
    reason: attempt.reason,
    detail: attempt.detail,
    started_at: new Date(attempt.startedAt).toISOString(),
    duration_ms: Math.round(attempt.durationMs),
  };
}
