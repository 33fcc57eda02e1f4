import { foldCase } from '../../base/index.ts';
import type { Author, WorkRecord } from './record.ts';
import { RETRACTED, retractionOf, yearOf } from './record.ts';

/** A single word or a group's name is not split. */
interface PersonName {
  readonly name: string;
  readonly family: string | null;
  readonly given: string | null;
}

const PARTICLES = new Set(
  'af al bin da dal de degli del della der des di do dos du el ibn la las le los ten ter van vom von zu zum zur'.split(
    ' ',
  ),
);
const SUFFIX = /^(?:jr|sr|ii|iii|iv)\.?$/i;
/** Scripts that put the family name first, without a space. */
const UNSPACED = /\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}/u;
const GROUP =
  /\b(?:consortium|collaboration|group|team|network|society|association|committee|organi[sz]ation|university|institute|initiative|investigators|council|agency|ministry|foundation)\b/i;

/** Splits `Family, Given` and `Given van Family Jr.`. */
export function parsePersonName(text: string): PersonName {
  const name = text.replaceAll(/\s+/g, ' ').trim();
  const whole = { name, family: null, given: null };
  if (name === '' || name.length > 200 || GROUP.test(name)) return whole;
  const comma = name.indexOf(',');
  if (comma > 0) {
    const family = name.slice(0, comma).trim();
    const rest = name.slice(comma + 1).trim();
    // "Family, Jr., Given" (BibTeX).
    const [, suffix, given] = /^([a-z]{2,3}\.?)\s{0,3},\s{0,3}(\S.*)$/i.exec(rest) ?? [];
    if (suffix !== undefined && given !== undefined && SUFFIX.test(suffix))
      return { name: `${given} ${family} ${suffix}`, family: `${family} ${suffix}`, given };
    if (rest === '' || SUFFIX.test(rest))
      return rest === '' ? { name, family, given: null } : parsePersonName(`${family} ${rest}`);
    return { name: `${rest} ${family}`, family, given: rest };
  }
  const words = name.split(' ');
  if (words.length === 1 || UNSPACED.test(name)) return whole;
  let end = words.length;
  while (end > 2 && SUFFIX.test(words[end - 1] ?? '')) end -= 1;
  let from = end - 1;
  // At least one given name remains: "La Fontaine" alone would be a family name, "De Wit" too.
  while (from > 1 && PARTICLES.has((words[from - 1] ?? '').toLowerCase())) from -= 1;
  const suffix = words.slice(end).join(' ');
  return {
    name,
    family: words.slice(from, end).join(' ') + (suffix === '' ? '' : ` ${suffix}`),
    given: words.slice(0, from).join(' '),
  };
}

interface TypeNames {
  readonly csl: string;
  readonly bibtex?: string;
  readonly ris?: string;
}

/** Words of each format: the first is written, all are read. If a format lacks one, the venue decides. */
const TYPES: Readonly<Record<string, TypeNames>> = {
  article: { csl: 'article-journal' },
  review: { csl: 'article-journal' },
  letter: { csl: 'article-journal' },
  editorial: { csl: 'article-journal' },
  erratum: { csl: 'article-journal' },
  retraction: { csl: 'article-journal' },
  preprint: { csl: 'article', bibtex: 'misc', ris: 'UNPB' },
  'book-chapter': { csl: 'chapter', bibtex: 'incollection inbook', ris: 'CHAP' },
  book: { csl: 'book', bibtex: 'book', ris: 'BOOK' },
  dissertation: { csl: 'thesis', bibtex: 'phdthesis mastersthesis thesis', ris: 'THES' },
  dataset: { csl: 'dataset', bibtex: 'misc dataset', ris: 'DATA' },
  report: { csl: 'report', bibtex: 'techreport report', ris: 'RPRT' },
  'conference-paper': { csl: 'paper-conference', bibtex: 'inproceedings conference', ris: 'CPAPER CONF' },
  'reference-entry': { csl: 'entry-encyclopedia' },
  standard: { csl: 'standard' },
};

function typeIn(
  format: keyof TypeNames,
  { type, venue }: WorkRecord,
  [loose, inVenue]: readonly [string, string],
): string {
  return TYPES[type ?? '']?.[format]?.split(' ')[0] ?? (venue === null ? loose : inVenue);
}

/** Our type for a word of a format; undefined if the format uses the word for everything. */
export function typeNamed(format: keyof TypeNames, word: string): string | undefined {
  if (word === 'misc' || word === 'UNPB') return undefined;
  return Object.entries(TYPES).find(([, names]) => names[format]?.split(' ').includes(word))?.[0];
}

/** As read by citation processors, Zotero and pandoc. */
export function cslItem(record: WorkRecord, id: string = record.id): Readonly<Record<string, unknown>> {
  const { ids } = record;
  const type = typeIn('csl', record, ['document', 'article-journal']);
  const known: Record<string, unknown> = {
    title: record.title,
    author: record.authors.length > 0 ? record.authors.map(cslName) : null,
    issued: record.date === null ? null : { 'date-parts': [record.date.split('-').map(Number)] },
    'container-title': record.venue,
    publisher: record.publisher,
    volume: record.volume,
    issue: record.issue,
    page: record.pages,
    ISSN: record.issn[0] ?? null,
    DOI: ids.doi,
    PMID: ids.pmid,
    PMCID: ids.pmcid,
    URL: record.url ?? (ids.doi === null ? null : `https://doi.org/${ids.doi}`),
    abstract: record.abstract,
    language: record.language,
    note: retractionOf(record) ? RETRACTED : null,
    keyword: record.keywords.length > 0 ? record.keywords.join(', ') : null,
  };
  return { id, type, ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)) };
}

export function namesOf(author: Author): PersonName {
  return author.family === null || author.family === '' ? parsePersonName(author.name) : author;
}

function cslName(author: Author): Record<string, string> {
  const { family, given, name } = namesOf(author);
  if (family === null) return { literal: name };
  return { family, ...(given !== null && given !== '' && { given }) };
}

export function authorFromCsl(value: unknown): Author[] {
  if (value === null || typeof value !== 'object') return [];
  const part = (name: string): string | null => {
    const each = (value as Record<string, unknown>)[name];
    return typeof each === 'string' && each.trim() !== '' ? each.trim().slice(0, 300) : null;
  };
  const names = [part('dropping-particle'), part('non-dropping-particle'), part('family')];
  const family = names.filter((each) => each !== null).join(' ') || null;
  const given = part('given');
  const name = part('literal') ?? [given, family].filter((each) => each !== null).join(' ');
  return name === '' ? [] : [{ name, family, given, orcid: null, institutions: [] }];
}

export function dateFromCsl(value: unknown): string | null {
  if (value === null || typeof value !== 'object') return null;
  const { 'date-parts': parts, raw, literal } = value as Record<string, unknown>;
  const first: unknown = Array.isArray(parts) ? parts[0] : undefined;
  const numbers = (Array.isArray(first) ? first : []).map(Number).filter((each) => Number.isInteger(each) && each > 0);
  if (numbers.length > 0)
    return numbers
      .slice(0, 3)
      .map((each, at) => (at === 0 ? String(each) : String(each).padStart(2, '0')))
      .join('-');
  const said = typeof raw === 'string' ? raw : typeof literal === 'string' ? literal : '';
  return /\b\d{4}(?:-\d{2}(?:-\d{2})?)?/.exec(said.slice(0, 100))?.[0] ?? null;
}

/** With more authors, APA 7 names the first nineteen and the last. */
const APA_AUTHORS = 20;

export function apaCitation(record: WorkRecord): string {
  const year = yearOf(record);
  const title = record.title?.replace(/(?<![.\s])[.\s]+$/, '');
  const where = placeOf(record);
  const address = record.ids.doi === null ? record.url : `https://doi.org/${record.ids.doi}`;
  const authors = apaAuthors(record.authors);
  const date = `(${year ?? 'n.d.'})`;
  const ended = (sentence: string): string => (/[.?!]$/.test(sentence) ? sentence : `${sentence}.`);
  const named = ended(title ?? 'Untitled');
  // Without authors the title comes first.
  const head = authors === '' ? `${named} ${date}.` : `${authors} ${date}. ${named}`;
  return [head, ...(where === '' ? [] : [ended(where)]), ...(address === null ? [] : [address])].join(' ');
}

function placeOf({ venue, volume, issue, pages }: WorkRecord): string {
  if (venue === null) return '';
  const number = volume === null ? '' : `${volume}${issue === null ? '' : `(${issue})`}`;
  return [venue, number, pages?.replace(/-+/, '–') ?? ''].filter((part) => part !== '').join(', ');
}

function apaAuthors(authors: readonly Author[]): string {
  const named = authors.map(citedName);
  if (named.length === 0) return '';
  if (named.length === 1) return named[0] as string;
  if (named.length > APA_AUTHORS) return `${named.slice(0, APA_AUTHORS - 1).join(', ')}, … ${named.at(-1)}`;
  return `${named.slice(0, -1).join(', ')}, & ${named.at(-1)}`;
}

/** "van der Berg, A. M."; hyphenated given names keep their hyphen. */
function citedName(author: Author): string {
  const { family, given, name } = namesOf(author);
  if (family === null) return name;
  const initials = (given ?? '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) =>
      word
        .split('-')
        .map((part) => `${part.slice(0, 1).toUpperCase()}.`)
        .join('-'),
    )
    .join(' ');
  return initials === '' ? family : `${family}, ${initials}`;
}

const EMPTY = new Set(
  'a an the of on in for and to with from by at der die das ein eine le la les un une el los las'.split(' '),
);
const BIBTEX_AUTHORS = 200;

/** A record as a BibTeX entry for BibTeX, biber and Zotero; `file` is linked as Zotero does. */
export function bibtexEntry(record: WorkRecord, key: string, file?: string): string {
  const { ids } = record;
  const type = typeIn('bibtex', record, ['misc', 'article']);
  const [, month] = record.date?.split('-') ?? [];
  const venueField = type === 'incollection' || type === 'inproceedings' ? 'booktitle' : 'journal';
  const publisherField = type === 'phdthesis' ? 'school' : type === 'techreport' ? 'institution' : 'publisher';
  const fields: readonly (readonly [string, string | null])[] = [
    ['title', record.title === null ? null : `{${tex(record.title)}}`],
    ['author', bibtexAuthors(record.authors)],
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
    ['openalex', ids.openalex],
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

/** A key such as `berg2024heat`, numbered if taken: `taken` holds each key and the last number added to it. */
export function citationKey(record: WorkRecord, taken: Map<string, number>): string {
  const [first] = record.authors;
  const name = first ? (namesOf(first).family ?? first.name) : 'anon';
  const words = plain(record.title ?? '').filter((word) => !EMPTY.has(word));
  const base = [plain(name).at(-1) ?? 'anon', yearOf(record) ?? 'nd', words[0] ?? ''].join('');
  let key = base;
  while (taken.has(key)) {
    const number = (taken.get(base) ?? 1) + 1;
    taken.set(base, number);
    key = `${base}${number}`;
  }
  taken.set(key, 1);
  return key;
}

/** Words of ASCII, as keys of BibTeX must be. */
function plain(text: string): string[] {
  return foldCase(text).match(/[a-z0-9]+/g) ?? [];
}

function bibtexAuthors(authors: readonly Author[]): string | null {
  if (authors.length === 0) return null;
  const shown = authors.slice(0, BIBTEX_AUTHORS).map((author) => {
    const { family, given, name } = namesOf(author);
    // A group's name is in braces: its words are not given names.
    if (family === null) return `{${tex(name)}}`;
    return given === null || given === '' ? `{${tex(family)}}` : `${namePart(family)}, ${namePart(given)}`;
  });
  return [...shown, ...(authors.length > BIBTEX_AUTHORS ? ['others'] : [])].join(' and ');
}

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

/** A record in RIS for Zotero, EndNote and Rayyan; `file` becomes `L1`. */
export function risEntry(record: WorkRecord, file?: string): string {
  const { ids } = record;
  const [first, last] = record.pages?.split(/[-–]+/) ?? [];
  const lines: readonly (readonly [string, string | null | undefined])[] = [
    ['TY', typeIn('ris', record, ['GEN', 'JOUR'])],
    ['ID', record.id],
    ['TI', record.title],
    ...record.authors.map((author) => {
      const { family, given, name } = namesOf(author);
      return [
        'AU',
        family === null ? name : [family, given].filter((part) => part !== null && part !== '').join(', '),
      ] as const;
    }),
    ['PY', record.date?.slice(0, 4)],
    ['DA', record.date?.replaceAll('-', '/')],
    ['T2', record.venue],
    ['PB', record.publisher],
    ['VL', record.volume],
    ['IS', record.issue],
    ['SP', first],
    ['EP', last],
    ['SN', record.issn[0]],
    ['DO', ids.doi],
    ['AN', ids.pmid],
    ['C2', ids.pmcid],
    ['LA', record.language],
    ['AB', record.abstract],
    ...record.keywords.map((word) => ['KW', word] as const),
    ['N1', retractionOf(record) ? RETRACTED : null],
    ['UR', record.url],
    ['L1', file],
  ];
  const text = lines
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([tag, value]) => `${tag}  - ${String(value).replaceAll(/\s+/g, ' ').trim()}\r\n`);
  return `${text.join('')}ER  - \r\n\r\n`;
}
