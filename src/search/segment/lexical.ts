import { passageTerms } from '../../parse/index.ts';
import type { SegmentFile } from './segment-file.ts';

/** BM25 parameters with the usual values: saturation of repeated terms, weight of a passage's length. */
export const K1 = 1.2;
const B = 0.75;

/**
 * Weight of title words, which say what a document is about: once in the text, the rest here (BM25F with one extra
 * field and a common length).
 */
const TITLE_WEIGHT = 3;
const MOST_REPEATS = 0xffff;

/** The terms of a passage; those of its title are repeated by weight. */
export function termsOf(text: string, title: string): string[] {
  return passageTerms(
    text,
    Array.from({ length: TITLE_WEIGHT - 1 }, () => title),
  );
}

/** Collects passages and builds their term index. */
export class LexicalWriter {
  readonly #terms = new Map<string, number>();
  readonly #lengths = new Grower();
  readonly #numbers = new Grower();
  readonly #repeats = new Grower();
  readonly #starts = new Grower();
  #frequencies = new Uint32Array(1024);

  get postings(): number {
    return this.#numbers.length;
  }

  add(terms: readonly string[]): void {
    this.#lengths.push(terms.length);
    this.#starts.push(this.#numbers.length);
    const counts = new Map<number, number>();
    for (const term of terms) {
      let number = this.#terms.get(term);
      if (number === undefined) {
        number = this.#terms.size;
        this.#terms.set(term, number);
      }
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    for (const [number, count] of counts) {
      this.#numbers.push(number);
      this.#repeats.push(Math.min(count, MOST_REPEATS));
      if (number >= this.#frequencies.length) {
        const grown = new Uint32Array(this.#frequencies.length * 2);
        grown.set(this.#frequencies);
        this.#frequencies = grown;
      }
      this.#frequencies[number] = (this.#frequencies[number] ?? 0) + 1;
    }
  }

  finish() {
    const passages = this.#lengths.length;
    const sorted = [...this.#terms].map(([term, number]) => ({ number, bytes: Buffer.from(term, 'utf8') }));
    sorted.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
    const termOffsets = new Uint32Array(sorted.length + 1);
    const postingOffsets = new Float64Array(sorted.length + 1);
    const cursor = new Float64Array(sorted.length);
    let [at, posting] = [0, 0];
    for (const [place, { number, bytes }] of sorted.entries()) {
      cursor[number] = posting;
      at += bytes.length;
      posting += this.#frequencies[number] ?? 0;
      termOffsets[place + 1] = at;
      postingOffsets[place + 1] = posting;
    }
    // Passage numbers and term counts, term after term.
    const postings = new Uint32Array(posting);
    const repeats = new Uint16Array(posting);
    const [numbers, counts, starts] = [this.#numbers.values(), this.#repeats.values(), this.#starts.values()];
    for (let passage = 0; passage < passages; passage += 1) {
      const end = passage + 1 < passages ? (starts[passage + 1] as number) : numbers.length;
      for (let each = starts[passage] as number; each < end; each += 1) {
        const number = numbers[each] as number;
        const target = cursor[number] as number;
        cursor[number] = target + 1;
        postings[target] = passage;
        repeats[target] = counts[each] as number;
      }
    }
    const terms: Uint8Array = Buffer.concat(sorted.map(({ bytes }) => bytes));
    return { lengths: this.#lengths.values().slice(), terms, termOffsets, postingOffsets, postings, repeats };
  }
}

/** A term in a segment: the start and number of its postings. */
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

  get size(): number {
    return Math.max(0, this.#termOffsets.length - 1);
  }

  at(place: number): FoundTerm {
    const from = this.#postingOffsets[place] as number;
    return { from, frequency: (this.#postingOffsets[place + 1] as number) - from };
  }

  find(term: Buffer): FoundTerm | undefined {
    try {
      return this.#find(term);
    } catch (error) {
      throw this.#file.described(error);
    }
  }

  #find(term: Buffer): FoundTerm | undefined {
    let low = 0;
    let high = this.size - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const order = term.compare(this.#terms, this.#termOffsets[middle], this.#termOffsets[middle + 1]);
      if (order === 0) return this.at(middle);
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

  /** Adds a term's weight to the scores of the passages that contain it. */
  addScores(term: FoundTerm, weight: number, averageLength: number, scores: Float32Array): void {
    const { places, repeats } = this.postings(term);
    const lengths = this.#lengths;
    const [least, perTerm] = [K1 * (1 - B), (K1 * B) / averageLength];
    for (let at = 0; at < places.length; at += 1) {
      const passage = places[at] as number;
      const count = repeats[at] as number;
      const norm = least + perTerm * (lengths[passage] as number);
      scores[passage] = (scores[passage] as number) + (weight * count) / (count + norm);
    }
  }
}

/** A typed array of numbers that doubles when full. */
class Grower {
  #values = new Uint32Array(4096);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const grown = new Uint32Array(this.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.length] = value;
    this.length += 1;
  }

  values(): Uint32Array {
    return this.#values.subarray(0, this.length);
  }
}
