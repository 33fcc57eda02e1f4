import { fieldsOf } from '../base/index.ts';
import type { NoticeAbout, WorkIds, WorkRecord } from '../works/index.ts';
import { mergeRecords, versionKeys } from '../works/index.ts';
import type { CorpusSql } from './corpus-sql.ts';
import type { WorkRows } from './work-rows.ts';

/** A line of `records.jsonl`: what a service, a list or a paper says about works. */
export type RecordLine =
  /** Merged into the known record: fields that the source now omits keep their values. */
  | { readonly kind: 'record'; readonly record: WorkRecord }
  /** Replaces the known record. */
  | { readonly kind: 'whole'; readonly record: WorkRecord }
  | { readonly kind: 'notice'; readonly about: NoticeAbout }
  | ({ readonly kind: 'paper'; readonly work: string; readonly said: readonly WorkRecord[] } & OwnPaper)
  | ({ readonly kind: 'words'; readonly work: string; readonly said: readonly WorkRecord[] } & ReadDocument)
  | { readonly kind: 'arxiv'; readonly work: string; readonly version: number }
  /** A catalogue's answer about a printed reference or a cited id. */
  | {
      readonly kind: 'answer';
      readonly question: string;
      readonly origin: string;
      readonly readAt: string;
      readonly answer: { readonly kind: string };
    }
  /** How often a run's lists named each work, for works named more than once in total. */
  | { readonly kind: 'repeats'; readonly times: readonly (readonly [work: string, times: number])[] }
  /** Works that an input file names, and how often, in pieces; the first piece replaces the file's earlier ones. */
  | {
      readonly kind: 'input';
      readonly file: string;
      readonly works: readonly (readonly [work: string, times: number])[];
      readonly from: number;
    };

/** A paper added by the user, identified by its bytes, and whether services were asked about it. */
export interface OwnPaper {
  readonly document: string;
  readonly sha256: string;
  readonly checked: boolean;
}

/** A document whose text was used for its record, with the stamp of its parsed form. */
export interface ReadDocument {
  readonly document: string;
  readonly stamp: string;
}

/** False for an invalid line. */
export function applyRecordLine(sql: CorpusSql, works: WorkRows, line: RecordLine): boolean {
  const add = (record: WorkRecord): void => {
    const known = sameRecord(sql, record);
    put(sql, works, known ? joined(known, record) : record, known === undefined);
    const id = known ? preferredId(record, known) : record.id;
    if (known && id !== known.id) {
      sql.run("update or ignore work_ids set work = ? where work = ? and instr(id, ':') = 0", id, known.id);
      remove(sql, works, known.id);
    }
    // OpenAlex lists some works twice: the other id becomes an alias of this record.
    if (id !== record.id && record.id === record.ids.openalex)
      sql.insert('work_ids', { id: record.id, work: id }, 'or ignore');
    works.changed(record.id);
  };
  switch (line.kind) {
    case 'record':
      if (!isRecord(line.record)) return false;
      add(line.record);
      return true;
    case 'whole':
      if (!isRecord(line.record)) return false;
      put(sql, works, line.record);
      return true;
    case 'notice': {
      if (typeof line.about?.notice?.kind !== 'string') return false;
      const record = noticed(sql, line.about);
      if (record) add({ ...record, notices: [line.about.notice], sources: [] });
      return true;
    }
    case 'paper': {
      if (![line.document, line.work, line.sha256].every((each) => typeof each === 'string') || !areRecords(line.said))
        return false;
      const before = sql.get<{ work: string }>('select work from own_papers where document = ?', line.document);
      // What the paper says of itself is replaced; a record with other sources stays.
      if (before && (before.work !== line.work || line.work === `paper:${line.document}`))
        forget(sql, works, line.document, before.work);
      for (const record of line.said) add({ ...record, id: line.work });
      const { document, work, sha256 } = line;
      sql.insert('own_papers', { document, work, sha256, checked: line.checked ? 1 : 0 }, 'or replace');
      if (before) works.changed(before.work);
      works.changed(line.work);
      return true;
    }
    case 'words':
      if (![line.document, line.work, line.stamp].every((each) => typeof each === 'string') || !areRecords(line.said))
        return false;
      for (const record of line.said) add({ ...record, id: line.work });
      sql.insert('read_documents', { document: line.document, stamp: line.stamp }, 'or replace');
      return true;
    case 'arxiv':
      if (typeof line.work !== 'string' || !Number.isSafeInteger(line.version)) return false;
      sql.insert('arxiv_versions', { work: line.work, version: line.version }, 'or replace');
      return true;
    case 'answer': {
      const { question, origin, readAt, answer } = line;
      if (![question, origin, readAt].every((each) => typeof each === 'string') || typeof answer?.kind !== 'string')
        return false;
      const row = { question, origin, read_at: readAt, answer: JSON.stringify(answer) };
      sql.insert('catalogue_answers', row, 'or replace');
      return true;
    }
    case 'repeats':
      if (!Array.isArray(line.times)) return false;
      for (const [work, times] of line.times as readonly (readonly [string, number])[]) {
        if (typeof work !== 'string' || !Number.isSafeInteger(times)) continue;
        if (times > 0) sql.insert('repeated_entries', { work, times }, 'or replace');
        else sql.run('delete from repeated_entries where work = ?', work);
      }
      return true;
    case 'input': {
      const { file, works: named, from } = line;
      if (typeof file !== 'string' || !Array.isArray(named)) return false;
      if (from === 0) sql.run('delete from listed_in where file = ?', file);
      for (const [id, times] of (named as readonly unknown[]).filter(Array.isArray))
        if (typeof id === 'string' && Number.isSafeInteger(times)) {
          sql.insert('listed_in', { file, id, work: id, times: times as number }, 'or ignore');
          works.changed(id);
        }
      return true;
    }
    default:
      return false;
  }
}

export function readRecord(sql: CorpusSql, id: string): WorkRecord | undefined {
  const row = sql.get<{ record: string }>(
    `select record from records
     where id = coalesce((select id from records where id = ?), (select min(work) from work_ids where id = ?))`,
    id,
    /^doi:/i.test(id) ? id.toLowerCase() : id,
  );
  return row && sql.parse<WorkRecord>(row.record);
}

/** By its id, or by its DOI, which two OpenAlex works may share. */
export function sameRecord(sql: CorpusSql, record: WorkRecord): WorkRecord | undefined {
  const { doi } = record.ids;
  return readRecord(sql, record.id) ?? (doi === null ? undefined : readRecord(sql, `doi:${doi}`));
}

/** Under the best id of the work. */
export function joined(known: WorkRecord, said: WorkRecord): WorkRecord {
  const merged = mergeRecords(known, said);
  const openalex = known.ids.openalex ?? said.ids.openalex;
  return { ...merged, id: preferredId(said, known), ids: { ...merged.ids, openalex } };
}

/** The record of the work that a notice is about. */
export function noticed(sql: CorpusSql, { doi, pmid = null }: NoticeAbout): WorkRecord | undefined {
  return (
    (doi === null ? undefined : readRecord(sql, `doi:${doi}`)) ??
    (pmid === null ? undefined : readRecord(sql, `pmid:${pmid}`))
  );
}

/** A new record has no earlier names to remove. */
function put(sql: CorpusSql, works: WorkRows, record: WorkRecord, isNew = false): void {
  sql.run(
    'insert into records (id, record) values (?, ?) on conflict (id) do update set record = excluded.record',
    record.id,
    JSON.stringify(record),
  );
  if (!isNew) unname(sql, works, record.id);
  for (const id of otherIds(record.ids)) {
    sql.insert('work_ids', { id, work: record.id }, 'or ignore');
    works.changed(id);
  }
  for (const key of versionKeys(record)) sql.insert('version_keys', { key, work: record.id }, 'or ignore');
  works.changed(record.id);
}

function remove(sql: CorpusSql, works: WorkRows, id: string): void {
  unname(sql, works, id);
  sql.run('delete from work_ids where work = ?', id);
  sql.run('delete from records where id = ?', id);
  works.changed(id);
}

function unname(sql: CorpusSql, works: WorkRows, work: string): void {
  for (const { id } of sql.all<{ id: string }>('select id from work_ids where work = ?', work)) works.changed(id);
  sql.run("delete from work_ids where work = ? and instr(id, ':') > 0", work);
  sql.run('delete from version_keys where work = ?', work);
}

function forget(sql: CorpusSql, works: WorkRows, document: string, work: string): void {
  const other = sql.get('select 1 from own_papers where work = ? and document <> ? limit 1', work, document);
  if (!other && readRecord(sql, work)?.sources.every(({ from }) => from === 'document')) remove(sql, works, work);
}

/** The ids of a work other than its OpenAlex id, as names. */
export function otherIds({ doi, pmid, pmcid, arxiv }: WorkIds): string[] {
  const ids = Object.entries({ doi: doi?.toLowerCase() ?? null, pmid, pmcid, arxiv: arxiv?.id ?? null });
  return ids.flatMap(([kind, id]) => (id === null ? [] : [`${kind}:${id}`]));
}

/** An OpenAlex id is preferred; otherwise the known id stays. */
function preferredId(record: WorkRecord, known: WorkRecord): string {
  return record.id === record.ids.openalex && known.id !== known.ids.openalex ? record.id : known.id;
}

const TEXTS = ['title', 'date', 'venue', 'type', 'license', 'access', 'abstract', 'version'] as const;
const LISTS = ['authors', 'notices', 'relations', 'sources', 'references', 'topics', 'keywords', 'funders'] as const;

/** Logs may come from other programs, and one damaged line must not stop the rest. */
export function isRecord(value: unknown): value is WorkRecord {
  if (value === null || typeof value !== 'object') return false;
  const record = value as Readonly<Record<string, unknown>>;
  const isText = (each: unknown): boolean => each === null || typeof each === 'string';
  const { id, ids, authors, citedBy } = record;
  return (
    typeof id === 'string' &&
    TEXTS.every((name) => isText(record[name])) &&
    LISTS.every((name) => Array.isArray(record[name])) &&
    (authors as unknown[]).every((author) => typeof fieldsOf(author)['name'] === 'string') &&
    (citedBy === null || Number.isSafeInteger(citedBy)) &&
    areIds(ids)
  );
}

function areRecords(value: unknown): boolean {
  return Array.isArray(value) && value.every(isRecord);
}

function areIds(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  const ids = value as Readonly<Record<string, unknown>>;
  const texts = [ids['doi'], ids['pmid'], ids['pmcid'], ids['openalex'], fieldsOf(ids['arxiv'])['id']];
  return texts.every((each) => each === null || each === undefined || typeof each === 'string');
}
