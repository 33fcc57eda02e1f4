import type { Standing } from '../store/index.ts';

/** Agreement of two reviewers before they discussed their decisions. */
export interface Agreement {
  /** Works about which two reviewers have decided. */
  readonly works: number;
  /** The share of them on which the two agreed. */
  readonly agreed: number;
  /** Cohen's kappa: agreement beyond chance; 1 where chance alone explains it fully. */
  readonly kappa: number;
}

/**
 * Agreement on title and abstract, from the first decisions of each work's first two reviewers; null if no work has
 * two.
 */
export function agreementOf(works: Iterable<readonly Standing[]>): Agreement | null {
  const pairs: (readonly [string, string])[] = [];
  for (const decisions of works) {
    const first = new Map<string, string>();
    for (const { by, decision, phase } of decisions)
      if (phase === 'title-abstract' && !first.has(by)) first.set(by, decision);
    const [a, b] = [...first]
      .slice(0, 2)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, decision]) => decision);
    if (first.size >= 2 && a !== undefined && b !== undefined) pairs.push([a, b]);
  }
  if (pairs.length === 0) return null;
  const agreed = pairs.filter(([a, b]) => a === b).length / pairs.length;
  const share = (choice: string, who: 0 | 1): number =>
    pairs.filter((pair) => pair[who] === choice).length / pairs.length;
  const chance = ['include', 'exclude', 'maybe'].reduce((sum, choice) => sum + share(choice, 0) * share(choice, 1), 0);
  return { works: pairs.length, agreed, kappa: chance === 1 ? 1 : (agreed - chance) / (1 - chance) };
}
