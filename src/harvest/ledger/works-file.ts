import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { openRowReader, openRowWriter } from '../../parse/index.ts';
import type { RecordStore, WorkRecord } from '../../works/index.ts';
import { retractionOf, yearOf } from '../../works/index.ts';

const NAME = 'works.parquet';
const SCHEMA = 'docstokg/works/1';

const COLUMNS = {
  id: 'string',
  doi: 'string',
  pmid: 'string',
  pmcid: 'string',
  arxiv: 'string',
  openalex: 'string',
  type: 'string',
  title: 'string',
  authors: 'strings',
  orcids: 'strings',
  institutions: 'strings',
  rors: 'strings',
  date: 'string',
  year: 'integer',
  venue: 'string',
  publisher: 'string',
  volume: 'string',
  issue: 'string',
  pages: 'string',
  language: 'string',
  abstract: 'string',
  topics: 'strings',
  keywords: 'strings',
  funders: 'strings',
  references: 'strings',
  cited_by: 'integer',
  license: 'string',
  version: 'string',
  access: 'string',
  is_retracted: 'integer',
  url: 'string',
  sources: 'strings',
  /** The whole record as JSON: what stands beside it is there to be asked for by name. */
  record: 'string',
} as const;

/** Writes every record of a run into `works.parquet`. A text that is not known is empty. */
export async function writeWorksFile(folder: string, records: Iterable<WorkRecord>): Promise<void> {
  await using writer = await openRowWriter(join(folder, NAME), { metadata: { schema: SCHEMA }, columns: COLUMNS });
  for (const record of records) await writer.write(rowOf(record));
  await writer.finish();
}

function rowOf(record: WorkRecord): Record<keyof typeof COLUMNS, unknown> {
  const { ids, authors } = record;
  const institutions = authors.flatMap((author) => author.institutions);
  const unique = (values: readonly (string | null)[]): string[] => [...new Set(values.filter((each) => each !== null))];
  return {
    id: record.id,
    doi: ids.doi ?? '',
    pmid: ids.pmid ?? '',
    pmcid: ids.pmcid ?? '',
    arxiv: ids.arxiv?.id ?? '',
    openalex: ids.openalex ?? '',
    type: record.type ?? '',
    title: record.title ?? '',
    authors: authors.map(({ name }) => name),
    orcids: authors.map(({ orcid }) => orcid ?? ''),
    institutions: unique(institutions.map(({ name }) => name)),
    rors: unique(institutions.map(({ ror }) => ror)),
    date: record.date ?? '',
    year: yearOf(record) ?? undefined,
    venue: record.venue ?? '',
    publisher: record.publisher ?? '',
    volume: record.volume ?? '',
    issue: record.issue ?? '',
    pages: record.pages ?? '',
    language: record.language ?? '',
    abstract: record.abstract ?? '',
    topics: record.topics.map(({ name }) => name),
    keywords: record.keywords,
    funders: record.funders.map(({ name }) => name),
    references: record.references,
    cited_by: record.citedBy ?? undefined,
    license: record.license ?? '',
    version: record.version ?? '',
    access: record.access ?? '',
    is_retracted: retractionOf(record) ? 1 : 0,
    url: record.url ?? '',
    sources: record.sources.map(({ from, at }) => `${from} ${at}`),
    record: JSON.stringify(record),
  };
}

/** The records of a `works.parquet`, for a database that has lost them. */
async function* readWorksFile(folder: string): AsyncGenerator<WorkRecord> {
  const reader = await openRowReader(join(folder, NAME));
  if (reader.metadata['schema'] !== SCHEMA) return;
  for await (const { record } of reader.rows(['record'])) yield JSON.parse(record as string) as WorkRecord;
}

/** Fills an empty table from the file beside it: either may be lost, and is made whole from the other. */
export async function restoreRecords(
  folder: string,
  store: RecordStore,
  warn: (message: string) => void,
): Promise<void> {
  if (store.size > 0 || !existsSync(join(folder, NAME))) return;
  try {
    store.replace(await Array.fromAsync(readWorksFile(folder)));
    if (store.size > 0) warn(`${store.size} records of works were restored from ${NAME}`);
  } catch (error) {
    warn(`${NAME} cannot be read and is written anew: ${error instanceof Error ? error.message : String(error)}`);
  }
}
