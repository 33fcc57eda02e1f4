/** Longer pieces hardly ever come back. */
const LONGEST_PIECE = 48;
const MOST_PIECES = 150_000;

/** Where a text may be cut so that the tokens of the parts are the tokens of the whole. */
export type Cut =
  /** At blanks, which give no tokens themselves (BERT and its kin). */
  | 'at-blanks'
  /** Before a blank that follows something else (byte-level BPE, where a blank belongs to the word after it). */
  | 'before-blanks'
  /** Nowhere that is known. */
  | 'nowhere';

/**
 * Remembers what the pieces of a text tokenize to. Running text repeats its words, so most pieces are met again and
 * counting costs a look-up instead of a tokenization.
 */
export class PieceMemory<T> {
  readonly #known = new Map<string, T>();
  readonly #tokenize: (piece: string) => T;
  readonly #cut: Cut;

  constructor(cut: Cut, tokenize: (piece: string) => T) {
    this.#cut = cut;
    this.#tokenize = tokenize;
  }

  /** Gives every piece's tokens to `take`, in order. */
  each(text: string, take: (tokens: T) => void): void {
    if (this.#cut === 'nowhere') take(this.#tokenize(text));
    else if (this.#cut === 'at-blanks') this.#atBlanks(text, take);
    else this.#beforeBlanks(text, take);
  }

  #atBlanks(text: string, take: (tokens: T) => void): void {
    const { length } = text;
    let from = 0;
    for (let at = 0; at <= length; at += 1) {
      // Only these four: other white space is a control character to BERT and joins what is around it.
      const code = at === length ? 0x20 : text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x09 && code !== 0x0d) continue;
      if (at > from) take(this.#look(text.slice(from, at)));
      from = at + 1;
    }
  }

  #beforeBlanks(text: string, take: (tokens: T) => void): void {
    let from = 0;
    for (let at = text.indexOf(' ', 1); at !== -1; at = text.indexOf(' ', at + 1)) {
      if (isSpace(text.charCodeAt(at - 1))) continue;
      take(this.#look(text.slice(from, at)));
      from = at;
    }
    if (from < text.length) take(this.#look(text.slice(from)));
  }

  #look(piece: string): T {
    if (piece.length > LONGEST_PIECE) return this.#tokenize(piece);
    let tokens = this.#known.get(piece);
    if (tokens === undefined) {
      tokens = this.#tokenize(piece);
      if (this.#known.size >= MOST_PIECES) this.#known.clear();
      this.#known.set(piece, tokens);
    }
    return tokens;
  }
}

function isSpace(code: number): boolean {
  return code <= 0x20
    ? code === 0x20 || (code >= 0x09 && code <= 0x0d)
    : code >= 0x85 && /\s/.test(String.fromCharCode(code));
}
