import type { ManifestRow } from '../../download/index.ts';
import { sentenceOf } from '../../corpus/index.ts';

/** One attempt at a work. */
export function triedOf(run: string, row: ManifestRow): Record<string, unknown> {
  return {
    run,
    at: row.at,
    outcome: row.outcome,
    reason: row.reason,
    sentence: sentenceOf(row.reason),
    detail: row.detail,
    resolver: row.resolver,
    url: row.final_url ?? row.url,
    file: row.path,
    attempts: row.attempts.map(({ resolver, url, status, reason, bytes, duration_ms, started_at }) => ({
      resolver,
      host: URL.parse(url)?.host ?? '',
      url,
      status,
      reason,
      sentence: sentenceOf(reason),
      bytes,
      duration_ms,
      started_at,
    })),
  };
}
