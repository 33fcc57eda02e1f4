import type { ManifestLine } from './manifest.ts';
import type { TruthLine } from './truth-lines.ts';

/** What can differ between a manifest and the expected results. */
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
