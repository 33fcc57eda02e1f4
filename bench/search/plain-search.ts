const B = 0.75;
const K1 = 1.2;

interface Postings {
  readonly passages: number[];
  readonly counts: number[];
}

/**
 * The limit, with nothing of ours in it: every vector in one array and multiplied in a loop, words in a map of lists, BM25 as the
 * books have it, the ten best kept in a small array. No file, no segments, no filters, no passages.
 */
export class PlainSearch {
  readonly #dimensions: number;
  readonly #vectors: Float32Array;
  readonly #postings = new Map<string, Postings>();
  readonly #lengths: number[] = [];
  readonly #scores: Float32Array;
  #words = 0;

  constructor(passages: number, dimensions: number) {
    this.#dimensions = dimensions;
    this.#vectors = new Float32Array(passages * dimensions);
    this.#scores = new Float32Array(passages);
  }

  add(text: string, vector: Float32Array): void {
    const passage = this.#lengths.length;
    this.#vectors.set(vector, passage * this.#dimensions);
    const words = wordsOf(text);
    this.#lengths.push(words.length);
    this.#words += words.length;
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts) {
      const postings = this.#postings.get(word) ?? { passages: [], counts: [] };
      this.#postings.set(word, postings);
      postings.passages.push(passage);
      postings.counts.push(count);
    }
  }

  byMeaning(query: Float32Array): number[] {
    const dimensions = this.#dimensions;
    const vectors = this.#vectors;
    const scores = this.#scores;
    for (let passage = 0, at = 0; passage < scores.length; passage += 1) {
      let sum = 0;
      for (let each = 0; each < dimensions; each += 1, at += 1)
        sum += (vectors[at] as number) * (query[each] as number);
      scores[passage] = sum;
    }
    return best(scores);
  }

  byWords(query: string): number[] {
    const scores = this.#scores.fill(0);
    const passages = this.#lengths.length;
    const average = this.#words / passages;
    for (const word of wordsOf(query)) {
      const postings = this.#postings.get(word);
      if (!postings) continue;
      const found = postings.passages.length;
      const rarity = Math.log(1 + (passages - found + 0.5) / (found + 0.5));
      for (let at = 0; at < found; at += 1) {
        const passage = postings.passages[at] as number;
        const count = postings.counts[at] as number;
        const norm = K1 * (1 - B + (B * (this.#lengths[passage] as number)) / average);
        scores[passage] = (scores[passage] as number) + (rarity * count * (K1 + 1)) / (count + norm);
      }
    }
    return best(scores);
  }
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

function best(scores: Float32Array): number[] {
  const top: number[] = [];
  let least = -Infinity;
  for (let at = 0; at < scores.length; at += 1) {
    const score = scores[at] as number;
    if (top.length === 10 && score <= least) continue;
    top.push(at);
    top.sort((a, b) => (scores[b] as number) - (scores[a] as number));
    if (top.length > 10) top.pop();
    least = scores[top.at(-1) ?? 0] as number;
  }
  return top;
}
