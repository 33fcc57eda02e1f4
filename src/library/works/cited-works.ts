import { wordsIn } from '../../base/text/index.ts';

/** A work as its citations are recognised. */
export interface CitableWork {
  readonly work: string;
  readonly title: string | null;
  readonly doi: string | null;
}

/** Shorter titles ("Introduction", "Reply to the authors") stand in references to other works. */
const LEAST_WORDS = 5;

/** Finds the work of a corpus that a printed reference names: by its DOI, else by its whole title. */
export class CitedWorks {
  readonly #byDoi = new Map<string, string>();
  readonly #byOpening = new Map<string, { readonly work: string; readonly words: string }[]>();

  constructor(works: Iterable<CitableWork>) {
    for (const { work, title, doi } of works) {
      if (doi !== null && doi !== '') this.#byDoi.set(doi.toLowerCase(), work);
      const words = wordsIn(title ?? '');
      if (words.length < LEAST_WORDS) continue;
      const key = words.slice(0, LEAST_WORDS).join(' ');
      const known = this.#byOpening.get(key) ?? [];
      this.#byOpening.set(key, [...known, { work, words: ` ${words.join(' ')} ` }]);
    }
  }

  find(reference: string, doi?: string): string | null {
    const named = doi === undefined ? undefined : this.#byDoi.get(doi.toLowerCase());
    if (named !== undefined) return named;
    const words = wordsIn(reference);
    const text = ` ${words.join(' ')} `;
    for (let at = 0; at + LEAST_WORDS <= words.length; at += 1)
      for (const each of this.#byOpening.get(words.slice(at, at + LEAST_WORDS).join(' ')) ?? [])
        if (text.includes(each.words)) return each.work;
    return null;
  }
}
