import type { Region } from '../parse/index.ts';
import type { Section } from './section.ts';

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
