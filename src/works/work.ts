import type { HostType, License, Version } from './license.ts';
import type { WorkIds } from './ids.ts';
import { keyOf, NO_IDS } from './ids.ts';

/** A location of a work, as listed by OpenAlex. */
export interface WorkLocation {
  readonly landingUrl: string | null;
  readonly pdfUrl: string | null;
  readonly isOpen: boolean;
  readonly license: License | null;
  readonly version: Version | null;
  readonly hostType: HostType | null;
}

/** A scholarly work as known before downloading. Plain data, so it can be a queue payload. */
export interface Work {
  /** The id it is queued and filed under: OpenAlex's, else the best of the others. */
  readonly id: string;
  readonly ids: WorkIds;
  readonly title: string | null;
  readonly year: number | null;
  readonly type: string | null;
  readonly language: string | null;
  readonly authors: readonly string[];
  readonly isRetracted: boolean;
  readonly isOpen: boolean | null;
  /** Best open location first; empty for a work known by id only. */
  readonly locations: readonly WorkLocation[];
  /** Copies hosted by OpenAlex. */
  readonly content: { readonly pdf: boolean; readonly tei: boolean };
  /** URLs given by the user, tried like locations of unknown kind. */
  readonly urls: readonly string[];
  /** False if only ids are known, so a lookup may add more. */
  readonly isComplete: boolean;
}

type Known = Partial<Pick<Work, 'title' | 'year' | 'urls' | 'authors'>>;

/** A work from its ids, and perhaps a title; undefined without any id. */
export function workFromIds(ids: WorkIds, known: Known = {}): Work | undefined {
  const id = keyOf(ids);
  return id === undefined ? undefined : namedWork(id, ids, known);
}

/** A work under a given name; it may have no ids. */
export function namedWork(id: string, ids: WorkIds, known: Known = {}): Work {
  return {
    id,
    ids: { ...NO_IDS, ...ids },
    title: known.title ?? null,
    year: known.year ?? null,
    type: null,
    language: null,
    authors: known.authors ?? [],
    isRetracted: false,
    isOpen: null,
    locations: [],
    content: { pdf: false, tei: false },
    urls: known.urls ?? [],
    isComplete: false,
  };
}
