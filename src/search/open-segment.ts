import type { Catalogue, DocumentRow, SegmentRow } from './catalogue.ts';
import { segmentPath } from './catalogue.ts';
import type { Passage } from './passage.ts';
import { CodedIndex } from './segment/codes.ts';
import { DenseIndex } from './segment/dense.ts';
import { LexicalSegment } from './segment/lexical.ts';
import { SegmentFile } from './segment/segment-file.ts';

/** How a segment's vectors are compared with a question. */
export type Vectors =
  | { readonly kind: 'none' }
  /** All of them, in memory. */
  | { readonly kind: 'exact'; readonly index: DenseIndex }
  /** Those whose codes are near, from the file. */
  | { readonly kind: 'coded'; readonly index: CodedIndex };

/** A segment opened for searching. Its places are counted from `base` on in the whole index. */
export class OpenedSegment implements Disposable {
  readonly base: number;
  readonly passages: number;
  readonly documents: readonly DocumentRow[];
  readonly deletions: readonly { readonly first: number; readonly count: number }[];
  readonly lexical: LexicalSegment;
  readonly vectors: Vectors;
  readonly facets: Uint8Array;
  readonly #offsets: Float64Array;
  readonly #file: SegmentFile;

  constructor(
    catalogue: Catalogue,
    row: SegmentRow,
    how: { readonly base: number; readonly vectors: Vectors['kind'] },
  ) {
    this.#file = new SegmentFile(segmentPath(catalogue.folder, row.name));
    try {
      this.base = how.base;
      this.passages = row.passages;
      this.documents = catalogue.documentsIn(row.name);
      this.deletions = catalogue.deletions(row.name);
      this.lexical = new LexicalSegment(this.#file);
      this.#offsets = new Float64Array(this.#file.section('offsets'));
      this.facets = new Uint8Array(this.#file.section('facets'));
      this.vectors = vectorsOf(this.#file, how.vectors);
    } catch (error) {
      this.#file[Symbol.dispose]();
      throw this.#file.described(error);
    }
  }

  passage(place: number): Passage {
    try {
      const from = this.#offsets[place] as number;
      const bytes = Buffer.allocUnsafe((this.#offsets[place + 1] as number) - from);
      this.#file.into('passages', bytes, from);
      const passage = JSON.parse(bytes.toString('utf8')) as Passage;
      const { id, document, title, text, headings } = passage;
      if ([id, document, title, text].some((field) => typeof field !== 'string') || !Array.isArray(headings))
        throw new TypeError('a field is missing');
      return passage;
    } catch (error) {
      throw this.#file.described(error);
    }
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }
}

function vectorsOf(file: SegmentFile, wanted: Vectors['kind']): Vectors {
  const { dense, passages } = file.footer;
  if (wanted === 'none' || !dense) return { kind: 'none' };
  const layout = { ...dense, passages };
  return wanted === 'exact'
    ? { kind: 'exact', index: new DenseIndex(file, layout) }
    : { kind: 'coded', index: new CodedIndex(file, layout) };
}
