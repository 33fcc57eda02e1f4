import type { Passage } from './passage.ts';

/** Passages of one work that come before those of others, unless a search says otherwise. */
const PER_WORK = 2;
/** Documents with one title of at least so many letters are versions of one work; shorter titles are shared by chance. */
const TELLING_TITLE = 30;

/**
 * The hits that are shown, out of hits that come best first: of several versions of a work the one that is found first, and
 * at most so many passages of a work before those of others. What is left over fills the list where there is nothing else.
 */
export class Spread<T> {
  readonly #top: number;
  readonly #perWork: number;
  readonly #first: T[] = [];
  readonly #rest: T[] = [];
  readonly #ofWork = new Map<string, number>();
  readonly #versions = new Map<string, string>();

  constructor(top: number, perWork = PER_WORK) {
    this.#top = top;
    this.#perWork = perWork;
  }

  /** Takes a hit; true when no further one is needed. */
  add({ document, title }: Pick<Passage, 'document' | 'title'>, hit: T): boolean {
    const name = title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
    const version = name.length < TELLING_TITLE ? document : (this.#versions.get(name) ?? document);
    this.#versions.set(name, version);
    if (version !== document) return false;
    const count = (this.#ofWork.get(document) ?? 0) + 1;
    this.#ofWork.set(document, count);
    (count > this.#perWork ? this.#rest : this.#first).push(hit);
    return this.#first.length >= this.#top;
  }

  hits(): T[] {
    return [...this.#first, ...this.#rest].slice(0, this.#top);
  }
}
