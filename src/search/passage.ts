import type { Region } from '../parse/index.ts';
import type { Section } from './section.ts';
import type { OpenedSegment } from './opened-segments.ts';
import { isAside } from './section.ts';
import { readFacet } from './segment/write-segment.ts';

/** A search result: a piece of a document, with everything needed to show and locate it. */
export interface Passage {
  readonly id: string;
  readonly document: string;
  readonly title: string;
  readonly headings: readonly string[];
  /** The part of the paper it belongs to. */
  readonly section: Section;
  /** Its first page; undefined for documents without pages. */
  readonly page: number | undefined;
  /** Its boxes on the pages, in points from the upper left corner. */
  readonly boxes: readonly Region[];
  readonly hasTable: boolean;
  readonly hasFigure: boolean;
  readonly text: string;
  /** The path or link of the document's file to show. */
  readonly file: string | undefined;
}

type Told = 'section' | 'boxes' | 'hasTable' | 'hasFigure';

/** A passage to be indexed; missing fields default to running text. */
export interface IndexedPassage extends Omit<Passage, Told>, Partial<Pick<Passage, Told>> {
  /** The text to index, if it is more than `text`. */
  readonly searchText?: string;
  /** One vector; several if it is longer than the model's window; none if it was not embedded. */
  readonly vectors: readonly Float32Array[];
}

/** Which passages are searched. */
export interface SearchFilter {
  /** Only documents that `accepts` accepts. `key` identifies the filter, so that its result can be cached. */
  readonly documents?: { readonly key: string; readonly accepts: (document: string) => boolean };
  /** Only these parts of papers; by default all but front matter, reference lists and acknowledgements. */
  readonly sections?: readonly Section[];
  /** Only passages that contain one. */
  readonly has?: 'table' | 'figure';
}

/** The cache key of a filter. */
export function filterKey({ documents, sections, has }: SearchFilter): string {
  return JSON.stringify([documents?.key ?? '', sections ?? [], has ?? '']);
}

/** The passages of a segment that a filter hides, plus deleted ones and copies of other documents. */
export function hiddenPlaces(segment: OpenedSegment, filter: SearchFilter, copies: ReadonlySet<string>): Uint32Array {
  const hidden = new Uint8Array(segment.passages);
  for (const { first, count } of segment.deletions) hidden.fill(1, first, first + count);
  for (const { id, first, count } of segment.documents) {
    if (copies.has(id) || filter.documents?.accepts(id) === false) hidden.fill(1, first, first + count);
  }
  const wanted = new Set(filter.sections);
  for (let place = 0; place < hidden.length; place += 1) {
    const { section, hasTable, hasFigure } = readFacet(segment.facets[place] as number);
    if (filter.sections ? !wanted.has(section) : isAside(section)) hidden[place] = 1;
    if ((filter.has === 'table' && !hasTable) || (filter.has === 'figure' && !hasFigure)) hidden[place] = 1;
  }
  let count = 0;
  for (const each of hidden) count += each;
  const places = new Uint32Array(count);
  let at = 0;
  for (let place = 0; place < hidden.length; place += 1) if (hidden[place] === 1) places[at++] = place;
  return places;
}
