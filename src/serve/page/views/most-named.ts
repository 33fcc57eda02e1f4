import { analyse } from '../../../parse/terms/index.ts';

const MOST_NAMES = 12;

/** A name in the papers, and in how many works it is. */
export interface Named {
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly count: number | null;
}

/** Names with the words as they are before others, then the most often named, each once: a term may be an organism too. */
export function mostNamed(rows: readonly Named[], q: string): readonly Named[] {
  const terms = analyse(q);
  const isWhole = ({ label }: Named): boolean => {
    const own = new Set(analyse(label));
    return terms.every((term) => own.has(term));
  };
  const whole = new Set(rows.filter(isWhole));
  const sorted = rows.toSorted(
    (a, b) => Number(whole.has(b)) - Number(whole.has(a)) || (b.count ?? 0) - (a.count ?? 0),
  );
  const seen = new Set<string>();
  return sorted
    .filter(({ label }) => !seen.has(label.toLowerCase()) && seen.add(label.toLowerCase()))
    .slice(0, MOST_NAMES);
}
