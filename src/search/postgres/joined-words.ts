import { BM25 } from '../../parse/index.ts';
import type { RunStatement } from '../../queue/kept/index.ts';
import type { WantedTerm } from '../index-reader.ts';
import { encodePostings, readPostings } from './posting-bytes.ts';

/** Documents whose passages are numbered through: of a segment, or one that is in none. It never changes. */
interface Part {
  readonly documents: readonly number[];
  /** The first passage of each document, and how many there are. */
  readonly firsts: Uint32Array;
  readonly lengths: Uint32Array;
  readonly facets: Uint8Array;
  /** Of a document that is in no segment: its terms. */
  readonly terms: Readonly<Record<string, readonly number[]>> | undefined;
}

/** Passages of a generation, without their texts. What a process has read stays true, so it reads only what is new. */
export interface JoinedParts {
  readonly generation: number;
  readonly segments: ReadonlyMap<number, Part>;
  /** Documents that are in no segment. */
  readonly loose: ReadonlyMap<number, Part>;
  /** Documents that are in a segment and were removed, with how many passages had each term. */
  readonly removed: ReadonlyMap<number, ReadonlyMap<string, number>>;
}

export const NO_PARTS: JoinedParts = { generation: 0, segments: new Map(), loose: new Map(), removed: new Map() };

/** The passages as a transaction sees them. */
export async function readParts(run: RunStatement, generation: number, known: JoinedParts): Promise<JoinedParts> {
  const before = known.generation === generation ? known : NO_PARTS;
  const now = await run<{ kind: 'segments' | 'loose' | 'removed'; number: number }>(
    `SELECT 'segments' AS kind, segment AS number FROM search_segments_${generation}
     UNION ALL SELECT 'loose', number FROM search_documents_${generation} WHERE segment IS NULL
     UNION ALL SELECT 'removed', number FROM search_removed_${generation}`,
  );
  const numbers = Map.groupBy(now, ({ kind }) => kind);
  const missing = (kind: 'segments' | 'loose' | 'removed') => ({
    missing: (numbers.get(kind) ?? []).flatMap(({ number }) => (before[kind].has(number) ? [] : [number])),
  });
  const segments = await rowsOf(missing('segments'), (values) =>
    run<SegmentRow>(`SELECT * FROM search_segments_${generation} WHERE segment = ANY(:missing::int[])`, values),
  );
  const loose = await rowsOf(missing('loose'), (values) =>
    run<LooseRow>(
      `SELECT number, lengths, facets, terms FROM search_documents_${generation} WHERE number = ANY(:missing::int[])`,
      values,
    ),
  );
  const removed = await rowsOf(missing('removed'), (values) =>
    run<{ number: number; terms: string }>(
      `SELECT number, terms FROM search_removed_${generation} WHERE number = ANY(:missing::int[])`,
      values,
    ),
  );
  const kept = <T>(kind: 'segments' | 'loose' | 'removed', all: ReadonlyMap<number, T>): (readonly [number, T])[] =>
    (numbers.get(kind) ?? []).flatMap(({ number }) => {
      const part = all.get(number);
      return part === undefined ? [] : [[number, part] as const];
    });
  return {
    generation,
    segments: new Map([
      ...kept('segments', before.segments),
      ...segments.map((row) => [row.segment, segmentOf(row)] as const),
    ]),
    loose: new Map([...kept('loose', before.loose), ...loose.map((row) => [row.number, looseOf(row)] as const)]),
    removed: new Map([
      ...kept('removed', before.removed),
      ...removed.map(({ number, terms }) => [number, countsOf(terms)] as const),
    ]),
  };
}

async function rowsOf<T>(
  values: { readonly missing: readonly number[] },
  select: (values: { readonly missing: readonly number[] }) => Promise<T[]>,
): Promise<T[]> {
  return values.missing.length === 0 ? [] : await select(values);
}

interface SegmentRow {
  readonly segment: number;
  readonly documents: readonly number[];
  readonly counts: readonly number[];
  readonly lengths: Buffer;
  readonly facets: Buffer;
}

function segmentOf({ documents, counts, lengths, facets }: SegmentRow): Part {
  const firsts = new Uint32Array(counts.length + 1);
  for (const [at, count] of counts.entries()) firsts[at + 1] = (firsts[at] ?? 0) + count;
  // A copy: the bytes of a row need not begin where an array of numbers may.
  return { documents, firsts, lengths: new Uint32Array(Uint8Array.from(lengths).buffer), facets, terms: undefined };
}

interface LooseRow {
  readonly number: number;
  readonly lengths: readonly number[];
  readonly facets: Buffer;
  readonly terms: string;
}

function looseOf({ number, lengths, facets, terms }: LooseRow): Part {
  return {
    documents: [number],
    firsts: Uint32Array.of(0, lengths.length),
    lengths: Uint32Array.from(lengths),
    facets,
    terms: termsOf(terms),
  };
}

function termsOf(terms: string): Record<string, readonly number[]> {
  return JSON.parse(terms) as Record<string, readonly number[]>;
}

function countsOf(terms: string): ReadonlyMap<string, number> {
  return new Map(Object.entries(termsOf(terms)).map(([term, postings]) => [term, postings.length]));
}

/** A passage and its score by words. */
export interface WordedPassage {
  readonly document: number;
  readonly place: number;
  readonly facet: number;
  readonly lexical: number;
  /** Whether it has a rare term. */
  readonly isRare: boolean;
}

/** Which passages are searched. */
export interface WordsFilter {
  /** By facet: 1 if passages with it are searched. */
  readonly facets: Uint8Array;
  readonly accepts: (document: number) => boolean;
}

/** Where the terms of a question are, at one moment. */
export class JoinedWords {
  readonly #parts: JoinedParts;
  /** Of each term: the passages of each part that have it. */
  readonly #postings: ReadonlyMap<string, ReadonlyMap<Part, Uint8Array>>;
  readonly #frequencies: ReadonlyMap<string, number>;

  private constructor(
    parts: JoinedParts,
    postings: ReadonlyMap<string, ReadonlyMap<Part, Uint8Array>>,
    frequencies: ReadonlyMap<string, number>,
  ) {
    this.#parts = parts;
    this.#postings = postings;
    this.#frequencies = frequencies;
  }

  static async read(run: RunStatement, parts: JoinedParts, terms: readonly string[]): Promise<JoinedWords> {
    const wanted = [...new Set(terms)];
    const postings = new Map(wanted.map((term) => [term, new Map<Part, Uint8Array>()]));
    const frequencies = new Map<string, number>();
    const count = (term: string, passages: number): void =>
      void frequencies.set(term, (frequencies.get(term) ?? 0) + passages);
    const rows = await run<{ term: string; segment: number; passages: number; postings: Buffer }>(
      `SELECT term, segment, passages, postings FROM search_words_${parts.generation} WHERE term = ANY(:wanted::text[])`,
      { wanted },
    );
    for (const { term, segment, passages, postings: bytes } of rows) {
      const part = parts.segments.get(segment);
      if (!part) continue;
      postings.get(term)?.set(part, bytes);
      count(term, passages);
    }
    for (const part of parts.loose.values())
      for (const term of wanted) {
        if (!part.terms || !Object.hasOwn(part.terms, term)) continue;
        const own = part.terms[term] ?? [];
        postings.get(term)?.set(part, encodePostings(own));
        count(term, own.length);
      }
    for (const counts of parts.removed.values()) for (const term of wanted) count(term, -(counts.get(term) ?? 0));
    return new JoinedWords(parts, postings, frequencies);
  }

  /** How many passages have a term. */
  frequency(term: string): number {
    return this.#frequencies.get(term) ?? 0;
  }

  /** BM25 of the best passages, and of those of `also` that have one of the terms. */
  best(
    terms: readonly WantedTerm[],
    filter: WordsFilter,
    wanted: { readonly count: number; readonly averageLength: number; readonly also: readonly Place[] },
  ): readonly WordedPassage[] {
    if (wanted.count === 0 || terms.length === 0) return [];
    const { removed, segments, loose } = this.#parts;
    const accepts = (document: number): boolean => !removed.has(document) && filter.accepts(document);
    const also = Map.groupBy(wanted.also, ({ document }) => document);
    const others: WordedPassage[] = [];
    let [best, least]: [WordedPassage[], number] = [[], 0];
    for (const part of [...segments.values(), ...loose.values()]) {
      const scores = this.#scores(part, terms, wanted.averageLength);
      if (!scores) continue;
      const rare = this.#rare(part, terms);
      for (let at = 0, nth = 0; nth < part.documents.length; nth += 1) {
        const [document, first] = [part.documents[nth] ?? 0, at];
        const isAccepted = lazily(() => accepts(document));
        for (const { place } of also.get(document) ?? []) {
          const [lexical = 0, facet = 0] = [scores[first + place], part.facets[first + place]];
          if (lexical > 0 && accepts(document))
            others.push({ document, place, facet, lexical, isRare: rare.has(first + place) });
        }
        for (const end = part.firsts[nth + 1] ?? 0; at < end; at += 1) {
          const lexical = scores[at] ?? 0;
          if (lexical <= 0 || lexical < least) continue;
          const facet = part.facets[at] ?? 0;
          if (filter.facets[facet] !== 1 || !isAccepted()) continue;
          best.push({ document, place: at - first, facet, lexical, isRare: rare.has(at) });
        }
        if (best.length < 2 * wanted.count) continue;
        best = best.sort(bestFirst).slice(0, wanted.count);
        least = best.at(-1)?.lexical ?? 0;
      }
    }
    return [...best.sort(bestFirst).slice(0, wanted.count), ...others];
  }

  /** BM25 of each passage of a part; undefined if it has none of the terms. */
  #scores(part: Part, terms: readonly WantedTerm[], averageLength: number): Float32Array | undefined {
    const [least, perTerm] = [BM25.k1 * (1 - BM25.b), (BM25.k1 * BM25.b) / averageLength];
    const { lengths } = part;
    let scores: Float32Array | undefined;
    for (const { term, weight } of terms) {
      const bytes = this.#postings.get(term)?.get(part);
      if (!bytes) continue;
      const own = (scores ??= new Float32Array(lengths.length));
      const most = weight * (BM25.k1 + 1);
      readPostings(bytes, (passage, times) => {
        const norm = least + perTerm * (lengths[passage] ?? 0);
        own[passage] = (own[passage] ?? 0) + (most * times) / (times + norm);
      });
    }
    return scores;
  }

  /** The passages of a part that have a rare term. */
  #rare(part: Part, terms: readonly WantedTerm[]): ReadonlySet<number> {
    const found = new Set<number>();
    for (const { term, isRare } of terms) {
      const bytes = isRare ? this.#postings.get(term)?.get(part) : undefined;
      if (bytes) readPostings(bytes, (passage) => found.add(passage));
    }
    return found;
  }
}

interface Place {
  readonly document: number;
  readonly place: number;
}

function lazily(compute: () => boolean): () => boolean {
  let known: boolean | undefined;
  return () => (known ??= compute());
}

/** Ties go to the earlier passage. */
function bestFirst(one: WordedPassage, other: WordedPassage): number {
  return other.lexical - one.lexical || one.document - other.document || one.place - other.place;
}
