import type { Stretch } from '../../parse/index.ts';
import { wordsIn } from '../../base/index.ts';
import type { Block } from '../../parse/index.ts';
import type { ListedReference } from './reference-list.ts';

/** A place in the text that cites entries of the reference list. */
export interface Callout extends Stretch {
  readonly block: number;
  /** Positions in the list, from 1. */
  readonly references: readonly number[];
  /** Cited as well: the entries inside a range, or the others under the same link. */
  readonly further: readonly number[];
}

/** A year with its letter; "n.d.", "n.d.-a" of an entry without a date. */
const YEAR =
  /(?<![\d.\-–/])(?<year>1[6-9]\d\d|20\d\d)(?<letter>[a-z](?![\p{L}]))?(?![\d%])(?!\.\d)|(?<![\p{L}.])n\.\s?d\.(?:-(?<undated>[a-z])(?!\p{L}))?/gu;
/** Further letters and years behind a year: "2001a, b", "2001, 2003". */
const LETTERS = /^(?:\s?(?:,|;|&|and)\s?(?<letter>[a-z])(?![\p{L}\d]))/u;
const SAME_NAMES = /^\s?(?:[,;]|,?\sand|&)\s?\(?$/u;
const UNDATED = /\(n\.\s?d\./u;
const LOOK_BACK = 120;
const MOST_INITIALS = 4;

interface Named {
  readonly references: readonly ListedReference[];
  /** Where the names begin. */
  readonly start: number;
}

export function authorYearCallouts(blocks: readonly Block[], references: readonly ListedReference[]): Callout[] {
  const byYear = Map.groupBy(
    references.filter(({ parsed, text }) => parsed.year !== null || UNDATED.test(text)),
    ({ parsed }) => parsed.year ?? 0,
  );
  const found: Callout[] = [];
  for (const block of blocks) {
    let previous: { readonly end: number; readonly named: Named } | undefined;
    for (const match of block.text.matchAll(YEAR)) {
      const year = Number(match.groups?.['year'] ?? 0);
      const letter = match.groups?.['letter'] ?? match.groups?.['undated'] ?? '';
      const end = match.index + match[0].length;
      const candidates = byYear.get(year) ?? [];
      const between: string | undefined = previous && block.text.slice(previous.end, match.index);
      let named = namedBefore(block.text, match.index, candidates);
      let start = named?.start ?? match.index;
      if (!named && previous && between !== undefined && SAME_NAMES.test(between)) {
        const first = previous.named.references[0];
        const same = candidates.filter((each) => each.surnames[0] === first?.surnames[0]);
        if (same.length > 0) named = { references: closest(same, first), start: match.index };
        start = match.index;
      }
      if (!named) {
        previous = undefined;
        continue;
      }
      const chosen = byLetter(named.references, letter);
      if (!chosen) continue;
      const closed =
        block.text.slice(match.index - 1, match.index) === '(' && block.text[end] === ')' && start < match.index;
      found.push({
        block: block.order,
        start,
        end: closed ? end + 1 : end,
        references: [chosen.position],
        further: [],
      });
      const more = letter === '' ? [] : furtherLetters(block, end, named.references);
      found.push(...more);
      previous = { end: (more.at(-1)?.end ?? end) + (closed ? 1 : 0), named };
    }
  }
  return found;
}

/** "2001a, b, c": a callout for each further letter. */
function furtherLetters(block: Block, from: number, references: readonly ListedReference[]): Callout[] {
  const found: Callout[] = [];
  let at = from;
  for (;;) {
    const more = LETTERS.exec(block.text.slice(at, at + 8));
    const next = references.find((each) => each.yearLetter === more?.groups?.['letter']);
    if (!more || !next) return found;
    at += more[0].length;
    found.push({ block: block.order, start: at - 1, end: at, references: [next.position], further: [] });
  }
}

/** The entry with the year's letter; if the list has no letters, the entry at that place in the alphabet. */
function byLetter(references: readonly ListedReference[], letter: string): ListedReference | undefined {
  if (letter === '') return references[0];
  const exact = references.find((each) => each.yearLetter === letter);
  if (exact) return exact;
  if (references.some((each) => each.yearLetter !== '')) return undefined;
  return references[letter.charCodeAt(0) - 97] ?? references[0];
}

/** Entries of the same first author, those with as many authors as the previous callout's first. */
function closest(references: readonly ListedReference[], first: ListedReference | undefined): ListedReference[] {
  const size = (each: ListedReference | undefined): number => Math.min(3, each?.surnames.length ?? 0);
  return references.toSorted(
    (a, b) => Math.abs(size(a) - size(first)) - Math.abs(size(b) - size(first)) || a.position - b.position,
  );
}

interface Token {
  readonly word: string;
  readonly start: number;
  readonly initial: boolean;
  /** Several capitals and nothing else: "WHO". */
  readonly acronym: boolean;
}

function namedBefore(text: string, at: number, candidates: readonly ListedReference[]): Named | undefined {
  if (candidates.length === 0) return undefined;
  const from = Math.max(0, at - LOOK_BACK);
  const before = text.slice(from, at);
  if (!/[\p{L}.)’'\]][,.]?\s?[([]?$|[\p{L}]\s?,?\s?(?:in press)?$/u.test(before)) return undefined;
  const tokens: Token[] = [...before.matchAll(/[\p{L}\p{M}'’]+|&/gu)].map((match) => ({
    word: match[0] === '&' ? 'and' : wordsIn(match[0]).join('') || match[0],
    start: from + match.index,
    initial: /^\p{Lu}$/u.test(match[0]),
    acronym: /^\p{Lu}{2,}$/u.test(match[0]),
  }));
  let best: { readonly weight: number; readonly start: number; readonly references: ListedReference[] } | undefined;
  for (const reference of candidates) {
    const fit = fits(tokens, reference);
    if (!fit) continue;
    if (!best || fit.weight > best.weight) best = { ...fit, references: [reference] };
    else if (fit.weight === best.weight) best.references.push(reference);
  }
  return best && { references: best.references.toSorted((a, b) => a.position - b.position), start: best.start };
}

/** Whether the words in front of a year name an entry's authors: "A", "A et al.", "A and B", "A, B and C", "A X." with an initial. */
function fits(
  tokens: readonly Token[],
  { surnames, initials }: ListedReference,
): { readonly weight: number; readonly start: number } | undefined {
  const [first = '', second = ''] = surnames.map((name) => name.replaceAll(' ', ''));
  if (first === '') return undefined;
  let end = tokens.length;
  const word = (back: number): string => tokens[end - back]?.word ?? '';
  if (word(1) === 's' && end > 1) end -= 1;
  const isEtAl = word(1) === 'al' && word(2) === 'et';
  if (isEtAl || ['colleagues', 'coworkers', 'others'].includes(word(1))) {
    const start =
      endsWith(tokens, end - 2, first) ??
      withInitials(tokens, end - 2, first, initials) ??
      listed(tokens, end - 2, [first, second]);
    return start === undefined ? undefined : { weight: surnames.length > 2 ? 3 : 1.5, start };
  }
  for (let count = surnames.length; count > 1; count -= 1) {
    const start = listed(tokens, end, surnames.slice(0, count));
    if (start !== undefined) return { weight: count === surnames.length ? 3 : 2, start };
  }
  const alone =
    endsWith(tokens, end, first) ??
    withInitials(tokens, end, first, initials) ??
    (tokens[end - 1]?.acronym === true && word(1) === acronymOf(surnames) ? tokens[end - 1]?.start : undefined);
  if (alone === undefined) return undefined;
  const place = tokens.findIndex((token) => token.start === alone);
  // "Smith and Jones 2001" is not Jones 2001.
  if (tokens[place - 1]?.word === 'and' && /^\p{Lu}/u.test(tokens[place - 2]?.word ?? '')) return undefined;
  return { weight: surnames.length === 1 ? 3 : 1, start: alone };
}

/** Where a name with initials behind it ("A X. Y.") begins; initials distinguish authors of the same family name. */
function withInitials(tokens: readonly Token[], end: number, name: string, initials: string): number | undefined {
  let first = end;
  while (tokens[first - 1]?.initial === true && end - first < MOST_INITIALS) first -= 1;
  const printed = tokens
    .slice(first, end)
    .map(({ word }) => word)
    .join('');
  return printed !== '' && (initials.startsWith(printed) || printed.startsWith(initials))
    ? endsWith(tokens, first, name)
    : undefined;
}

/** The acronym of an organisation that is an entry's only author: "who" of World Health Organization. */
function acronymOf([name = '', ...others]: readonly string[]): string | undefined {
  const words = name.split(' ').filter((word) => !/^(?:of|the|and|for|on|in)$/u.test(word));
  return others.length > 0 || words.length < 2 ? undefined : words.map((word) => word.charAt(0)).join('');
}

/** Where "A, B, C and D", ending before token `end`, begins. */
function listed(tokens: readonly Token[], end: number, names: readonly string[]): number | undefined {
  let [start, place] = [undefined as number | undefined, end];
  for (const name of names.toReversed()) {
    start = endsWith(tokens, place, name.replaceAll(' ', ''));
    if (start === undefined) return undefined;
    place = tokens.findIndex((token) => token.start === start);
    if (tokens[place - 1]?.word === 'and' && name === names.at(-1)) place -= 1;
  }
  return start;
}

/** Where a name that ends before token `end` begins; names of several words are joined. */
function endsWith(tokens: readonly Token[], end: number, name: string): number | undefined {
  let joined = '';
  for (let at = end - 1; at >= Math.max(0, end - 6); at -= 1) {
    const token = tokens[at];
    if (!token) return undefined;
    joined = token.word + joined;
    if (joined === name) return token.start;
    if (joined.length >= name.length) return undefined;
  }
  return undefined;
}
