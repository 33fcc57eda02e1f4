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
export interface Work extends Readonly<ReturnType<typeof namedWork>> {}

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
) {
  return {
    /** The id it is queued and filed under: OpenAlex's, else the best of the others. */
    id,
    ids: { ...NO_IDS, ...ids },
    title,
    year,
    type: null as string | null,
    language: null as string | null,
    authors,
    isRetracted: false as boolean,
    isOpen: null as boolean | null,
    /** Best open location first; empty for a work known by id only. */
    locations: [] as readonly WorkLocation[],
    content: { pdf: false, tei: false } as { readonly pdf: boolean; readonly tei: boolean },
    /** URLs given by the user, tried like locations of unknown kind. */
    urls,
    /** False if only ids are known, so a lookup may add more. */
    isComplete: false as boolean,
  };
}
