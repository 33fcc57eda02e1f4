import { open } from 'node:fs/promises';
import { extname } from 'node:path';

import { AppError, parseJsonl, splitLines } from '../../base/index.ts';
import { readBibtex } from './bibtex-entries.ts';
import { readCsv } from './csv-records.ts';
import type { ListedWork } from './listed-work.ts';
import { workFromFields, workFromObject, workFromText } from './listed-work.ts';

export type ListFormat = 'jsonl' | 'csv' | 'tsv' | 'bibtex' | 'ris' | 'ids';

const BY_EXTENSION: Readonly<Record<string, ListFormat>> = {
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.bib': 'bibtex',
  '.bibtex': 'bibtex',
  '.ris': 'ris',
  '.txt': 'ids',
  '.ids': 'ids',
};

const LONGEST_LINE = 10_000_000;

/** The format that a file's name tells. */
export function listFormatOf(path: string): ListFormat {
  const format = BY_EXTENSION[extname(path).toLowerCase()];
  if (format !== undefined) return format;
  throw new AppError('USAGE_LIST_FORMAT', `the format of ${path} cannot be told from its name`, {
    hint: `name it ${Object.keys(BY_EXTENSION).join(', ')}`,
  });
}

/** Reads the works of a file as it streams; its format is told by its name unless given. Bad entries are reported. */
export async function* readWorks(path: string, format?: ListFormat): AsyncGenerator<ListedWork> {
  const chosen = format ?? listFormatOf(path);
  await using file = await open(path, 'r');
  yield* parseWorks(file.createReadStream({ autoClose: false }), chosen);
}

/** The same for bytes that come from elsewhere. */
export function parseWorks(chunks: AsyncIterable<Uint8Array>, format: ListFormat): AsyncGenerator<ListedWork> {
  return PARSERS[format](chunks);
}

const PARSERS: Readonly<Record<ListFormat, (chunks: AsyncIterable<Uint8Array>) => AsyncGenerator<ListedWork>>> = {
  jsonl: fromJsonl,
  csv: (chunks) => fromCsv(chunks, ','),
  tsv: (chunks) => fromCsv(chunks, '\t'),
  bibtex: fromBibtex,
  ris: fromRis,
  ids: fromIds,
};

async function* fromJsonl(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ListedWork> {
  for await (const parsed of parseJsonl(chunks, { maxLineBytes: LONGEST_LINE, tornTail: 'keep' })) {
    const { line } = parsed;
    if (parsed.kind === 'bad') yield parsed;
    else if (typeof parsed.value === 'string') yield workFromText(parsed.value, line);
    else if (parsed.value !== null && typeof parsed.value === 'object') yield workFromObject(parsed.value, line);
    else yield { kind: 'bad', line, reason: 'neither an object nor a string' };
  }
}

async function* fromCsv(chunks: AsyncIterable<Uint8Array>, separator: ',' | '\t'): AsyncGenerator<ListedWork> {
  let header: readonly string[] | undefined;
  for await (const { line, fields } of readCsv(chunks, { separator })) {
    if (!fields) yield { kind: 'bad', line, reason: 'the record is too long or its quotes do not close' };
    else if (!header) {
      header = fields.map((name) => name.replace(/^\uFEFF/, ''));
      // A file of bare ids has no header: its first line is already a work.
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

async function* fromBibtex(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ListedWork> {
  for await (const { line, fields, reason } of readBibtex(chunks)) {
    if (!fields) {
      yield { kind: 'bad', line, reason };
      continue;
    }
    // `eprint` is an arXiv id only where the entry says so, or does not say otherwise.
    const archive = (fields.get('archiveprefix') ?? fields.get('eprinttype') ?? 'arxiv').toLowerCase();
    yield workFromFields(
      [...fields].filter(([name]) => name !== 'eprint' || archive === 'arxiv'),
      line,
    );
  }
}

const RIS_FIELDS: Readonly<Record<string, string>> = {
  DO: 'doi',
  M3: 'id',
  TI: 'title',
  T1: 'title',
  PY: 'year',
  Y1: 'year',
  UR: 'url',
  L1: 'url',
  L2: 'url',
  AN: 'id',
  ID: 'id',
  C2: 'pmcid',
};

async function* fromRis(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ListedWork> {
  let fields: [string, string][] = [];
  let startedAt = 0;
  let line = 0;
  for await (const { text } of splitLines(chunks, LONGEST_LINE)) {
    line += 1;
    if (text === undefined) {
      yield { kind: 'bad', line, reason: `line is longer than ${LONGEST_LINE} bytes` };
      continue;
    }
    const [, tag, value = ''] = /^\uFEFF?([A-Z][A-Z0-9]) {1,2}-\s?(.*)$/.exec(text.replace(/\r$/, '')) ?? [];
    if (tag === 'TY') {
      fields = [];
      startedAt = line;
    } else if (tag === 'ER') {
      yield workFromFields(fields, startedAt);
      startedAt = 0;
    } else if (tag !== undefined) {
      const name = RIS_FIELDS[tag];
      if (name !== undefined) fields.push([name, value]);
    }
  }
  if (startedAt > 0) yield { kind: 'bad', line: startedAt, reason: 'the record has no ER line' };
}

async function* fromIds(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ListedWork> {
  let line = 0;
  for await (const { text } of splitLines(chunks, LONGEST_LINE)) {
    line += 1;
    if (text === undefined) yield { kind: 'bad', line, reason: `line is longer than ${LONGEST_LINE} bytes` };
    else if (text.trim() !== '' && !text.trim().startsWith('#')) yield workFromText(text.replace(/^\uFEFF/, ''), line);
  }
}
