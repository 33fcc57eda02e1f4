import { isReason } from './reasons.ts';
import type { TruthLine } from './truth-lines.ts';

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

export const ASPECTS = [
  'works',
  'outcome',
  'reason',
  'resolver',
  'hash',
  'license',
  'version',
  'host_type',
  'attempts',
] as const;
export type Aspect = (typeof ASPECTS)[number];

interface Difference {
  readonly work: string;
  readonly aspect: Aspect;
  readonly expected: string;
  readonly found: string;
}

export interface Verification {
  readonly works: number;
  readonly differences: readonly Difference[];
  /** Confusion matrix of expected and found outcomes. */
  readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Compares a manifest with the expected results; `scope` limits it to some works, for clients that stopped early. */
export function verify(
  truth: Iterable<TruthLine>,
  manifest: ReadonlyMap<string, ManifestLine>,
  options: { readonly aspects?: readonly Aspect[]; readonly scope?: 'all' | 'manifest' } = {},
): Verification {
  const aspects = new Set(options.aspects ?? ASPECTS);
  const differences: Difference[] = [];
  const confusion: Record<string, Record<string, number>> = {};
  const unseen = new Set(manifest.keys());
  let works = 0;
  let budgetSaved = 0;
  for (const expected of truth) {
    const found = manifest.get(expected.work);
    if (!found && options.scope === 'manifest') continue;
    works += 1;
    unseen.delete(expected.work);
    const row = (confusion[cell(expected)] ??= {});
    const column = found ? cell(found) : 'missing';
    row[column] = (row[column] ?? 0) + 1;
    if (!found) {
      differences.push({ work: expected.work, aspect: 'works', expected: expected.outcome, found: 'missing' });
      continue;
    }
    if (expected.budget_dependent) {
      // Which works get the last credits depends on order; their number does not.
      budgetSaved += (found.outcome === 'saved' ? 1 : 0) - (expected.outcome === 'saved' ? 1 : 0);
      continue;
    }
    differences.push(...compare(expected, found));
  }
  for (const work of unseen) differences.push({ work, aspect: 'works', expected: 'no such work', found: 'listed' });
  if (budgetSaved !== 0)
    differences.push({
      work: '(budget)',
      aspect: 'works',
      expected: 'as many as the budget allows',
      found: `${budgetSaved > 0 ? '+' : ''}${budgetSaved}`,
    });
  return { works, differences: differences.filter(({ aspect }) => aspects.has(aspect)), confusion };
}

function cell(line: Pick<TruthLine | ManifestLine, 'outcome' | 'resolver'>): string {
  return line.outcome === 'saved' ? `saved:${line.resolver}` : line.outcome;
}

function* compare(expected: TruthLine, found: ManifestLine): Generator<Difference> {
  const differ = (aspect: Aspect, wanted: string, got: string): Difference => ({
    work: expected.work,
    aspect,
    expected: wanted,
    found: got,
  });
  // Transient failures are retried while attempts are left.
  const isTriedAgain = found.outcome === 'parked' && expected.outcome === 'failed' && expected.reason === found.reason;
  if (expected.outcome !== found.outcome && !isTriedAgain) yield differ('outcome', expected.outcome, found.outcome);
  if (expected.reason !== found.reason) yield differ('reason', expected.reason, found.reason);
  if (expected.outcome === 'saved' && found.outcome === 'saved') {
    if (expected.resolver !== found.resolver)
      yield differ('resolver', String(expected.resolver), String(found.resolver));
    if (!expected.sha256.includes(found.sha256 ?? ''))
      yield differ('hash', expected.sha256.join(' or '), String(found.sha256));
    if (!expected.licenses.includes(found.license))
      yield differ('license', expected.licenses.join(' or '), String(found.license));
    if (!expected.versions.includes(found.version))
      yield differ('version', expected.versions.join(' or '), String(found.version));
    if (!expected.host_types.some((type) => type === found.host_type))
      yield differ('host_type', expected.host_types.join(' or '), String(found.host_type));
  }
  const wanted = expected.attempts.map(({ resolver, reason }) => `${resolver}:${reason}`).join(' ');
  const got = found.attempts.map(({ resolver, reason }) => `${resolver}:${reason}`).join(' ');
  if (wanted !== got) yield differ('attempts', wanted, got);
}
