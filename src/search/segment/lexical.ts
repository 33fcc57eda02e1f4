import { BM25, passageTerms } from '../../parse/index.ts';
import type { SegmentFile } from './segment-file.ts';

/** Title words count once in the text and the rest here (BM25F with one extra field and a common length). */
const TITLE_WEIGHT = 3;
/** Higher counts add nothing to a score; with a passage number, a count fits into a small integer. */
export const MOST_REPEATS = 0x1000;

/** The terms of a passage; those of its title are repeated by weight. */
export function termsOf(text: string, title: string): string[] {
  return passageTerms(
    text,
    Array.from({ length: TITLE_WEIGHT - 1 }, () => title),
  );
}

/**
 * Adds the terms of a passage to those of others: for each term the passages that contain it, with how often, as
 * passage * MOST_REPEATS + times - 1. Returns how many different terms it has.
 */
export function countTerms(terms: readonly string[], passage: number, postings: Map<string, number[]>): number {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  for (const [term, count] of counts) {
    const posting = passage * MOST_REPEATS + Math.min(count, MOST_REPEATS) - 1;
    const known = postings.get(term);
    if (known) known.push(posting);
    else postings.set(term, [posting]);
  }
  return counts.size;
}

export class LexicalWriter {
  readonly #terms = new Map<string, number[]>();
  readonly #lengths: number[] = [];
  postings = 0;

  add(terms: readonly string[]): void {
    const passage = this.#lengths.length;
    this.#lengths.push(terms.length);
    this.postings += countTerms(terms, passage, this.#terms);
  }

  finish() {
    const sorted = Array.from(this.#terms, ([term, found]) => ({ bytes: Buffer.from(term, 'utf8'), found }));
    sorted.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
    const termOffsets = new Uint32Array(sorted.length + 1);
    const postingOffsets = new Float64Array(sorted.length + 1);
    // Passage numbers and term counts, term after term.
    const postings = new Uint32Array(this.postings);
    const repeats = new Uint16Array(this.postings);
    let at = 0;
    for (const [place, { bytes, found }] of sorted.entries()) {
      for (const posting of found) {
        postings[at] = Math.floor(posting / MOST_REPEATS);
        repeats[at] = (posting % MOST_REPEATS) + 1;
        at += 1;
      }
      termOffsets[place + 1] = (termOffsets[place] as number) + bytes.length;
      postingOffsets[place + 1] = at;
    }
    const terms: Uint8Array = Buffer.concat(sorted.map(({ bytes }) => bytes));
    return { lengths: Uint32Array.from(this.#lengths), terms, termOffsets, postingOffsets, postings, repeats };
  }
}

export interface FoundTerm {
  readonly from: number;
  readonly frequency: number;
}

/** The term index of a segment: dictionary in memory, postings read from the file on demand. */
export class LexicalSegment {
  readonly #file: SegmentFile;
  readonly #lengths: Uint32Array;
  readonly #terms: Buffer;
  readonly #termOffsets: Uint32Array;
  readonly #postingOffsets: Float64Array;

  constructor(file: SegmentFile) {
    this.#file = file;
    this.#lengths = new Uint32Array(file.section('lengths'));
    this.#terms = Buffer.from(file.section('terms'));
    this.#termOffsets = new Uint32Array(file.section('term-offsets'));
    this.#postingOffsets = new Float64Array(file.section('posting-offsets'));
  }

  find(term: Buffer): FoundTerm | undefined {
    let low = 0;
    let high = this.#termOffsets.length - 2;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const order = term.compare(this.#terms, this.#termOffsets[middle], this.#termOffsets[middle + 1]);
      if (order === 0) {
        const from = this.#postingOffsets[middle] as number;
        return { from, frequency: (this.#postingOffsets[middle + 1] as number) - from };
      }
      if (order < 0) high = middle - 1;
      else low = middle + 1;
    }
    return undefined;
  }

  postings({ from, frequency }: FoundTerm): { readonly places: Uint32Array; readonly repeats: Uint16Array } {
    this.#file.checkRange('repeats', from * 2, frequency * 2);
    const places = new Uint32Array(frequency);
    const repeats = new Uint16Array(frequency);
    this.#file.into('postings', new Uint8Array(places.buffer), from * 4);
    this.#file.into('repeats', new Uint8Array(repeats.buffer), from * 2);
    return { places, repeats };
  }

  addScores(term: FoundTerm, weight: number, averageLength: number, scores: Float32Array): void {
    const { places, repeats } = this.postings(term);
    const lengths = this.#lengths;
    const [least, perTerm] = [BM25.k1 * (1 - BM25.b), (BM25.k1 * BM25.b) / averageLength];
    for (let at = 0; at < places.length; at += 1) {
      const passage = places[at] as number;
      const count = repeats[at] as number;
      const norm = least + perTerm * (lengths[passage] as number);
      scores[passage] = (scores[passage] as number) + (weight * count) / (count + norm);
    }
  }
}
