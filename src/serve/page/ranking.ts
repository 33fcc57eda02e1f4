import { analyse } from '../../parse/terms/index.ts';

/** Same weights as `docstokg search --lexical`. */
const [SATURATION, LENGTH_WEIGHT] = [1.2, 0.75];
/** Yield to the browser after this many passages. */
const AT_A_TIME = 300;

/** BM25 search in the page, with the same terms and weights as the index. */
export class Ranking<T> {
  readonly #items: readonly T[];
  readonly #postings = new Map<string, [item: number, times: number][]>();
  readonly #lengths: number[] = [];

  private constructor(items: readonly T[]) {
    this.#items = items;
  }

  static async of<T>(items: readonly T[], textOf: (item: T) => string): Promise<Ranking<T>> {
    const ranking = new Ranking<T>(items);
    for (const [at, item] of items.entries()) {
      ranking.#add(at, textOf(item));
      if (at % AT_A_TIME === AT_A_TIME - 1) await new Promise((resume) => setTimeout(resume));
    }
    return ranking;
  }

  get size(): number {
    return this.#items.length;
  }

  best(query: string, top: number): { readonly item: T; readonly score: number }[] {
    const scores = new Map<number, number>();
    const average = this.#lengths.reduce((sum, length) => sum + length, 0) / this.#lengths.length || 1;
    for (const term of new Set(analyse(query))) {
      const postings = this.#postings.get(term) ?? [];
      const rarity = Math.log(1 + (this.size - postings.length + 0.5) / (postings.length + 0.5));
      for (const [at, times] of postings) {
        const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * (this.#lengths[at] ?? 0)) / average);
        scores.set(at, (scores.get(at) ?? 0) + (rarity * times * (SATURATION + 1)) / (times + norm));
      }
    }
    return [...scores]
      .toSorted((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, top)
      .flatMap(([at, score]) => {
        const item = this.#items[at];
        return item === undefined ? [] : [{ item, score }];
      });
  }

  #add(at: number, text: string): void {
    const terms = analyse(text);
    for (const [term, all] of Map.groupBy(terms, (each) => each)) {
      const postings = this.#postings.get(term);
      if (postings) postings.push([at, all.length]);
      else this.#postings.set(term, [[at, all.length]]);
    }
    this.#lengths[at] = terms.length;
  }
}
