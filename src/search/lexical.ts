import { AppError } from '../base/index.ts';
import { analyse } from '../parse/index.ts';

/** Saturation of repeated terms and weight of a passage's length, as most engines set them. */
const K1 = 1.2;
const B = 0.75;

/**
 * A title says in few words what its document is about: they count this often in all, once where they stand in the text
 * and the rest here (BM25F with one field more and a common length).
 */
const TITLE_WEIGHT = 3;

const MAGIC = 0x4c_47_4b_44;
const HEADER_WORDS = 6;
const MOST_REPEATS = 0xffff;

/** Collects passages and writes the index of their terms. */
export class LexicalWriter {
  readonly #terms = new Map<string, number>();
  readonly #lengths = new Grower();
  /** For each passage its terms' numbers, with how often each occurs in the upper 16 bits of a second list. */
  readonly #numbers = new Grower();
  readonly #repeats = new Grower();
  readonly #starts = new Grower();
  #frequencies = new Uint32Array(1024);

  add(text: string, title: string): void {
    const terms = analyse(text);
    const inTitle = analyse(title);
    for (let more = 1; more < TITLE_WEIGHT; more += 1) terms.push(...inTitle);
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

  /** The whole index as bytes: header, passage lengths, term offsets, posting offsets, postings, repeats, term bytes. */
  finish(): Uint8Array {
    const passages = this.#lengths.length;
    const postings = this.#numbers.length;
    const sorted = [...this.#terms.keys()].map((term) => ({ term, bytes: Buffer.from(term, 'utf8') }));
    sorted.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
    const termBytes = sorted.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const size = sizesOf(passages, sorted.length, postings, termBytes);
    const buffer = new ArrayBuffer(size.total);
    const view = viewsOf(buffer, { passages, terms: sorted.length, postings, termBytes });
    view.header.set([MAGIC, passages, sorted.length, postings, termBytes, 0]);
    view.lengths.set(this.#lengths.values());
    const cursor = new Uint32Array(sorted.length);
    let at = 0;
    let posting = 0;
    for (const [place, { term, bytes }] of sorted.entries()) {
      const number = this.#terms.get(term) ?? 0;
      view.termOffsets[place] = at;
      view.postingOffsets[place] = posting;
      cursor[number] = posting;
      view.termBytes.set(bytes, at);
      at += bytes.length;
      posting += this.#frequencies[number] ?? 0;
    }
    view.termOffsets[sorted.length] = at;
    view.postingOffsets[sorted.length] = posting;
    const numbers = this.#numbers.values();
    const repeats = this.#repeats.values();
    const starts = this.#starts.values();
    for (let passage = 0; passage < passages; passage += 1) {
      for (let each = starts[passage] ?? 0; each < (starts[passage + 1] ?? postings); each += 1) {
        const number = numbers[each] ?? 0;
        const target = cursor[number] ?? 0;
        cursor[number] = target + 1;
        view.passages[target] = passage;
        view.repeats[target] = repeats[each] ?? 0;
      }
    }
    return new Uint8Array(buffer);
  }
}

/** An index of terms, ready to be asked. It is a set of views over the bytes of its file: opening costs reading it. */
export class LexicalIndex {
  readonly #view: ReturnType<typeof viewsOf>;
  readonly #norms: Float32Array;
  readonly passages: number;

  constructor(bytes: Uint8Array, path: string) {
    const head = new Uint32Array(bytes.buffer, bytes.byteOffset, Math.min(HEADER_WORDS, bytes.length >> 2));
    const [magic, passages = 0, terms = 0, postings = 0, termBytes = 0] = head;
    if (magic !== MAGIC || sizesOf(passages, terms, postings, termBytes).total !== bytes.length) {
      throw new AppError('INDEX_DAMAGED', `${path} is not a complete lexical index`, { hint: 'build the index again' });
    }
    this.#view = viewsOf(bytes.buffer as ArrayBuffer, { passages, terms, postings, termBytes }, bytes.byteOffset);
    this.passages = passages;
    const { lengths } = this.#view;
    // By place: iterators and callbacks over every passage would be a tenth of the time to the first answer.
    let total = 0;
    for (let passage = 0; passage < passages; passage += 1) total += lengths[passage] as number;
    const average = total / passages || 1;
    this.#norms = new Float32Array(passages);
    for (let passage = 0; passage < passages; passage += 1) {
      this.#norms[passage] = K1 * (1 - B + (B * (lengths[passage] as number)) / average);
    }
  }

  /** BM25 of every passage for a query; `scores` may be memory of former searches. */
  score(query: string, scores: Float32Array = new Float32Array(this.passages)): Float32Array {
    scores.fill(0);
    const { postingOffsets, passages, repeats } = this.#view;
    const norms = this.#norms;
    const wanted = new Map<string, number>();
    for (const term of analyse(query)) wanted.set(term, (wanted.get(term) ?? 0) + 1);
    for (const [term, times] of wanted) {
      const place = this.#find(Buffer.from(term, 'utf8'));
      if (place === -1) continue;
      const from = postingOffsets[place] ?? 0;
      const to = postingOffsets[place + 1] ?? 0;
      const frequency = to - from;
      const weight = times * (K1 + 1) * Math.log(1 + (this.passages - frequency + 0.5) / (frequency + 0.5));
      for (let at = from; at < to; at += 1) {
        const passage = passages[at] as number;
        const count = repeats[at] as number;
        scores[passage] = (scores[passage] as number) + (weight * count) / (count + (norms[passage] as number));
      }
    }
    return scores;
  }

  #find(term: Buffer): number {
    const { termOffsets, termBytes } = this.#view;
    let low = 0;
    let high = termOffsets.length - 2;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const order = term.compare(termBytes, termOffsets[middle], termOffsets[middle + 1]);
      if (order === 0) return middle;
      if (order < 0) high = middle - 1;
      else low = middle + 1;
    }
    return -1;
  }
}

interface Counts {
  readonly passages: number;
  readonly terms: number;
  readonly postings: number;
  readonly termBytes: number;
}

function sizesOf(
  passages: number,
  terms: number,
  postings: number,
  termBytes: number,
): { words: number; total: number } {
  const words = HEADER_WORDS + passages + (terms + 1) * 2 + postings;
  // The repeats are 16 bits wide; their even number keeps nothing else aligned, as only bytes follow.
  return { words, total: words * 4 + postings * 2 + termBytes };
}

function viewsOf(
  buffer: ArrayBuffer,
  counts: Counts,
  offset = 0,
): {
  header: Uint32Array;
  lengths: Uint32Array;
  termOffsets: Uint32Array;
  postingOffsets: Uint32Array;
  passages: Uint32Array;
  repeats: Uint16Array;
  termBytes: Uint8Array;
} {
  let at = offset;
  const words = (length: number): Uint32Array => {
    const view = new Uint32Array(buffer, at, length);
    at += view.byteLength;
    return view;
  };
  const header = words(HEADER_WORDS);
  const lengths = words(counts.passages);
  const termOffsets = words(counts.terms + 1);
  const postingOffsets = words(counts.terms + 1);
  const passages = words(counts.postings);
  const repeats = new Uint16Array(buffer, at, counts.postings);
  const termBytes = new Uint8Array(buffer, at + repeats.byteLength, counts.termBytes);
  return { header, lengths, termOffsets, postingOffsets, passages, repeats, termBytes };
}

/** Numbers one after the other in a typed array that doubles when full. */
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
