import { setImmediate } from 'node:timers/promises';

import type { DenseEngine } from '../parse/index.ts';
import type {
  Candidate,
  IndexManifest,
  IndexReader,
  IndexSnapshot,
  SearchFilter,
  WantedCandidates,
} from './index-reader.ts';
import { filterKey } from './index-reader.ts';
import type { SegmentsManifest } from './index-rows.ts';
import { IndexRows } from './index-rows.ts';
import { hiddenPlaces, OpenedSegment, OpenedSegments } from './opened-segments.ts';
import type { Passage } from './passage.ts';
import { bestFirst, checkModel, SearchIndex } from './search-index.ts';
import type { Scored } from './search-index.ts';
import { hasVector, readFacet } from './segment/write-segment.ts';

const FILTERS_KEPT = 8;

/** The index in the files of a folder, as it was opened. */
class SegmentReader implements IndexReader, IndexSnapshot {
  readonly manifest: IndexManifest;
  readonly #all: OpenedSegments;
  readonly #copies: ReadonlySet<string>;
  readonly #hidden = new Map<string, readonly Uint8Array[]>();

  constructor(index: IndexRows, withVectors: boolean) {
    this.manifest = index.manifest;
    const rows = index.segments();
    using opened = new DisposableStack();
    let base = 0;
    const segments = rows.map((row) => {
      const segment = opened.use(new OpenedSegment(index, row, { base, withVectors }));
      base += segment.passages;
      return segment;
    });
    const length = rows.reduce((sum, row) => sum + row.length, 0);
    this.#all = new OpenedSegments(segments, length, this.manifest.dense?.dimensions ?? 0);
    opened.move();
    this.#copies = index.copies();
  }

  get passages(): number {
    return this.#all.passages;
  }

  get centroid(): Float32Array {
    return this.#all.centroid;
  }

  frequency(term: string): number {
    return this.#all.frequency(term);
  }

  async snapshot(): Promise<IndexSnapshot> {
    return this;
  }

  async candidates({ filter, terms, byWords, near }: WantedCandidates): Promise<readonly Candidate[]> {
    const all = this.#all;
    const hidden = this.#hiddenBy(filter);
    const nearest = near ? all.nearest(near.vector, hidden, near.count) : [];
    const words = byWords > 0 ? all.scoreWords(terms, hidden) : [];
    const worded = bestOf(all.segments, words, byWords);
    const rare = all.placesOf(terms.filter(({ isRare }) => isRare).map(({ term }) => term));
    return Array.from(new Set([...nearest, ...worded]), (place) => {
      const { at, local, segment } = all.locate(place);
      const facet = segment.facets[local] ?? 0;
      return {
        place,
        lexical: words[at]?.[local] ?? 0,
        similarity: near && all.similarity(place, near.vector),
        hasVector: hasVector(facet),
        section: readFacet(facet).section,
        isRare: rare[at]?.has(local) ?? false,
      };
    });
  }

  async read(places: readonly number[]): Promise<ReadonlyMap<number, Passage>> {
    return new Map(places.map((place) => [place, this.#all.passage(place)]));
  }

  async documents(): Promise<readonly string[]> {
    return this.#all.segments
      .flatMap(({ documents }) => documents.map(({ id }) => id))
      .filter((id) => !this.#copies.has(id))
      .sort();
  }

  async passagesOf(document: string): Promise<readonly Passage[]> {
    for (const segment of this.#all.segments) {
      const row = segment.documents.find(({ id }) => id === document);
      if (row) return Array.from({ length: row.count }, (_, at) => segment.passage(row.first + at));
    }
    return [];
  }

  #hiddenBy(filter: SearchFilter): readonly Uint8Array[] {
    const key = filterKey(filter);
    const known = this.#hidden.get(key);
    if (known) return known;
    const found = this.#all.segments.map((segment) => hiddenPlaces(segment, filter, this.#copies));
    for (const oldest of this.#hidden.keys()) {
      if (this.#hidden.size < FILTERS_KEPT) break;
      this.#hidden.delete(oldest);
    }
    this.#hidden.set(key, found);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#all[Symbol.dispose]();
  }
}

/** What the index of a folder holds. */
export function readManifest(folder: string): SegmentsManifest {
  using index = IndexRows.read(folder);
  return index.manifest;
}

/** Opens the index of a folder; with an engine also its vectors. */
export async function openIndex(folder: string, engine?: DenseEngine): Promise<SearchIndex> {
  for (let attempt = 1; ; attempt += 1) {
    // Frequent openers must not starve a writer in this process.
    await setImmediate();
    using index = IndexRows.read(folder);
    try {
      return index.snapshot(() => {
        checkModel(index.manifest, engine);
        return new SearchIndex(new SegmentReader(index, engine !== undefined), engine);
      });
    } catch (error) {
      // A merge may have replaced segments and removed their files meanwhile.
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isGone || attempt >= 10) throw error;
    }
  }
}

/** Passages with scores above 0, given the scores of each segment. */
function bestOf(segments: readonly OpenedSegment[], scores: readonly Float32Array[], top: number): number[] {
  let best: Scored[] = [];
  let bound = 0;
  for (const [segment, own] of scores.entries()) {
    const base = segments[segment]?.base ?? 0;
    for (let at = 0; at < own.length; at += 1) {
      const score = own[at] as number;
      if (!(score > bound)) continue;
      best.push({ place: base + at, score });
      if (best.length < 2 * top) continue;
      best = best.sort(bestFirst).slice(0, top);
      bound = best.at(-1)?.score ?? 0;
    }
  }
  return best
    .sort(bestFirst)
    .slice(0, top)
    .map(({ place }) => place);
}
