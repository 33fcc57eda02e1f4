import type { CitedHit } from '../corpus/index.ts';

/** Passages of an abstract that are read. */
const MOST_PASSAGES = 2;
const ASIDE: ReadonlySet<string> = new Set(['front', 'references', 'back']);

/** The abstract of a paper, else what its text begins with. */
export function abstractOf(passages: readonly CitedHit[]): CitedHit[] {
  const own = passages.filter(({ passage }) => passage.section === 'abstract');
  const text = passages.filter(({ passage }) => !ASIDE.has(passage.section));
  return own.length > 0 ? own.slice(0, MOST_PASSAGES) : text.slice(0, 1);
}

/** Three words in small letters: names and addresses have none. */
export const PROSE = /(?<!\p{L})\p{Ll}{2,} \p{Ll}{2,} \p{Ll}{2,}(?!\p{L})/u;
