/** Longer pieces hardly ever repeat. */
const LONGEST_PIECE = 48;
const MOST_PIECES = 150_000;

/** Where a text may be split so that the parts have the same tokens as the whole. */
export type Cut =
  /** At spaces, which are not tokens themselves (BERT and similar). */
  | 'at-blanks'
  /** Before the first of several spaces (byte-level BPE, where a space belongs to the next word). */
  | 'before-blanks'
  /** Unknown. */
  | 'nowhere';

/** Caches the tokens of pieces. Words repeat in running text, so most pieces are looked up instead of tokenized. */
export class PieceMemory<T> {
  readonly #known = new Map<string, T>();
  readonly #tokenize: (piece: string) => T;
  readonly #cut: Cut;

  constructor(cut: Cut, tokenize: (piece: string) => T) {
    this.#cut = cut;
    this.#tokenize = tokenize;
  }

  /** Calls `take` with every piece's tokens, in order. */
  each(text: string, take: (tokens: T) => void): void {
    if (this.#cut === 'nowhere') take(this.#tokenize(text));
    else if (this.#cut === 'at-blanks') this.#atBlanks(text, take);
    else this.#beforeBlanks(text, take);
  }

  #atBlanks(text: string, take: (tokens: T) => void): void {
    const { length } = text;
    let from = 0;
    for (let at = 0; at <= length; at += 1) {
      // Only these four: BERT treats other white space as control characters and joins the words around it.
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
