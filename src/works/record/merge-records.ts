import { mergeIds } from '../ids/work-ids.ts';
import type { Author, Notice, Provenance, RecordSource, Relation, WorkRecord } from './record.ts';

/**
 * Two records of one work as one. What the first says counts; where it says nothing, the second's word is kept. Notices and
 * relations of both are kept, and authors are told apart by whichever source has taken their names apart.
 */
export function mergeRecords(first: WorkRecord, second: WorkRecord): WorkRecord {
  const merged: Record<string, unknown> = { ...first };
  for (const [field, value] of Object.entries(second)) if (isEmpty(merged[field])) merged[field] = value;
  return {
    ...(merged as unknown as WorkRecord),
    id: first.id,
    ids: mergeIds(first.ids, second.ids),
    authors: mergeAuthors(first.authors, second.authors),
    notices: distinct([...first.notices, ...second.notices], noticeKey),
    relations: distinct([...first.relations, ...second.relations], relationKey),
    sources: mergeSources(first.sources, second.sources),
  };
}

/** Says which fields of a record a source gave. */
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

/** The same people in the same order: names taken apart from one, ORCID and institutions from either. */
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

/** Of two moments at which a source was asked, the later one counts for the fields it gave. */
function mergeSources(first: readonly Provenance[], second: readonly Provenance[]): readonly Provenance[] {
  const named = new Set(first.map(({ from }) => from));
  const given = new Set(first.flatMap(({ fields }) => fields));
  return [
    ...first,
    ...second
      .map((each) => ({ ...each, fields: each.fields.filter((field) => !given.has(field)) }))
      .filter(({ from, fields }) => fields.length > 0 || !named.has(from)),
  ];
}

function distinct<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.toReversed().map((item) => [keyOf(item), item])).values()].toReversed();
}

function noticeKey({ kind, doi, source }: Notice): string {
  return `${kind} ${doi ?? source}`;
}

function relationKey({ kind, doi }: Relation): string {
  return `${kind} ${doi}`;
}
