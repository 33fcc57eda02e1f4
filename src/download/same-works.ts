import { compareTitles } from '../resolve/index.ts';
import type { Work, WorkIds } from '../works/index.ts';
import type { ManifestRow } from './manifest-row.ts';
import { namesNoWork } from './reasons.ts';

export interface SameWork {
  readonly id: string;
  readonly evidence: string;
}

export type NamedWork = Pick<Work, 'id' | 'ids' | 'title'>;

export interface KnownIdentity {
  /** Whether a person split off a work: it is a duplicate of no other. */
  isApart(work: string): boolean;
  /** How many works were split off and not tried since. */
  untriedApart(): number;
  /** The work that an earlier run saved with these bytes. */
  savedWith(sha256: string): NamedWork | undefined;
}

/** About 100 MB. Beyond it works are no longer merged. */
const MAX_NAMES = 1_000_000;

/**
 * Which works are one under several ids. A wrong merge loses a work, a missed one costs a download: works with
 * different DOIs stay two, and a preprint has its own identity beside its article.
 */
export class SameWorks {
  readonly #last: (work: string) => Pick<ManifestRow, 'reason'> | undefined;
  readonly #byName = new Map<string, Work>();
  readonly #bySha256 = new Map<string, NamedWork>();
  readonly #known: KnownIdentity | undefined;

  /** `last` returns the last row of a work, so that works of earlier runs are known. */
  constructor(last: (work: string) => Pick<ManifestRow, 'reason'> | undefined, known?: KnownIdentity) {
    this.#last = last;
    this.#known = known;
  }

  /** The work this one duplicates; otherwise registers its ids. */
  claim(work: Work): SameWork | undefined {
    // A person split it off from another work.
    if (this.#known?.isApart(work.id)) return undefined;
    const names = namesOf(work);
    for (const name of names) {
      const known = this.#byName.get(name);
      if (known && known.id !== work.id && !haveDifferentIds(known, work))
        return { id: known.id, evidence: `both are ${name}` };
    }
    for (const name of names) {
      const row = name === work.id || this.#byName.has(name) ? undefined : this.#last(name);
      if (row && !namesNoWork(row.reason) && !this.#known?.isApart(name))
        return { id: name, evidence: `it is ${name}` };
    }
    for (const name of names)
      if (this.#byName.size < MAX_NAMES && !this.#byName.has(name)) this.#byName.set(name, work);
    return undefined;
  }

  /** One file may contain a whole issue: the titles must agree, unless one work is known by URL only. */
  claimBytes(work: Work, sha256: string): SameWork | undefined {
    const known = this.#bySha256.get(sha256) ?? this.#known?.savedWith(sha256);
    if (known && known.id !== work.id && !this.#known?.isApart(work.id)) {
      const titles = compareTitles(known.title, work.title);
      const isAddress = (each: NamedWork): boolean => each.id.startsWith('url:');
      const agree = titles === 'same' || (titles === 'unknown' && (isAddress(known) || isAddress(work)));
      if (agree && !haveDifferentIds(known, work))
        return { id: known.id, evidence: `its file has the same bytes (sha256 ${sha256.slice(0, 12)}…)` };
    }
    if (!this.#bySha256.has(sha256) && this.#bySha256.size < MAX_NAMES) this.#bySha256.set(sha256, work);
    return undefined;
  }
}

/** arXiv records name the DOI of the article, and articles their preprint: these are other versions. */
function ownIds({ id, ids }: NamedWork): Partial<Record<keyof WorkIds, string | null>> {
  const { openalex, doi, arxiv, pmid, pmcid } = ids;
  const isPreprint = arxiv !== null && (id.startsWith('arxiv:') || doi === null || doi.startsWith('10.48550/'));
  return isPreprint ? { arxiv: arxiv.id } : { openalex, doi, pmid, pmcid };
}

function namesOf(work: Work): string[] {
  const { openalex, arxiv, ...others } = ownIds(work);
  const named = Object.entries({ ...others, arxiv }).flatMap(([kind, value]) => (value ? [`${kind}:${value}`] : []));
  const registered = arxiv ? [`doi:10.48550/arxiv.${arxiv.toLowerCase()}`] : [];
  return [...new Set([work.id, ...(openalex ? [openalex] : []), ...named, ...registered])];
}

/** Two OpenAlex works with one DOI stay two: one of them may list the only open copy. */
function haveDifferentIds(one: NamedWork, other: NamedWork): boolean {
  const ids = ownIds(other);
  return Object.entries(ownIds(one)).some(([kind, id]) => {
    const theirs = ids[kind as keyof typeof ids] ?? null;
    return id !== null && theirs !== null && id !== theirs;
  });
}
