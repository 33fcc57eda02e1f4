import { mergeIds } from '../ids/work-ids.ts';
import type { Author, Notice, Provenance, RecordSource, Relation, WorkRecord } from './record.ts';

/** Precedence of sources; a source asked again overrides itself. */
const TRUST: readonly RecordSource[] = ['openalex', 'crossref', 'list', 'document'];
const UNITED = new Set(['id', 'ids', 'authors', 'notices', 'relations', 'sources']);

/**
 * Merges a record with a new one. A missing field deletes nothing. Notices and relations of both are kept, and names
 * are split by whichever source did so.
 */
export function mergeRecords(known: WorkRecord, said: WorkRecord): WorkRecord {
  const merged: Record<string, unknown> = { ...known };
  const won = new Set<string>();
  for (const [field, value] of Object.entries(said)) {
    if (isEmpty(value)) continue;
    if (!isEmpty(merged[field]) && trust(said, field) > trust(known, field)) continue;
    won.add(field);
    if (!UNITED.has(field)) merged[field] = value;
  }
  const [first, second] = won.has('authors') ? [said, known] : [known, said];
  return {
    ...(merged as unknown as WorkRecord),
    id: known.id,
    ids: won.has('ids') ? mergeIds(said.ids, known.ids) : mergeIds(known.ids, said.ids),
    authors: mergeAuthors(first.authors, second.authors),
    notices: distinct([...known.notices, ...said.notices], noticeKey),
    relations: distinct([...known.relations, ...said.relations], relationKey),
    sources: mergeSources(known.sources, said.sources, won),
  };
}

function trust({ sources }: WorkRecord, field: string): number {
  const source = sources.find(({ fields }) => fields.includes(field))?.from;
  return source === undefined ? TRUST.length : TRUST.indexOf(source);
}

/** Records which fields a source gave. */
export function withProvenance(record: WorkRecord, from: RecordSource, at: string): WorkRecord {
  const fields = Object.entries(record)
    .filter(([name, value]) => name !== 'id' && name !== 'sources' && !isEmpty(value))
    .map(([name]) => name);
  return { ...record, sources: [{ from, at, fields }] };
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.values(value).every((each) => each === null);
}

/** The same people in the same order: split names from one, ORCID and institutions from either. */
function mergeAuthors(first: readonly Author[], second: readonly Author[]): readonly Author[] {
  if (first.length === 0) return second;
  if (first.length !== second.length) return first;
  return first.map((author, at) => {
    const other = second[at];
    if (!other || !isSamePerson(author, other)) return author;
    const split = author.family === null ? other : author;
    return {
      name: author.name,
      family: split.family,
      given: split.given,
      orcid: author.orcid ?? other.orcid,
      institutions: author.institutions.length > 0 ? author.institutions : other.institutions,
    };
  });
}

function isSamePerson(a: Author, b: Author): boolean {
  if (a.orcid !== null && b.orcid !== null) return a.orcid === b.orcid;
  const words = (name: string): Set<string> => new Set(plainWords(name));
  const [left, right] = [words(a.name), words(b.name)];
  return [...left].some((word) => word.length > 1 && right.has(word));
}

function plainWords(name: string): string[] {
  return (
    name
      .toLowerCase()
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Each source once, with its latest time and its fields. */
function mergeSources(
  known: readonly Provenance[],
  said: readonly Provenance[],
  won: ReadonlySet<string>,
): readonly Provenance[] {
  const entries = new Map<RecordSource, { at: string; fields: Set<string> }>();
  for (const { from, at, fields } of known)
    entries.set(from, { at, fields: new Set(fields.filter((field) => !won.has(field))) });
  for (const { from, at, fields } of said) {
    const entry = entries.get(from) ?? { at, fields: new Set() };
    for (const field of fields) if (won.has(field)) entry.fields.add(field);
    entries.set(from, { at: at > entry.at ? at : entry.at, fields: entry.fields });
  }
  return TRUST.flatMap((from) => {
    const entry = entries.get(from);
    return entry ? [{ from, at: entry.at, fields: [...entry.fields].toSorted() }] : [];
  });
}

/** Deduplicates by key, the last one wins; the order does not depend on the order of arrival. */
function distinct<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const found = new Map(items.map((item) => [keyOf(item), item]));
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

function noticeKey({ kind, doi, source }: Notice): string {
  return `${kind} ${doi ?? source}`;
}

function relationKey({ kind, doi }: Relation): string {
  return `${kind} ${doi}`;
}
