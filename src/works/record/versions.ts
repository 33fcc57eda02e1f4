import { lettersOf } from '../../base/index.ts';
import { namesOf } from './cite.ts';
import type { WorkRecord } from './record.ts';
import { retractionOf, yearOf } from './record.ts';

type VersionReason = 'same-id' | 'doi-family' | 'crossref-relation' | 'title-authors-year';

/** Links a record to another version; `score` is the confidence, 1 if a source says so. */
export interface VersionLink {
  readonly work: string;
  readonly of: string;
  readonly reason: VersionReason;
  readonly score: number;
}

/** Similar records below this score stay separate. */
const SURE_ENOUGH = 0.8;
const SHORTEST_TITLE = 20;
const ABOUT = new Set(
  'erratum retraction editorial letter peer-review paratext dataset supplementary-materials'.split(' '),
);

/** By a shared id or DOI, by Crossref's relations, or by title, authors and year. */
export function findVersions(records: Iterable<WorkRecord>): VersionLink[] {
  const all = [...records];
  const links = new Map<string, VersionLink>();
  const add = (a: WorkRecord, b: WorkRecord, reason: VersionReason, score: number): void => {
    if (a.id === b.id || ABOUT.has(a.type ?? '') || ABOUT.has(b.type ?? '')) return;
    const [first, second] = a.id < b.id ? [a, b] : [b, a];
    const key = `${first.id} ${second.id}`;
    if (!links.has(key)) links.set(key, { work: second.id, of: first.id, reason, score });
  };
  const pairs = (keyOf: (record: WorkRecord) => string | null, reason: VersionReason): void => {
    for (const [key, group] of Map.groupBy(all, keyOf)) {
      const [first] = group;
      if (key === null || !first) continue;
      for (const other of group.slice(1)) add(first, other, reason, 1);
    }
  };
  pairs(({ ids }) => ids.doi, 'same-id');
  pairs(({ ids }) => ids.arxiv?.id ?? null, 'same-id');
  pairs(({ ids }) => ids.pmid, 'same-id');
  pairs(({ ids }) => doiFamily(ids.doi), 'doi-family');
  const byDoi = new Map(all.flatMap((record) => (record.ids.doi === null ? [] : [[record.ids.doi, record] as const])));
  for (const record of all) {
    for (const { doi } of record.relations) {
      const other = byDoi.get(doi);
      if (other) add(record, other, 'crossref-relation', 1);
    }
  }
  for (const [key, group] of Map.groupBy(all, ({ title }) => titleKey(title))) {
    if (key === null) continue;
    for (const [at, record] of group.entries()) {
      for (const other of group.slice(at + 1, at + 10)) {
        const score = likeness(record, other);
        if (score >= SURE_ENOUGH) add(record, other, 'title-authors-year', score);
      }
    }
  }
  return [...links.values()];
}

const LONGEST_KEY = 60;

/** What a record shares with every record that may be a version of the same work. */
export function versionKeys({ ids, relations, title }: WorkRecord): string[] {
  const families = [ids.doi, ...relations.map(({ doi }) => doi)].flatMap((doi) => doiFamily(doi) ?? []);
  const titled = titleKey(title);
  return [
    ...new Set([
      ...families.map((family) => `doi:${family}`),
      ...(ids.arxiv ? [`arxiv:${ids.arxiv.id}`] : []),
      ...(ids.pmid === null ? [] : [`pmid:${ids.pmid}`]),
      ...(titled === null ? [] : [`title:${titled.slice(0, LONGEST_KEY)}`]),
    ]),
  ];
}

/** `10.21203/rs.3.rs-1/v2` → `10.21203/rs.3.rs-1`; null for a DOI without a version. */
function doiFamily(doi: string | null): string | null {
  if (doi === null) return null;
  const stem = /^(.+?)(?:[./]v\d{1,2})$/.exec(doi)?.[1] ?? /^(10\.12688\/[a-z0-9]+\.\d+)\.\d{1,2}$/.exec(doi)?.[1];
  return stem ?? doi;
}

/** A title's letters and digits; null if too short to identify a work. */
function titleKey(title: string | null): string | null {
  const key = lettersOf(title ?? '');
  return key.length < SHORTEST_TITLE ? null : key;
}

/** Similarity of records with the same title: half for that, the rest for authors and year. */
function likeness(a: WorkRecord, b: WorkRecord): number {
  const [left, right] = [familiesOf(a), familiesOf(b)];
  const shared = [...left].filter((name) => right.has(name)).length;
  const authors = left.size === 0 || right.size === 0 ? 0 : shared / Math.min(left.size, right.size);
  const [yearA, yearB] = [yearOf(a), yearOf(b)];
  const years = yearA === null || yearB === null ? 0.5 : Math.max(0, 1 - Math.abs(yearA - yearB) / 4);
  return 0.5 + 0.35 * authors + 0.15 * years;
}

function familiesOf({ authors }: WorkRecord): Set<string> {
  return new Set(authors.map((author) => lettersOf(namesOf(author).family ?? author.name)));
}

const RANKS = { publishedVersion: 0, acceptedVersion: 1, submittedVersion: 2 } as const;

/**
 * Versions of one work, best first: with an id, not retracted, with a file, then published before accepted before
 * submitted. An entry of a list that nobody could identify never hides the work it is.
 */
export function bestFirst(records: readonly WorkRecord[], hasFile: (id: string) => boolean): WorkRecord[] {
  const ranked = records.map((record) => {
    const rank =
      (isIdentified(record) ? 0 : 1_000) +
      (retractionOf(record) ? 100 : 0) +
      (hasFile(record.id) ? 0 : 50) +
      (record.type === 'preprint' ? 10 : 0) +
      (record.version === null ? 3 : RANKS[record.version]);
    return { record, rank };
  });
  return ranked
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        (b.record.date ?? '').localeCompare(a.record.date ?? '') ||
        a.record.id.localeCompare(b.record.id),
    )
    .map(({ record }) => record);
}

function isIdentified({ id }: WorkRecord): boolean {
  return !id.startsWith('entry:');
}

/** Each group has more than one member. */
export function groupsOf(links: Iterable<VersionLink>): string[][] {
  const parent = new Map<string, string>();
  const root = (id: string): string => {
    let at = id;
    while (parent.has(at)) at = parent.get(at) as string;
    return at;
  };
  const members = new Set<string>();
  for (const { work, of } of links) {
    members.add(work).add(of);
    const [a, b] = [root(work), root(of)];
    if (a !== b) parent.set(a > b ? a : b, a > b ? b : a);
  }
  return [...Map.groupBy([...members].toSorted(), root).values()];
}
