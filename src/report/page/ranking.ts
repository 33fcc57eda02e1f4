import { analyse } from '../../parse/terms/index.ts';
import type { PassageLine } from '../data.ts';

/** As the index of `docstokg search --lexical` weighs them. */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;
/** After so many passages the browser gets a chance to draw. */
const PASSAGES_AT_ONCE = 300;

/** Words of the passages, searched in the page with the same terms and weights as the program's own index. */
export class Ranking {
  readonly #postings = new Map<string, [passage: number, times: number][]>();
  readonly #lengths: number[] = [];
  #average = 1;

  static async of(passages: readonly PassageLine[]): Promise<Ranking> {
    const ranking = new Ranking();
    for (const [at, passage] of passages.entries()) {
      ranking.#add(at, `${passage.context}\n${passage.text}`);
      if (at % PASSAGES_AT_ONCE === PASSAGES_AT_ONCE - 1) await new Promise((resume) => setTimeout(resume));
    }
    ranking.#average = ranking.#lengths.reduce((sum, length) => sum + length, 0) / passages.length || 1;
    return ranking;
  }

  /** The passages that fit a query best. */
  best(query: string, top: number): { readonly passage: number; readonly score: number }[] {
    const scores = new Map<number, number>();
    for (const term of new Set(analyse(query))) {
      const postings = this.#postings.get(term) ?? [];
      const rarity = Math.log(1 + (this.#lengths.length - postings.length + 0.5) / (postings.length + 0.5));
      for (const [passage, times] of postings) {
        const length = (this.#lengths[passage] ?? 0) / this.#average;
        const norm = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * length);
        scores.set(passage, (scores.get(passage) ?? 0) + (rarity * times * (SATURATION + 1)) / (times + norm));
      }
    }
    return [...scores]
      .map(([passage, score]) => ({ passage, score }))
      .sort((a, b) => b.score - a.score || a.passage - b.passage)
      .slice(0, top);
  }

  #add(passage: number, text: string): void {
    const terms = analyse(text);
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, times] of counts) {
      const postings = this.#postings.get(term);
      if (postings) postings.push([passage, times]);
      else this.#postings.set(term, [[passage, times]]);
    }
    this.#lengths[passage] = terms.length;
  }
}
