import { namesOf } from '../record/csl.ts';
import type { Author, WorkRecord } from '../record/record.ts';
import { RETRACTED, retractionOf, yearOf } from '../record/record.ts';

const TYPES: Readonly<Record<string, string>> = {
  'book-chapter': 'incollection',
  book: 'book',
  dissertation: 'phdthesis',
  report: 'techreport',
  dataset: 'misc',
  preprint: 'misc',
  'conference-paper': 'inproceedings',
};

/** Stop words in keys. */
const EMPTY = new Set(
  'a an the of on in for and to with from by at der die das ein eine le la les un une el los las'.split(' '),
);
const MOST_AUTHORS = 200;

/** A record as a BibTeX entry for BibTeX, biber and Zotero; `file` is linked as Zotero does. */
export function bibtexEntry(record: WorkRecord, key: string, file?: string): string {
  const { ids } = record;
  const type = TYPES[record.type ?? ''] ?? (record.venue === null ? 'misc' : 'article');
  const [, month] = record.date?.split('-') ?? [];
  const venueField = type === 'incollection' || type === 'inproceedings' ? 'booktitle' : 'journal';
  const publisherField = type === 'phdthesis' ? 'school' : type === 'techreport' ? 'institution' : 'publisher';
  const fields: readonly (readonly [string, string | null])[] = [
    ['title', record.title === null ? null : `{${tex(record.title)}}`],
    ['author', authorsOf(record.authors)],
    ['year', yearOf(record)?.toString() ?? null],
    ['month', month ?? null],
    [venueField, texOrNull(record.venue)],
    [publisherField, texOrNull(record.publisher)],
    ['volume', texOrNull(record.volume)],
    ['number', texOrNull(record.issue)],
    ['pages', record.pages === null ? null : tex(record.pages.replace(/[-–]+/, '--'))],
    ['issn', record.issn[0] ?? null],
    ['doi', ids.doi === null ? null : verbatim(ids.doi)],
    ['pmid', ids.pmid],
    ['pmcid', ids.pmcid],
    ['eprint', ids.arxiv?.id ?? null],
    ['archiveprefix', ids.arxiv === null ? null : 'arXiv'],
    ['url', record.url === null ? null : verbatim(record.url)],
    ['language', record.language],
    ['abstract', texOrNull(record.abstract)],
    ['keywords', record.keywords.length === 0 ? null : tex(record.keywords.join(', '))],
    ['note', retractionOf(record) ? RETRACTED : null],
    ['file', file === undefined ? null : verbatim(file)],
  ];
  const lines = fields.flatMap(([name, value]) => (value === null ? [] : [`  ${name} = {${value}}`]));
  return `@${type}{${key},\n${lines.join(',\n')}\n}\n`;
}

/** A key such as `berg2024heat`, numbered if taken. */
export function citationKey(record: WorkRecord, taken: Set<string>): string {
  const [first] = record.authors;
  const name = first ? (namesOf(first).family ?? first.name) : 'anon';
  const words = plain(record.title ?? '').filter((word) => !EMPTY.has(word));
  const base = [plain(name).at(-1) ?? 'anon', yearOf(record) ?? 'nd', words[0] ?? ''].join('');
  const key = taken.has(base) ? `${base}${freeNumber((number) => taken.has(`${base}${number}`))}` : base;
  taken.add(key);
  return key;
}

/** The first free number from 2; binary search works since numbers are given in order. */
function freeNumber(isTaken: (number: number) => boolean): number {
  let free = 2;
  while (isTaken(free)) free *= 2;
  for (let taken = Math.floor(free / 2); free - taken > 1;) {
    const middle = Math.floor((free + taken) / 2);
    if (isTaken(middle)) taken = middle;
    else free = middle;
  }
  return free;
}

/** Letters that do not decompose into a base letter and marks. */
const LETTERS: Readonly<Record<string, string>> = {
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ß: 'ss',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  þ: 'th',
  ð: 'd',
};

function plain(text: string): string[] {
  return (
    text
      .toLowerCase()
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .replaceAll(/[øæœßłđıþð]/g, (letter) => LETTERS[letter] ?? letter)
      .match(/[a-z0-9]+/g) ?? []
  );
}

function authorsOf(authors: readonly Author[]): string | null {
  if (authors.length === 0) return null;
  const shown = authors.slice(0, MOST_AUTHORS).map((author) => {
    const { family, given, name } = namesOf(author);
    // A group's name is in braces: its words are not given names.
    if (family === null) return `{${tex(name)}}`;
    return given === null || given === '' ? `{${tex(family)}}` : `${namePart(family)}, ${namePart(given)}`;
  });
  return [...shown, ...(authors.length > MOST_AUTHORS ? ['others'] : [])].join(' and ');
}

/** Part of a name; in braces if it contains a separator. */
function namePart(text: string): string {
  return /,|(?:^|\s)and(?:\s|$)/i.test(text) ? `{${tex(text)}}` : tex(text);
}

function texOrNull(text: string | null): string | null {
  return text === null ? null : tex(text);
}

const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  // BibTeX counts even escaped braces; named ones cannot unbalance an entry.
  '{': '\\textbraceleft{}',
  '}': '\\textbraceright{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
};

/** Escapes TeX commands; letters stay in UTF-8. */
function tex(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\{}~^]|[&%$#_]/g, (character) => SPECIAL[character] ?? `\\${character}`);
}

/** URLs are verbatim; only characters that would end or unbalance the value are encoded. */
function verbatim(text: string): string {
  return text.replaceAll(/[{}\\\s]/g, (character) => encodeURIComponent(character));
}
