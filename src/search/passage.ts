import type { Region } from '../parse/index.ts';
import type { Section } from './section.ts';

export interface Passage {
  readonly id: string;
  readonly document: string;
  readonly title: string;
  readonly headings: readonly string[];
  readonly section: Section;
  /** Undefined for documents without pages. */
  readonly page: number | undefined;
  /** Its boxes on the pages, in points from the upper left corner. */
  readonly boxes: readonly Region[];
  /** Where pages begin in its text: an offset, then the page, in turns. Missing where it is not known. */
  readonly pageStarts?: readonly number[];
  readonly hasTable: boolean;
  readonly hasFigure: boolean;
  readonly text: string;
  /** Path or link. */
  readonly file: string | undefined;
}

type Defaulted = 'section' | 'boxes' | 'hasTable' | 'hasFigure';

/** A passage to be indexed; missing fields default to running text. */
export interface IndexedPassage extends Omit<Passage, Defaulted>, Partial<Pick<Passage, Defaulted>> {
  /** The text to index, if it is more than `text`. */
  readonly searchText?: string;
  /** Undefined if it was not embedded. */
  readonly vector: Float32Array | undefined;
}
