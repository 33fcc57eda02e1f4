/** What a search finds: a piece of a document, with all that is needed to show it and to go to it. */
export interface Passage {
  readonly id: string;
  readonly document: string;
  readonly title: string;
  readonly headings: readonly string[];
  /** First page it stands on; undefined for documents without pages. */
  readonly page: number | undefined;
  readonly text: string;
  /** The document's file, as it should be shown. */
  readonly file: string | undefined;
}

/** A passage on its way into an index. */
export interface IndexedPassage extends Passage {
  /** What its terms are taken from, when that is more than its text. */
  readonly searchText?: string;
  /** One vector, several where it is longer than the model's window, none where it was not embedded. */
  readonly vectors: readonly Float32Array[];
}
