import type { Region } from '../parse/index.ts';
import type { Section } from './section.ts';
import type { OpenedSegment } from './opened-segments.ts';
import { isAside } from './section.ts';
import { readFacet } from './segment/write-segment.ts';

/** What a search finds: a piece of a document, with all that is needed to show it and to go to it. */
export interface Passage {
  readonly id: string;
  readonly document: string;
  readonly title: string;
  readonly headings: readonly string[];
  /** To which part of the paper it belongs. */
  readonly section: Section;
  /** First page it is on; undefined for documents without pages. */
  readonly page: number | undefined;
  /** Where on its pages it is, in points from the upper left corner. */
  readonly boxes: readonly Region[];
  readonly hasTable: boolean;
  readonly hasFigure: boolean;
  readonly text: string;
  /** The document's file, as it should be shown. */
  readonly file: string | undefined;
}

type Told = 'section' | 'boxes' | 'hasTable' | 'hasFigure';

/** A passage on its way into an index; what is not told of it is taken for running text. */
export interface IndexedPassage extends Omit<Passage, Told>, Partial<Pick<Passage, Told>> {
  /** What its terms are taken from, when that is more than its text. */
  readonly searchText?: string;
  /** One vector, several where it is longer than the model's window, none where it was not embedded. */
  readonly vectors: readonly Float32Array[];
}

/** Which passages a question is put to. */
export interface SearchFilter {
  /** Only documents that this accepts. `key` tells one such filter from another, so that its answer can be kept. */
  readonly documents?: { readonly key: string; readonly accepts: (document: string) => boolean };
  /** Only these parts of papers; otherwise all but front matter, reference lists and acknowledgements. */
  readonly sections?: readonly Section[];
  /** Only passages that contain one. */
  readonly has?: 'table' | 'figure';
}

/** Names a filter, so that what it hides need be found only once. */
export function filterKey({ documents, sections, has }: SearchFilter): string {
  return JSON.stringify([documents?.key ?? '', sections ?? [], has ?? '']);
}

/** The places of a segment that a filter hides, with those that are gone, and copies of other documents. */
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
