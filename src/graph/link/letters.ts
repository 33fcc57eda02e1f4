import { foldCase, lettersOf } from '../../base/index.ts';

export function lettersWithPlaces(text: string): { readonly letters: string; readonly places: Int32Array } {
  const parts: string[] = [];
  const places: number[] = [];
  let at = 0;
  for (const character of text) {
    const folded = lettersOf(character);
    if (folded !== '') {
      parts.push(folded);
      for (let each = 0; each < folded.length; each += 1) places.push(at);
    }
    at += character.length;
  }
  return { letters: parts.join(''), places: Int32Array.from(places) };
}

const GRAM = 9;
/** The least of so many hashes is chosen: texts that share GRAM + WINDOW - 1 letters share a fingerprint. */
const WINDOW = 18;

/** Winnowing (Schleimer, Wilkerson, Aiken 2003): texts with a long stretch in common share a fingerprint. */
export function fingerprints(letters: string): Set<string> {
  const rows = letters.length - GRAM + 1;
  const chosen = new Set<string>();
  if (rows < 1) return chosen;
  const hashes = new Uint32Array(rows);
  for (let at = 0; at < rows; at += 1) hashes[at] = hashOf(letters, at);
  const windows = Math.max(1, rows - WINDOW + 1);
  let last = -1;
  for (let start = 0; start < windows; start += 1) {
    let least = start;
    for (let at = start + 1; at < Math.min(rows, start + WINDOW); at += 1)
      if ((hashes[at] ?? 0) <= (hashes[least] ?? 0)) least = at;
    if (least !== last) chosen.add(letters.slice(least, least + GRAM));
    last = least;
  }
  return chosen;
}

/** FNV-1a of one n-gram. */
function hashOf(letters: string, from: number): number {
  let value = 0x81_1c_9d_c5;
  for (let at = from; at < from + GRAM; at += 1) value = Math.imul(value ^ letters.charCodeAt(at), 0x01_00_01_93);
  return value >>> 0;
}

/** Initials behind a family name, as Vancouver style and PubMed print them: "LJ", "J.-P.", "A B". */
const TRAILING_INITIALS = /^(?<family>.*\S)\s+(?:(?:\p{Lu}\p{Ll}?[.-]{0,2}\s?){1,4})(?:\s+(?:Jr|Sr|II|III|IV)\.?)?$/u;
const SUFFIX = /(?<![,\s])[,\s]+(?:Jr|Sr|II|III|IV|PhD|MD)\.?$/u;
const PARTICLES: ReadonlySet<string> = new Set(
  'van von der den de del della di da dos das du la le les el al ben bin ibn ter ten zu zum zur af av st san mac'.split(
    ' ',
  ),
);

/** The letters of an author's family name, in either order of names; empty when there is none. */
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
