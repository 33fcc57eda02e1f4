import { wordsIn } from '../../base/index.ts';
import type { Block } from '../../parse/index.ts';
import type { ParsedReference } from '../link/parse-reference.ts';
import { parseReference } from '../link/parse-reference.ts';

/** An entry of a reference list. */
export interface ListedReference {
  /** Its place in the list, from 1. */
  readonly position: number;
  readonly block: number;
  readonly text: string;
  readonly label: string | null;
  readonly doi: string | null;
  readonly arxivId: string | null;
  readonly parsed: ParsedReference;
  readonly surnames: readonly string[];
  /** Of its first author, in lower case; empty when they are not printed. */
  readonly initials: string;
  /** The letter behind its year: 2001a, n.d.-a. */
  readonly yearLetter: string;
}

export function listReferences(blocks: readonly Block[]): ListedReference[] {
  const entries = joinFragments(blocks.filter((block) => block.kind === 'reference'));
  return entries.map(({ block, text, doi, parsed }, at) => ({
    position: at + 1,
    block: block.order,
    text,
    label: block.label ?? parsed.label,
    doi: doi === undefined ? null : withoutYear(doi),
    arxivId: block.arxivId ?? null,
    parsed,
    surnames: surnamesOf(text, parsed),
    initials: wordsIn(/\s(?<initials>\p{Lu}{1,5})$/u.exec(parsed.authors[0] ?? '')?.groups?.['initials'] ?? '').join(
      '',
    ),
    yearLetter: /\b(?:(?:1[5-9]|20)\d\d|n\.d\.-)(?<letter>[a-z])\b/.exec(text)?.groups?.['letter'] ?? '',
  }));
}

type ReferenceBlock = Extract<Block, { readonly kind: 'reference' }>;
interface Entry {
  readonly block: ReferenceBlock;
  readonly text: string;
  readonly doi: string | undefined;
  readonly parsed: ParsedReference;
  readonly label: number | undefined;
}

/** Joins entries that the layout cut in two, and drops rows of a table behind the list. */
function joinFragments(blocks: readonly ReferenceBlock[]): Entry[] {
  const read = blocks.map((block): Entry => {
    const parsed = parseReference(block.text);
    const label = block.label ?? parsed.label ?? '';
    return {
      block,
      text: block.text.trim(),
      doi: block.doi,
      parsed,
      label: /^\d+$/.test(label) ? Number(label) : undefined,
    };
  });
  const row = read.findIndex((_, at) => read.length >= at + ROWS && read.slice(at, at + ROWS).every(isRow));
  const entries = row < 0 ? read : read.slice(0, row);
  const isNumbered = entries.filter(({ label }) => label !== undefined).length * 2 > entries.length;
  const joined: Entry[] = [];
  for (const [at, entry] of entries.entries()) {
    const last = joined.at(-1);
    const next = entries.slice(at + 1).find(({ label }) => label !== undefined)?.label;
    const isFragment = isNumbered
      ? entry.label === undefined && last?.label !== undefined && (next === undefined || next === last.label + 1)
      : BEGINS_NONE.test(entry.text) || (last !== undefined && isRest(last, entry));
    if (last && isFragment && last.text.length < LONGEST_ENTRY) {
      const text = `${last.text} ${entry.text}`;
      joined[joined.length - 1] = { ...last, text, doi: last.doi ?? entry.doi, parsed: parseReference(text) };
    } else joined.push(entry);
  }
  return joined;
}

/** Consecutive rows that make a table. */
const ROWS = 3;

/** "Age, years 58.9±7.3 56.7±8.0 0.275": numbers, and neither an author nor a year. */
function isRow({ text, doi, parsed }: Entry): boolean {
  const isReference = doi !== undefined || parsed.year !== null || parsed.authors.length > 0;
  return !isReference && (text.match(/\d+(?:\.\d+)?/g) ?? []).length > 1;
}

/** Whether an entry without authors has the year that the previous one lacks, or is only a link. */
function isRest(last: Entry, entry: Entry): boolean {
  if (entry.parsed.authors.length > 0) return false;
  return entry.parsed.year === null
    ? entry.text.length < SHORTEST_ENTRY && last.doi === undefined
    : last.parsed.authors.length > 0 && last.parsed.year === null;
}

const SHORTEST_ENTRY = 40;

/** Text that begins no entry: a small word, an identifier, a year in brackets, pages. */
const BEGINS_NONE =
  /^(?:(?!(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|el|al|bin|ibn|ter|ten|zu|af|av|d['’])\b)\p{Ll}|https?:|\((?:1[89]|20)\d\d\)|\d+[-–]\d|10\.\d{4})/u;
const LONGEST_ENTRY = 1_500;

/** A DOI without the year that some lists print behind it ("10.1002/ps.695(2003") and without percent-encoded brackets. */
function withoutYear(doi: string): string {
  return doi
    .replaceAll(/%5b/giu, '[')
    .replaceAll(/%5d/giu, ']')
    .replace(/\((?:1[89]|20)\d\d\)?$/u, '');
}

/** Family names in lower case, first author first; the opening words where no author was parsed. */
function surnamesOf(text: string, parsed: ParsedReference): string[] {
  if (parsed.authors.length > 0)
    return parsed.authors.map((author) => wordsIn(author.replace(/\s[\p{Lu}]{1,5}$/u, '')).join(' '));
  // An organisation or an unknown style: the words before the first comma, bracket or full stop.
  const opening = /^(?:\[?\d{1,4}[\].)]?\s+)?(?<name>[^,.(\d]{2,80})/.exec(text)?.groups?.['name'] ?? '';
  return [wordsIn(opening).join(' ')].filter((name) => name !== '');
}

export function isSortedByName(references: readonly ListedReference[]): boolean {
  const names = references.map(({ surnames }) => surnames[0] ?? '');
  const rising = names.filter((name, at) => at === 0 || name.localeCompare(names[at - 1] ?? '', 'en') >= 0).length;
  return names.length >= 8 && rising >= names.length * 0.9;
}
