import { BM25 } from '../parse/index.ts';
import type { SearchFilter, WantedTerm } from './index-reader.ts';
import type { IndexRows, SegmentRow } from './index-rows.ts';
import { isAside } from './section.ts';
import { LexicalSegment } from './segment/lexical.ts';
import { SegmentFile, segmentPath } from './segment/segment-file.ts';
import { CodeIndex, dot, HIDDEN } from './segment/vectors.ts';
import { hasVector, readFacet } from './segment/write-segment.ts';
import type { Passage } from './passage.ts';

export class OpenedSegments implements Disposable {
  readonly segments: readonly OpenedSegment[];
  readonly passages: number;
  readonly centroid: Float32Array;
  readonly #averageLength: number;

  /** `length` is the number of terms in all passages, including deleted ones until a merge removes them. */
  constructor(segments: readonly OpenedSegment[], length: number, dimensions: number) {
    this.segments = segments;
    this.passages = segments.reduce((sum, segment) => sum + segment.passages, 0);
    this.#averageLength = length / this.passages || 1;
    this.centroid = meanCentroid(segments, dimensions);
  }

  /** BM25 of every passage, by segment; 0 for hidden passages. */
  scoreWords(terms: readonly WantedTerm[], hidden: readonly Uint8Array[]): Float32Array[] {
    const scores = this.segments.map(({ passages }) => new Float32Array(passages));
    for (const { term, weight } of terms) {
      const bytes = Buffer.from(term, 'utf8');
      for (const [at, { lexical }] of this.segments.entries()) {
        const found = lexical.find(bytes);
        if (found) lexical.addScores(found, weight * (BM25.k1 + 1), this.#averageLength, scores[at] as Float32Array);
      }
    }
    for (const [at, own] of scores.entries())
      for (let place = 0; place < own.length; place += 1) if (hidden[at]?.[place] === 1) own[place] = 0;
    return scores;
  }

  /** The passages with one of these terms, by segment. */
  placesOf(terms: readonly string[]): Set<number>[] {
    const wanted = terms.map((term) => Buffer.from(term, 'utf8'));
    return this.segments.map(
      ({ lexical }) =>
        new Set(
          wanted.flatMap((term) => {
            const found = lexical.find(term);
            return found ? Array.from(lexical.postings(found).places) : [];
          }),
        ),
    );
  }

  frequency(term: string): number {
    const bytes = Buffer.from(term, 'utf8');
    return this.segments.reduce((sum, { lexical }) => sum + (lexical.find(bytes)?.frequency ?? 0), 0);
  }

  /** The visible passages whose codes are nearest to a query. */
  nearest(vector: Float32Array, hidden: readonly Uint8Array[], count: number): number[] {
    const histogram = new Uint32Array(HIDDEN + 1);
    const scans = this.segments.map(({ base, codes, facets }, at) => {
      const distances = codes?.scan(vector) ?? new Uint16Array();
      for (let place = 0; place < distances.length; place += 1) {
        if (hidden[at]?.[place] === 1 || !hasVector(facets[place] as number)) distances[place] = HIDDEN;
        const distance = distances[place] as number;
        histogram[distance] = (histogram[distance] as number) + 1;
      }
      return { base, distances };
    });
    let [bound, within] = [0, 0];
    while (bound < HIDDEN && within < count) within += histogram[bound++] as number;
    const near: number[] = [];
    for (const { base, distances } of scans)
      for (let place = 0; place < distances.length; place += 1)
        if ((distances[place] as number) < bound) near.push(base + place);
    return near;
  }

  /** The similarity of a passage to a query; undefined if it has no vector. */
  similarity(place: number, vector: Float32Array): number | undefined {
    const { segment, local } = this.locate(place);
    const own = segment.vector(local);
    return own && dot(own, vector);
  }

  locate(place: number): { readonly segment: OpenedSegment; readonly at: number; readonly local: number } {
    let at = this.segments.length - 1;
    while (at > 0 && (this.segments[at] as OpenedSegment).base > place) at -= 1;
    const segment = this.segments[at] as OpenedSegment;
    return { segment, at, local: place - segment.base };
  }

  passage(place: number): Passage {
    const { segment, local } = this.locate(place);
    return segment.passage(local);
  }

  [Symbol.dispose](): void {
    for (const segment of this.segments) segment[Symbol.dispose]();
  }
}

function meanCentroid(segments: readonly OpenedSegment[], dimensions: number): Float32Array {
  const sum = new Float64Array(dimensions);
  const total = segments.reduce((count, { embedded }) => count + embedded, 0);
  for (const { centroid, embedded } of segments)
    for (const [at, value] of centroid.entries()) sum[at] = (sum[at] ?? 0) + value * embedded;
  return Float32Array.from(sum, (value) => value / Math.max(1, total));
}

/** Its passages are numbered from `base` in the whole index. */
export class OpenedSegment implements Disposable {
  readonly base: number;
  readonly passages: number;
  readonly documents: ReturnType<IndexRows['placesIn']>;
  readonly lexical: LexicalSegment;
  /** Undefined if the index is searched by words alone. */
  readonly codes: CodeIndex | undefined;
  /** How many passages have a vector, and the mean of the vectors. */
  readonly embedded: number;
  readonly centroid: Float32Array;
  readonly facets: Uint8Array;
  readonly #offsets: Float64Array;
  readonly #file: SegmentFile;

  constructor(rows: IndexRows, row: SegmentRow, how: { readonly base: number; readonly withVectors: boolean }) {
    this.#file = new SegmentFile(segmentPath(rows.folder, row.name));
    try {
      this.base = how.base;
      this.passages = row.passages;
      this.documents = rows.placesIn(row.name);
      this.lexical = new LexicalSegment(this.#file);
      this.#offsets = new Float64Array(this.#file.section('offsets'));
      this.facets = new Uint8Array(this.#file.section('facets'));
      const { embedded } = this.#file.footer;
      this.embedded = embedded ?? 0;
      this.centroid = new Float32Array(embedded === null ? [] : this.#file.section('centroid'));
      const isDense = how.withVectors && embedded !== null;
      this.codes = isDense ? new CodeIndex(this.#file, this.centroid, row.passages) : undefined;
    } catch (error) {
      this.#file[Symbol.dispose]();
      throw this.#file.described(error);
    }
  }

  passage(place: number): Passage {
    try {
      const from = this.#textAt(place);
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

  vector(place: number): Float32Array | undefined {
    if (!hasVector(this.facets[place] as number)) return undefined;
    const vector = new Float32Array(this.centroid.length);
    this.#file.into('passages', new Uint8Array(vector.buffer), this.#offsets[place]);
    return vector;
  }

  /** The text of a passage follows its vector. */
  #textAt(place: number): number {
    return (this.#offsets[place] as number) + (hasVector(this.facets[place] as number) ? this.centroid.byteLength : 0);
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }
}

/** Which passages of a segment a filter hides, are deleted, or belong to copies of other documents: 1 for those. */
export function hiddenPlaces(segment: OpenedSegment, filter: SearchFilter, copies: ReadonlySet<string>): Uint8Array {
  // Passages that belong to no document are deleted.
  const hidden = new Uint8Array(segment.passages).fill(1);
  for (const { id, first, count } of segment.documents)
    if (!copies.has(id) && filter.documents?.accepts(id) !== false) hidden.fill(0, first, first + count);
  const wanted = new Set(filter.sections);
  const hides = Array.from({ length: 256 }, (_, facet) => {
    const { section, hasTable, hasFigure } = readFacet(facet);
    if (filter.sections ? !wanted.has(section) : isAside(section)) return true;
    return (filter.has === 'table' && !hasTable) || (filter.has === 'figure' && !hasFigure);
  });
  for (let place = 0; place < hidden.length; place += 1) if (hides[segment.facets[place] as number]) hidden[place] = 1;
  return hidden;
}
