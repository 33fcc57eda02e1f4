import { open } from 'node:fs/promises';
import { extname } from 'node:path';

import { AppError, splitLines } from '../../base/index.ts';
import { recordFromCsl } from '../record/cite.ts';
import { withProvenance } from '../record/record.ts';
import { readBibtex } from './bibtex-entries.ts';
import type { JsonItem } from './records.ts';
import { readJsonItems, readJsonLines, readNbib, readRis, readCsv } from './records.ts';
import type { ListedWork } from './listed-work.ts';
import {
  fieldsNamed,
  workFromFields,
  workFromLine,
  workFromObject,
  workFromText,
  isReviewHeader,
  reviewedEntry,
} from './listed-work.ts';

export type ListFormat = 'jsonl' | 'csv' | 'tsv' | 'bibtex' | 'ris' | 'nbib' | 'csl' | 'ids';

const BY_EXTENSION: Readonly<Record<string, ListFormat>> = {
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.bib': 'bibtex',
  '.bibtex': 'bibtex',
  '.ris': 'ris',
  '.nbib': 'nbib',
  '.json': 'csl',
  '.txt': 'ids',
  '.ids': 'ids',
};

const LONGEST_LINE = 10_000_000;

export function listFormatOf(path: string): ListFormat {
  const format = BY_EXTENSION[extname(path).toLowerCase()];
  if (format !== undefined) return format;
  throw new AppError('USAGE_LIST_FORMAT', `unknown file format: ${path}`, {
    hint: `name it ${Object.keys(BY_EXTENSION).join(', ')}`,
  });
}

/** Reads the works of a file as a stream; the format defaults to its extension. Bad entries are reported. */
export async function* readWorks(path: string, format?: ListFormat): AsyncGenerator<ListedWork> {
  const chosen = format ?? listFormatOf(path);
  await using file = await open(path, 'r');
  yield* parseWorks(file.createReadStream({ autoClose: false }), chosen);
}

/** Like `readWorks`, for a stream of bytes. */
export function parseWorks(chunks: AsyncIterable<Uint8Array>, format: ListFormat): AsyncGenerator<ListedWork> {
  return PARSERS[format](chunks);
}

const PARSERS: Readonly<Record<ListFormat, (chunks: AsyncIterable<Uint8Array>) => AsyncGenerator<ListedWork>>> = {
  jsonl: (chunks) => fromItems(readJsonLines(chunks), workFromObject),
  csv: (chunks) => fromCsv(chunks, ','),
  tsv: (chunks) => fromCsv(chunks, '\t'),
  bibtex: fromBibtex,
  ris: fromRis,
  nbib: fromNbib,
  csl: (chunks) => fromItems(readJsonItems(chunks), workFromCsl),
  ids: fromIds,
};

async function* fromCsv(chunks: AsyncIterable<Uint8Array>, separator: ',' | '\t'): AsyncGenerator<ListedWork> {
  let header: readonly string[] | undefined;
  for await (const { line, fields } of readCsv(chunks, { separator })) {
    if (!fields) yield { kind: 'bad', line, reason: 'the record is too long or its quotes do not close' };
    else if (!header) {
      header = fields.map((name) => name.replace(/^\uFEFF/, ''));
      // A file of bare ids has no header: its first line is a work.
      const first = fields.length === 1 ? workFromText(header[0] ?? '', line) : undefined;
      if (first?.kind === 'work') {
        header = ['id'];
        yield first;
      }
    } else if (isReviewHeader(header))
      yield fromReview(new Map(header.map((name, at) => [name, fields[at] ?? ''])), line);
    else
      yield workFromFields(
        header.map((name, at) => [name, fields[at] ?? ''] as const),
        line,
      );
  }
}

/** A row of the file of doubtful entries that a person decides about. */
function fromReview(row: ReadonlyMap<string, string>, line: number): ListedWork {
  const { entry, decision } = reviewedEntry(row);
  if (decision.kind !== 'chosen') {
    const reason = decision.kind === 'open' ? 'nothing is decided yet' : 'it is none of those that were found';
    return { kind: 'undecided', line, entry, reason };
  }
  const fields = ['title', 'authors', 'year'].map((name) => [name, row.get(name) ?? ''] as const);
  const listed = workFromFields([['doi', decision.doi], ...fields], line);
  return listed.kind === 'work' ? { ...listed, decides: entry } : listed;
}

async function* fromBibtex(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ListedWork> {
  for await (const { line, fields, reason } of readBibtex(chunks)) {
    if (!fields) {
      yield { kind: 'bad', line, reason };
      continue;
    }
    // `eprint` is an arXiv id if the entry says so, or says nothing else.
    const said = new Map(fields);
    const archive = (said.get('archiveprefix') ?? said.get('eprinttype') ?? 'arxiv').toLowerCase();
    yield workFromFields(
      fields.filter(([name]) => name !== 'eprint' || archive === 'arxiv'),
      line,
    );
  }
}

const RIS_FIELDS = fieldsNamed({
  doi: 'DO',
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
  id: 'M3 AN ID',
  pmcid: 'C2',
});

/** RIS types that say what a work is; others are used for everything. */
const RIS_TYPES: Readonly<Record<string, string>> = {
  JOUR: 'article',
  CHAP: 'book-chapter',
  BOOK: 'book',
  THES: 'dissertation',
  RPRT: 'report',
  DATA: 'dataset',
  CPAPER: 'conference-paper',
  CONF: 'conference-paper',
};

async function* fromRis(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ListedWork> {
  for await (const { line, fields, reason } of readRis(chunks)) {
    if (reason !== undefined) {
      yield { kind: 'bad', line, reason };
      continue;
    }
    const value = (tag: string): string => fields.find(([name]) => name === tag)?.[1] ?? '';
    const pages = [value('SP'), value('EP')].filter((page) => page !== '').join('-');
    const named = fields.flatMap(([tag, text]) => {
      const name = RIS_FIELDS.get(tag);
      return name === undefined ? [] : [[name, text] as const];
    });
    // Dates are more precise than years.
    const dates = named.filter(([name]) => name === 'date');
    yield workFromFields([...dates, ...named, ['pages', pages], ['work_type', RIS_TYPES[value('TY')] ?? '']], line);
  }
}

const NBIB_FIELDS: Readonly<Record<string, string>> = {
  PMID: 'pmid',
  PMC: 'pmcid',
  TI: 'title',
  BTI: 'title',
  FAU: 'one_author',
  CN: 'one_group',
  DP: 'date',
  JT: 'journal',
  VI: 'volume',
  IP: 'issue',
  PG: 'pages',
  AB: 'abstract',
  LA: 'language',
  OT: 'keywords',
};

async function* fromNbib(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ListedWork> {
  for await (const { line, fields, reason } of readNbib(chunks)) {
    if (reason !== undefined) {
      yield { kind: 'bad', line, reason };
      continue;
    }
    yield workFromFields(
      fields.flatMap(([tag, text]) => {
        // `LID` and `AID` hold ids of several kinds, followed by their kind.
        const doi = tag === 'LID' || tag === 'AID' ? /^(\S+) \[doi\]$/i.exec(text)?.[1] : undefined;
        if (doi !== undefined) return [['doi', doi] as const];
        const name = NBIB_FIELDS[tag];
        return name === undefined ? [] : [[name, text] as const, ...(name === 'date' ? [['year', text] as const] : [])];
      }),
      line,
    );
  }
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

/** A CSL-JSON item; an OpenAlex record is taken as such. */
function workFromCsl(value: object, line: number): ListedWork {
  const listed = workFromObject(value, line);
  if (listed.kind !== 'work' || listed.work.isComplete) return withCslAuthors(listed, value);
  const record = recordFromCsl(value, listed.work.id);
  return { ...listed, record: withProvenance({ ...record, ids: listed.work.ids }, 'list', '') };
}

/** CSL has authors as objects, which the generic fields do not cover. */
function withCslAuthors(listed: ListedWork, value: object): ListedWork {
  if (listed.kind !== 'cited') return listed;
  const record = withProvenance(recordFromCsl(value, ''), 'list', '');
  const authors = record.authors.map(({ family, name }) => family ?? name);
  const year = listed.cited.year ?? (Number(record.date?.slice(0, 4)) || null);
  return { ...listed, record, cited: { ...listed.cited, authors, year } };
}

async function* fromIds(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ListedWork> {
  let line = 0;
  for await (const { text } of splitLines(chunks, LONGEST_LINE)) {
    line += 1;
    if (text === undefined) yield { kind: 'bad', line, reason: `line is longer than ${LONGEST_LINE} bytes` };
    else if (text.trim() !== '' && !text.trim().startsWith('#'))
      // A bare number is a PMID: no other kind of id is a number.
      yield workFromLine(text.replace(/^\uFEFF/, '').replace(/^\s*([1-9]\d{0,8})\s*$/, 'PMID:$1'), line);
  }
}
