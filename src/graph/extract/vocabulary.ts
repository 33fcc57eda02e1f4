import { foldCase } from '../link/letters.ts';
import type { Reading } from './reading.ts';
import type { Statements } from './statements.ts';
import { THIS_WORK } from './statements.ts';

/** A notion of a vocabulary: its id there, its name, and how else it is written. */
export interface VocabularyEntry {
  readonly id: string;
  readonly name: string;
  readonly synonyms: readonly string[];
}

/** Places kept per notion and document. */
const MOST_PLACES = 3;
const MOST_WORDS = 8;

/** A vocabulary ready to be looked for: the longest entry that fits counts. */
export class Vocabulary {
  readonly #byWords = new Map<string, VocabularyEntry>();
  #longest = 1;

  constructor(entries: Iterable<VocabularyEntry>) {
    for (const entry of entries)
      for (const name of [entry.name, ...entry.synonyms]) {
        const words = wordsOf(name).map(({ folded }) => folded);
        if (words.length === 0 || words.length > MOST_WORDS || words.join('').length < 2) continue;
        const key = words.join(' ');
        // A name that two entries share belongs to the one that comes first.
        if (!this.#byWords.has(key)) this.#byWords.set(key, entry);
        this.#longest = Math.max(this.#longest, words.length);
      }
  }

  get size(): number {
    return this.#byWords.size;
  }

  /** The entries that stand in a text, and where; none inside another. */
  find(text: string): { readonly entry: VocabularyEntry; readonly start: number; readonly end: number }[] {
    const words = wordsOf(text);
    const found: { entry: VocabularyEntry; start: number; end: number }[] = [];
    for (let at = 0; at < words.length; at += 1)
      for (let count = Math.min(this.#longest, words.length - at); count > 0; count -= 1) {
        const run = words.slice(at, at + count);
        const entry = this.#byWords.get(run.map(({ folded }) => folded).join(' '));
        // Words of one name stand side by side, with nothing but a space or a hyphen between them.
        if (
          !entry ||
          !run.every(
            ({ start }, each) => each === 0 || /^[\s\u00ad‐-]{1,2}$/.test(text.slice(run[each - 1]?.end, start)),
          )
        )
          continue;
        found.push({ entry, start: run[0]?.start ?? 0, end: run.at(-1)?.end ?? 0 });
        at += count - 1;
        break;
      }
    return found;
  }
}

/** Words in lower case; a plural s is left off, on both sides. */
function wordsOf(text: string): { readonly folded: string; readonly start: number; readonly end: number }[] {
  return [...text.matchAll(/[\p{L}\p{N}][\p{L}\p{N}+]*/gu)].map((match) => ({
    folded: foldCase(match[0]).replace(/(?<=[a-z]{3}[^s])s$/, ''),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** The entries of a vocabulary that a document names. */
export function extractVocabulary(reading: Reading, say: Statements, vocabulary: Vocabulary): void {
  const times = new Map<string, number>();
  for (const { block, section } of reading.prose)
    for (const { entry, start, end } of vocabulary.find(block.text)) {
      const count = (times.get(entry.id) ?? 0) + 1;
      times.set(entry.id, count);
      const sentence = count > MOST_PLACES ? undefined : reading.sentenceAt(block.order, start);
      if (!sentence) continue;
      const term = say.node('term', `vocabulary:${entry.id}`, entry.name, { data: { id: entry.id } });
      say.edge(
        { source: THIS_WORK, kind: 'about', target: term },
        { block: block.order, stretch: sentence.stretch },
        { name: 'vocabulary', version: 1 },
        {
          detail: { at: start, printed: block.text.slice(start, end), section },
        },
      );
    }
}
