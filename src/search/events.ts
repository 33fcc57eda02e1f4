/** Why a document is found by its words alone. */
export type WordsOnlyReason = 'no vectors' | 'old vectors' | 'another model' | 'damaged vectors';

/** Events of building an index. */
export type IndexEvent =
  /** Passages are new or others than those indexed, so an index is being built; `kept` is how many the old one has. */
  | { readonly kind: 'index-started'; readonly documents: number; readonly kept: number | undefined }
  /** A document has been taken in. */
  | {
      readonly kind: 'index-progress';
      readonly documents: number;
      readonly of: number;
      readonly passages: number;
    }
  /** A document will be found by its words alone: it has no vectors, others than its chunks, or those of another model. */
  | {
      readonly kind: 'index-words-only';
      readonly document: string;
      readonly reason: WordsOnlyReason;
    }
  /** A document whose chunks cannot be read: what the index had of it stays, and the next run makes the file again. */
  | { readonly kind: 'index-unreadable'; readonly document: string; readonly message: string }
  /** The index is complete and in force. */
  | { readonly kind: 'index-ended'; readonly passages: number; readonly documents: number };
