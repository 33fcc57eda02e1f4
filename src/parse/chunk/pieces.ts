import type { Span } from './boundaries.ts';
import { codePoints, graphemes, sentences, words } from './boundaries.ts';
import type { Group, Part } from './flow.ts';
import type { Tokenizer } from './tokenizer.ts';

/** How fine a piece already is; the next finer cut is the next in this list. */
type Grain = 'group' | 'part' | 'sentence' | 'word' | 'grapheme' | 'code-point';

/** A stretch of the flow that the packer moves as a whole. */
export interface Piece extends Span {
  readonly tokens: number;
  readonly grain: Grain;
  readonly group: Group;
}

/** Makes pieces and cuts them finer. */
export class Cutter {
  readonly #text: string;
  readonly #tokenizer: Tokenizer;
  readonly #language: string;

  constructor(text: string, tokenizer: Tokenizer, language: string) {
    this.#text = text;
    this.#tokenizer = tokenizer;
    this.#language = language;
  }

  whole(group: Group): Piece {
    return this.#piece(group, 'group', group);
  }

  /** The same stretch in finer pieces; undefined when there is nothing finer. */
  finer(piece: Piece): Piece[] | undefined {
    for (let grain = next(piece.grain); grain; grain = next(grain)) {
      const spans = this.#cut(piece, grain);
      if (spans.length > 1) return spans.map((span) => this.#piece(span, grain, piece.group));
    }
    return undefined;
  }

  #cut(piece: Piece, grain: Grain): readonly Span[] {
    switch (grain) {
      case 'group':
        return [piece];
      case 'part':
        return piece.group.parts;
      case 'sentence':
        return this.#partOf(piece)?.cut === 'row'
          ? cells(this.#text, piece)
          : sentences(this.#text, piece, this.#language);
      case 'word':
        return words(this.#text, piece, this.#language);
      case 'grapheme':
        return graphemes(this.#text, piece, this.#language);
      case 'code-point':
        break;
    }
    return codePoints(this.#text, piece);
  }

  #partOf(piece: Piece): Part | undefined {
    return piece.group.parts.find(({ start, end }) => start <= piece.start && piece.start < end);
  }

  #piece(span: Span, grain: Grain, group: Group): Piece {
    // A blank belongs to the word after it in byte-level vocabularies: counted so, the counts of pieces add up.
    const from = this.#text[span.start - 1] === ' ' ? span.start - 1 : span.start;
    const to = this.#text[span.end - 1] === ' ' ? span.end - 1 : span.end;
    const tokens = this.#tokenizer.count(this.#text.slice(from, to));
    return { start: span.start, end: span.end, tokens, grain, group };
  }
}

const GRAINS: readonly Grain[] = ['group', 'part', 'sentence', 'word', 'grapheme', 'code-point'];

function next(grain: Grain): Grain | undefined {
  return GRAINS[GRAINS.indexOf(grain) + 1];
}

/** A row is only cut when it is longer than a whole chunk, and then between cells. */
function cells(text: string, span: Span): Span[] {
  const found: Span[] = [];
  let start = span.start;
  for (let at = text.indexOf(' | ', start); at !== -1 && at + 3 < span.end; at = text.indexOf(' | ', at + 3)) {
    found.push({ start, end: at + 3 });
    start = at + 3;
  }
  found.push({ start, end: span.end });
  return found;
}
