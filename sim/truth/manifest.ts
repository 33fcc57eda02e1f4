import { isReason } from './reasons.ts';

/**
 * What `sim verify` reads of a client's manifest: one JSON object per line and work, the last line of a work counts.
 * A client may write more fields; these it must write.
 */
export interface ManifestLine {
  /** The OpenAlex id, short (`W7000000001`) or as URL. */
  readonly work: string;
  readonly outcome: 'saved' | 'failed' | 'parked' | 'skipped';
  /** Why it ended so: a work-level word of the closed list, `success` when saved. */
  readonly reason: string;
  /** These are null unless saved. */
  readonly resolver: string | null;
  readonly url: string | null;
  readonly sha256: string | null;
  readonly license: string | null;
  readonly version: string | null;
  readonly host_type: string | null;
  /** Every URL that was tried as a file or a page, in order, with its plan-level word. */
  readonly attempts: readonly { readonly resolver: string; readonly url: string; readonly reason: string }[];
}

/** A line as a manifest line, or what is wrong with it. */
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
