import { foldCase, lettersOf } from './letters.ts';

/** Initials behind a family name, as Vancouver style and PubMed print them: "LJ", "J.-P.", "A B". */
const TRAILING_INITIALS = /^(?<family>.*\S)\s+(?:(?:\p{Lu}\p{Ll}?[.-]{0,2}\s?){1,4})(?:\s+(?:Jr|Sr|II|III|IV)\.?)?$/u;
const SUFFIX = /(?<![,\s])[,\s]+(?:Jr|Sr|II|III|IV|PhD|MD)\.?$/u;
const PARTICLES: ReadonlySet<string> = new Set(
  'van von der den de del della di da dos das du la le les el al ben bin ibn ter ten zu zum zur af av st san mac'.split(
    ' ',
  ),
);

/** The letters of an author's family name, whichever way round the name is written; empty when there is none. */
export function surnameOf(author: string): string {
  const name = author.trim().replace(SUFFIX, '');
  const comma = name.indexOf(',');
  if (comma > 0) return lettersOf(name.slice(0, comma));
  const words = name.split(/\s+/);
  const last = words.at(-1) ?? '';
  // "Seidman LJ": the last word is initials; "Lee Wu" is a given name and a family name.
  if (words.length > 1 && /^(?:\p{Lu}[.-]?){1,4}$/u.test(last) && last !== name.toUpperCase()) {
    const family = TRAILING_INITIALS.exec(name)?.groups?.['family'] ?? words.slice(0, -1).join(' ');
    return lettersOf(withoutInitials(family));
  }
  let start = words.length - 1;
  while (start > 1 && PARTICLES.has(foldCase(words[start - 1] ?? ''))) start -= 1;
  return lettersOf(words.slice(start).join(' '));
}

function withoutInitials(family: string): string {
  const words = family.split(/\s+/);
  while (words.length > 1 && /^(?:\p{Lu}[.-]?){1,3}$/u.test(words.at(-1) ?? '')) words.pop();
  return words.join(' ');
}
