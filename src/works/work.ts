import type { HostType, License, Version } from './license.ts';
import type { WorkIds } from './ids.ts';
import { keyOf, NO_IDS } from './ids.ts';

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
  /** As OpenAlex calls it: `article`, `preprint`, `book-chapter`, … */
  readonly type: string | null;
  /** ISO 639-1. */
  readonly language: string | null;
  /** Their names, in order. */
  readonly authors: readonly string[];
  readonly isRetracted: boolean;
  /** Whether an open copy is known; null if nobody has said. */
  readonly isOpen: boolean | null;
  /** Best open location first; empty for a work known by id only. */
  readonly locations: readonly WorkLocation[];
  /** What OpenAlex offers itself. */
  readonly content: { readonly pdf: boolean; readonly tei: boolean };
  /** URLs given by the user, tried like locations of unknown kind. */
  readonly urls: readonly string[];
  /** False if only ids are known, so a lookup may add more. */
  readonly isComplete: boolean;
}

interface Known {
  readonly title?: string | null;
  readonly year?: number | null;
  readonly urls?: readonly string[];
  readonly authors?: readonly string[];
}

/** Undefined without any id. */
export function workFromIds(ids: WorkIds, known: Known = {}): Work | undefined {
  const id = keyOf(ids);
  return id === undefined ? undefined : namedWork(id, ids, known);
}

/** It may have no ids. */
export function namedWork(
  id: string,
  ids: WorkIds,
  { title = null, year = null, urls = [], authors = [] }: Known = {},
): Work {
  return {
    id,
    ids: { ...NO_IDS, ...ids },
    title,
    year,
    type: null,
    language: null,
    authors,
    isRetracted: false,
    isOpen: null,
    locations: [],
    content: { pdf: false, tei: false },
    urls,
    isComplete: false,
  };
}
