import { isOpaque, unknownText, usableText } from '../layout/text/glyph-text.ts';
import type { Ink } from '../layout/text/letter-shape.ts';
import type { Font } from '../layout/page/page-content.ts';
import type { SymbolEncoding } from '../layout/text/symbol-encoding.ts';
import { misreadSymbol, symbolEncodingOf } from '../layout/text/symbol-encoding.ts';
import type { FontDifferences } from './font-differences.ts';
import type { FontProgram } from './font-program.ts';
import { readFontProgram } from './font-program.ts';
import { textOfName } from './glyph-name.ts';
import type { Library } from './pdfium-library.ts';

/** What a font shows for one value of its text. */
export interface Character {
  /** Empty when nothing is to be seen; one private character when something is, but nobody knows what. */
  readonly text: string;
  /** The file says something else. */
  readonly isRenamed: boolean;
  /** How far the pen moves, in ems; 0 when the font does not say. */
  readonly advance: number;
  /** The ink from the pen's place, in ems; undefined for what has none. */
  readonly ink: Ink | undefined;
}

/** Where a character was met first. */
interface Sighting {
  readonly textPage: number;
  readonly index: number;
  readonly size: number;
}

/** No font of a paper is larger than this. */
const LARGEST_PROGRAM = 20_000_000;

/** The characters of one font, each looked up once in a document. */
export class FontCharacters {
  readonly font: Font;
  readonly #library: Library;
  readonly #pointer: number;
  readonly #differences: () => FontDifferences;
  readonly #encoding: SymbolEncoding | undefined;
  readonly #known = new Map<number, Character>();
  #program: FontProgram | undefined;

  constructor(library: Library, pointer: number, font: Font, differences: () => FontDifferences) {
    this.font = font;
    this.#library = library;
    this.#pointer = pointer;
    this.#differences = differences;
    this.#encoding = symbolEncodingOf(font.name);
  }

  /** The shapes of the characters met so far, by their text. */
  shapes(): Map<string, Ink> {
    const shapes = new Map<string, Ink>();
    for (const { text, ink } of this.#known.values()) if (ink && text !== '') shapes.set(text, ink);
    return shapes;
  }

  /** The character of a code; where it was met first tells its shape. */
  character(code: number, textPage: number, index: number, size: number): Character {
    return this.#known.get(code) ?? this.#meet(code, { textPage, index, size });
  }

  #meet(code: number, sighting: Sighting): Character {
    const isWrong = this.#library.call.FPDFText_HasUnicodeMapError(sighting.textPage, sighting.index) === 1;
    const text = this.#textOf(code, isWrong);
    const character = {
      text,
      isRenamed: text !== usableText(code, isWrong, this.font.name),
      // The engine finds the width by the Unicode value, which must be the glyph's own for that.
      advance: isWrong || isOpaque(code) ? 0 : this.#advanceOf(code),
      ink: inkOf(this.#library, sighting),
    };
    this.#known.set(code, character);
    return character;
  }

  #textOf(code: number, isWrong: boolean): string {
    if ((isOpaque(code) && code !== 9) || isWrong) {
      const named = this.#textByName(code);
      if (named !== undefined) return named;
    }
    if (this.#encoding && code < 0x200) {
      const meant = misreadSymbol(this.#encoding, String.fromCodePoint(code));
      if (meant !== undefined) return meant;
    }
    const text = usableText(code, isWrong, this.font.name);
    // Parts of large signs and empty glyphs are nothing that a reader would miss.
    if (text !== '' || this.#encoding === 'tex-extension' || !isOpaque(code) || code === 0xfeff || code === 9)
      return text;
    return this.font.math ? '' : unknownText(code);
  }

  /** The name of a code's glyph, from the file or else from the font program, says what it shows. */
  #textByName(code: number): string | undefined {
    const listed = this.#differences().get(this.font.name)?.get(code);
    const name = listed ?? this.#fontProgram().nameOf.get(code);
    if (name === undefined || name === '') return undefined;
    if (name === 'space' || name === 'nbspace' || name === '.notdef') return '';
    return textOfName(name, this.#encoding);
  }

  #fontProgram(): FontProgram {
    this.#program ??= readFontProgram(this.#fontBytes());
    return this.#program;
  }

  #fontBytes(): Uint8Array {
    const { call, scratch, integers } = this.#library;
    if (this.#pointer === 0 || call.FPDFFont_GetFontData(this.#pointer, 0, 0, scratch) !== 1) return new Uint8Array(0);
    const length = integers[scratch >> 2] ?? 0;
    if (length <= 0 || length > LARGEST_PROGRAM) return new Uint8Array(0);
    const buffer = call.malloc(length);
    try {
      if (call.FPDFFont_GetFontData(this.#pointer, buffer, length, scratch) !== 1) return new Uint8Array(0);
      return new Uint8Array(call.memory.buffer, buffer, length).slice();
    } finally {
      call.free(buffer);
    }
  }

  #advanceOf(code: number): number {
    const place = this.#library.scratch + 32;
    const isTold =
      this.#pointer !== 0 && this.#library.call.FPDFFont_GetGlyphWidth(this.#pointer, code, 1, place) === 1;
    return isTold ? (this.#library.floats[place >> 2] ?? 0) : 0;
  }
}

function inkOf(library: Library, { textPage, index, size }: Sighting): Ink | undefined {
  const { call, scratch } = library;
  if (!(size > 0.5)) return undefined;
  // The engine writes left, right, bottom and top as doubles, and then the pen's place.
  if (call.FPDFText_GetCharBox(textPage, index, scratch, scratch + 8, scratch + 16, scratch + 24) !== 1)
    return undefined;
  call.FPDFText_GetCharOrigin(textPage, index, scratch + 32, scratch + 40);
  const at = scratch >> 3;
  const [left = 0, right = 0, bottom = 0, top = 0, x = 0, y = 0] = library.doubles.subarray(at, at + 6);
  if (!(right > left) || !(top > bottom)) return undefined;
  return { left: (left - x) / size, right: (right - x) / size, bottom: (bottom - y) / size, top: (top - y) / size };
}
