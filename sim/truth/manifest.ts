import { isReason } from './reasons.ts';

/**
 * The fields `sim verify` reads from a client's manifest: one JSON object per line and work; the last line of a work
 * counts. Other fields are allowed.
 */
export interface ManifestLine {
  /** OpenAlex id, short (`W7000000001`) or as URL. */
  readonly work: string;
  readonly outcome: 'saved' | 'failed' | 'parked' | 'skipped';
  /** A work-level reason; `success` if saved. */
  readonly reason: string;
  /** Null unless saved. */
  readonly resolver: string | null;
  readonly url: string | null;
  readonly sha256: string | null;
  readonly license: string | null;
  readonly version: string | null;
  readonly host_type: string | null;
  /** Every URL tried as a file or page, in order, with its plan-level reason. */
  readonly attempts: readonly { readonly resolver: string; readonly url: string; readonly reason: string }[];
}

/** Parses a manifest line, or returns what is wrong with it. */
export function parseManifestLine(value: unknown): ManifestLine | { readonly fault: string } {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return { fault: 'not an object' };
  const record = value as Record<string, unknown>;
  if (typeof record['work'] !== 'string') return { fault: 'work is missing' };
  if (!['saved', 'failed', 'parked', 'skipped'].includes(String(record['outcome'])))
    return { fault: `outcome "${String(record['outcome'])}" is none of saved, failed, parked, skipped` };
  if (!isReason(record['reason'])) return { fault: `reason "${String(record['reason'])}" is not in the closed list` };
  for (const field of ['resolver', 'url', 'sha256', 'license', 'version', 'host_type'])
    if (record[field] !== null && typeof record[field] !== 'string')
      return { fault: `${field} must be a string or null` };
  if (!Array.isArray(record['attempts'])) return { fault: 'attempts is missing' };
  for (const attempt of record['attempts'] as readonly Record<string, unknown>[]) {
    if (typeof attempt['resolver'] !== 'string' || typeof attempt['url'] !== 'string')
      return { fault: 'an attempt lacks resolver or url' };
    if (!isReason(attempt['reason']))
      return { fault: `an attempt's reason "${String(attempt['reason'])}" is not in the closed list` };
  }
  return { ...(record as unknown as ManifestLine), work: record['work'].replace(/^https?:\/\/openalex\.org\//i, '') };
}
