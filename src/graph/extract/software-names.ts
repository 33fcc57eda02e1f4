/** What tells that a name is one of the wanted kind: the end of what stands before it and the start of what stands behind. */
export interface NameCue {
  readonly before: RegExp;
  readonly behind: RegExp;
  /** Whether a word in small letters will do, as it is announced. */
  readonly small?: boolean;
}

/** A name that a cue tells. */
interface ToldName {
  readonly raw: string;
  readonly start: number;
  /** What the cue reads as its version. */
  readonly version: string | undefined;
}

/** One word of a name: begins with a capital or a digit, or has a capital or a digit inside. */
const WORD =
  /\p{Lu}(?:[\p{L}\d+*.'’/-]{0,40}[\p{L}\d+*])?|(?<!\p{Ll})\p{Ll}{1,20}[\p{Lu}\d][\p{L}\d.-]{0,40}|\d\p{L}[\p{L}\d-]{0,40}/gu;
const SMALL_WORD = /(?<![\p{L}\d])\p{Ll}[\p{L}\d.-]{2,15}/gu;
/** The short form in brackets that is part of the name before it. */
const SHORT_FORM = /^ \(\p{Lu}[\p{L}\d-]{1,11}\)/u;
const MOST_WORDS = 4;
/** How much of the text around a name a cue may look at. */
const BEFORE = 60;
const BEHIND = 180;

/** The words of a text that can be a name, alone or several in a row. */
export class NamesIn {
  readonly #text: string;
  /** Where such a word ends, by where it starts. */
  readonly #ends: ReadonlyMap<number, number>;

  constructor(text: string) {
    this.#text = text;
    this.#ends = new Map(Array.from(text.matchAll(WORD), ({ 0: word, index }) => [index, index + word.length]));
  }

  /** The names that can start at a place, the longest first. */
  at(start: number): string[] {
    const names: string[] = [];
    let end = this.#ends.get(start);
    for (let words = 0; words < MOST_WORDS && end !== undefined; words += 1) {
      const name = this.#text.slice(start, end);
      const short = SHORT_FORM.exec(this.#text.slice(end, end + 16))?.[0];
      names.unshift(...(short === undefined ? [name] : [name + short, name]));
      end = this.#text[end] === ' ' ? this.#ends.get(end + 1) : undefined;
    }
    return names;
  }

  /** The names that a cue tells, from left to right. */
  *told({ before, behind, small = false }: NameCue): Generator<ToldName> {
    let from = 0;
    const smallWords = small ? this.#smallWords() : new Map<number, string>();
    const starts = [...this.#ends.keys(), ...smallWords.keys()];
    for (const start of small ? starts.sort((a, b) => a - b) : starts) {
      if (start < from || !before.test(this.#text.slice(Math.max(0, start - BEFORE), start))) continue;
      for (const raw of [...this.at(start), smallWords.get(start) ?? ''].filter((each) => each !== '')) {
        const end = start + raw.length;
        const cue = behind.exec(this.#text.slice(end, end + BEHIND));
        if (!cue) continue;
        yield { raw, start, version: cue.groups?.['version'] ?? cue.groups?.['number'] };
        from = end + cue[0].length;
        break;
      }
    }
  }

  #smallWords(): Map<number, string> {
    return new Map(Array.from(this.#text.matchAll(SMALL_WORD), ({ 0: word, index }) => [index, word]));
  }
}
