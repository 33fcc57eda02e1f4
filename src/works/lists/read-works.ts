import { open } from 'node:fs/promises';
import { extname } from 'node:path';

import { AppError, meaningsOf } from '../../base/index.ts';
import { authorFromCsl, dateFromCsl, typeNamed } from '../record/cite.ts';
import { readBibtex } from './bibtex-entries.ts';
import type { Fields, JsonItem, ListRecord } from './records.ts';
import {
  asUtf8,
  linesOf,
  LONGEST_LINE,
  MEDLINE,
  peek,
  readCsv,
  readJsonItems,
  readJsonLines,
  readTagged,
  RIS,
  WEB_OF_SCIENCE,
} from './records.ts';
import type { ListedWork } from './listed-work.ts';
import { workFromFields, workFromLine, workFromObject, workFromText } from './listed-work.ts';

export type ListFormat = 'jsonl' | 'csv' | 'bibtex' | 'ris' | 'nbib' | 'wos' | 'csl' | 'ids';

const BY_EXTENSION = meaningsOf<ListFormat>({
  jsonl: '.jsonl .ndjson',
  csv: '.csv .tsv',
  bibtex: '.bib .bibtex',
  ris: '.ris',
  nbib: '.nbib',
  wos: '.ciw',
  csl: '.json',
  ids: '.txt .ids',
});

const MOST_AUTHORS = 500;

export function listFormatOf(path: string): ListFormat {
  const format = BY_EXTENSION.get(extname(path).toLowerCase());
  if (format !== undefined) return format;
  throw new AppError('USAGE_LIST_FORMAT', `unknown file format: ${path}`, {
    hint: `name it ${[...BY_EXTENSION.keys()].join(', ')}`,
  });
}

/** The format defaults to the extension. Bad entries are yielded too. */
export async function* readWorks(path: string, format?: ListFormat): AsyncGenerator<ListedWork> {
  const chosen = format ?? listFormatOf(path);
  await using file = await open(path, 'r');
  yield* parseWorks(file.createReadStream({ autoClose: false }), chosen);
}

/** Databases also name their exports `.txt`: these are recognised by their beginning. */
export async function* parseWorks(chunks: AsyncIterable<Uint8Array>, format: ListFormat): AsyncGenerator<ListedWork> {
  const { head, all } = await peek(asUtf8(chunks));
  const inText = format === 'ids' ? TEXT_FORMATS.find(([, beginning]) => beginning.test(head.toString()))?.[0] : format;
  yield* PARSERS[inText ?? format](all);
}

const TEXT_FORMATS: readonly (readonly [ListFormat, RegExp])[] = [
  ['nbib', /^\s*PMID- ?\d/],
  ['ris', /^\s{0,3}TY {1,2}- /m],
  ['wos', /^\s*(?:FN .+\r?\n\s*VR |PT [A-Z]\r?\n)/],
  ['bibtex', /^[ \t]*@[a-z]+\s*[{(]/im],
  ['csv', /^[^\r\n\t]{1,100}\t[^\r\n]*\t/],
];

const PARSERS: Readonly<Record<ListFormat, (chunks: AsyncIterable<Uint8Array>) => AsyncGenerator<ListedWork>>> = {
  jsonl: (chunks) => fromItems(readJsonLines(chunks), workFromObject),
  csv: fromCsv,
  bibtex: (chunks) => fromFields(readBibtex(chunks), fromEntry),
  ris: (chunks) => fromFields(readTagged(chunks, RIS), fromRis),
  nbib: (chunks) => fromFields(readTagged(chunks, MEDLINE), fromNbib),
  wos: (chunks) => fromFields(readTagged(chunks, WEB_OF_SCIENCE), fromWebOfScience),
  csl: (chunks) => fromItems(readJsonItems(chunks), workFromCsl),
  ids: fromIds,
};

async function* fromCsv(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ListedWork> {
  let header: readonly string[] | undefined;
  for await (const { line, fields } of readCsv(chunks)) {
    if (!fields) yield { kind: 'bad', line, reason: 'the record is too long or its quotes do not close' };
    else if (!header) {
      header = fields;
      // A file of bare ids has no header: its first line is a work.
      const first = fields.length === 1 ? workFromText(header[0] ?? '', line) : undefined;
      if (first?.kind === 'work') {
        header = ['id'];
        yield first;
      }
    } else
      yield workFromFields(
        header.map((name, at) => [name, fields[at] ?? ''] as const),
        line,
      );
  }
}

const RIS_FIELDS = meaningsOf({
  doi: 'DO DOI',
  title: 'TI T1',
  year: 'PY Y1',
  date: 'DA',
  one_author: 'AU A1',
  journal: 'T2 JF JO JA',
  volume: 'VL',
  issue: 'IS',
  abstract: 'AB N2',
  keywords: 'KW',
  language: 'LA',
  publisher: 'PB',
  url: 'UR L1 L2',
  id: 'M3 ID',
  pmid: 'AN',
  pmcid: 'C2',
});

/** Every database numbers its records in `AN`; only these use PMIDs. */
const PUBMED = /medline|pubmed|nlm/i;

async function* fromFields(
  records: AsyncIterable<ListRecord>,
  named: (fields: Fields) => Fields,
): AsyncGenerator<ListedWork> {
  for await (const { line, fields, reason } of records)
    yield reason === undefined ? workFromFields(named(fields), line) : { kind: 'bad', line, reason };
}

/** In BibTeX `eprint` is an arXiv id if the entry says so, or says nothing else. */
function fromEntry(fields: Fields): Fields {
  const said = new Map(fields);
  const archive = (said.get('archiveprefix') ?? said.get('eprinttype') ?? 'arxiv').toLowerCase();
  return fields.filter(([name]) => name !== 'eprint' || archive === 'arxiv');
}

function fromRis(fields: Fields): Fields {
  const value = (tag: string): string => fields.find(([name]) => name === tag)?.[1] ?? '';
  const pages = [value('SP'), value('EP')].filter((page) => page !== '').join('-');
  const database = `${value('DB')} ${value('DP')}`.trim();
  const named = fields.flatMap(([tag, text]) => {
    const name = RIS_FIELDS.get(tag);
    // A bare number in `ID` is the number of the record in the user's library.
    const isForeign =
      (tag === 'ID' && /^\d+$/.test(text)) || (tag === 'AN' && database !== '' && !PUBMED.test(database));
    return name === undefined || isForeign ? [] : [[name, text] as const];
  });
  // Dates are more precise than years, if they contain the year.
  const dates = named.filter(([name, text]) => name === 'date' && /\d{4}/.test(text));
  const others = named.filter(([name]) => name !== 'date');
  const type = value('TY') === 'JOUR' ? 'article' : typeNamed('ris', value('TY'));
  return [...dates, ...others, ['pages', pages], ['work_type', type ?? '']];
}

const NBIB_FIELDS = meaningsOf({
  pmid: 'PMID',
  pmcid: 'PMC',
  title: 'TI BTI',
  one_author: 'FAU',
  one_group: 'CN',
  date: 'DP',
  journal: 'JT',
  volume: 'VI',
  issue: 'IP',
  pages: 'PG',
  abstract: 'AB',
  language: 'LA',
  keywords: 'OT',
});

function fromNbib(fields: Fields): Fields {
  return fields.flatMap(([tag, text]): Fields => {
    // `LID` and `AID` hold ids of several kinds, followed by their kind.
    const doi = tag === 'LID' || tag === 'AID' ? /^(\S+) \[doi\]$/i.exec(text)?.[1] : undefined;
    if (doi !== undefined) return [['doi', doi]];
    const name = NBIB_FIELDS.get(tag);
    return name === undefined ? [] : [[name, text]];
  });
}

/** The other tags are also the columns of the table that Web of Science exports. */
function fromWebOfScience(fields: Fields): Fields {
  const authors = fields.some(([tag]) => tag === 'AF') ? 'AF' : 'AU';
  return fields.flatMap(([tag, text]) => {
    if (tag === 'AU' || tag === 'AF') return tag === authors ? [['one_author', text] as const] : [];
    return [[tag, text] as const];
  });
}

async function* fromItems(
  items: AsyncIterable<JsonItem>,
  read: (value: object, line: number) => ListedWork,
): AsyncGenerator<ListedWork> {
  for await (const item of items) {
    if (item.kind === 'bad') yield item;
    else if (typeof item.value === 'string') yield workFromLine(item.value, item.line);
    else if (item.value !== null && typeof item.value === 'object') yield read(item.value, item.line);
    else yield { kind: 'bad', line: item.line, reason: 'neither an object nor a string' };
  }
}

/** Authors and date of a CSL-JSON item are objects. */
function workFromCsl(value: object, line: number): ListedWork {
  const { author, issued, type } = value as Readonly<Record<string, unknown>>;
  const authors = Array.isArray(author) ? author.slice(0, MOST_AUTHORS).flatMap(authorFromCsl) : [];
  const date = dateFromCsl(issued);
  const item = { ...value, ...(date !== null && { date }), work_type: typeNamed('csl', String(type)) ?? type };
  return workFromObject(item, line, authors);
}

async function* fromIds(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ListedWork> {
  for await (const { line, text } of linesOf(chunks)) {
    if (text === undefined) yield { kind: 'bad', line, reason: `line is longer than ${LONGEST_LINE} bytes` };
    else if (text.trim() !== '' && !text.trim().startsWith('#'))
      // A bare number is a PMID: no other kind of id is a number.
      yield workFromLine(text.replace(/^\s*([1-9]\d{0,8})\s*$/, 'PMID:$1'), line);
  }
}
