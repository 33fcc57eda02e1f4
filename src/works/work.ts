import type { HostType, License, Version } from './license.ts';
import type { WorkIds } from './ids/work-ids.ts';
import { keyOf, NO_IDS } from './ids/work-ids.ts';

/** A place where a work is known to be, as OpenAlex lists it. */
export interface WorkLocation {
  readonly landingUrl: string | null;
  readonly pdfUrl: string | null;
  readonly isOpen: boolean;
  readonly license: License | null;
  readonly version: Version | null;
  readonly hostType: HostType | null;
}

/** A scholarly record: what is known before anything is fetched. Plain data, so that it can wait in a queue. */
export interface Work {
  /** The id it is queued and filed under: OpenAlex's if there is one, else the best of the others. */
  readonly id: string;
  readonly ids: WorkIds;
  readonly title: string | null;
  readonly year: number | null;
  readonly type: string | null;
  readonly language: string | null;
  readonly authors: readonly string[];
  readonly isRetracted: boolean;
  readonly isOpen: boolean | null;
  /** The best open location first; empty for a work that is known by its id only. */
  readonly locations: readonly WorkLocation[];
  /** Copies that OpenAlex itself keeps. */
  readonly content: { readonly pdf: boolean; readonly tei: boolean };
  /** URLs somebody gave for the work, tried like locations of unknown kind. */
  readonly urls: readonly string[];
  /** False when only ids are known, so that a lookup may add to it. */
  readonly isComplete: boolean;
}

type Known = Partial<Pick<Work, 'title' | 'year' | 'urls' | 'authors'>>;

/** A work of which no more is known than ids, and perhaps a title; undefined without any id. */
export function workFromIds(ids: WorkIds, known: Known = {}): Work | undefined {
  const id = keyOf(ids);
  return id === undefined ? undefined : namedWork(id, ids, known);
}

/** A work under a name of its own, for whoever has no other: ids may all be missing. */
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
