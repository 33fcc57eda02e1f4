import type { Matrix } from './pdfium-geometry.ts';
import type { Library } from './pdfium-library.ts';

/** A character of the engine's own text: spaces and line ends that it puts in have no place of their own. */
export interface PlainCharacter {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

/** The engine's own text of a page, character by character, in its order. */
export function readPlainText(library: Library, page: number, matrix: Matrix, maxCharacters: number): PlainCharacter[] {
  const { call, scratch } = library;
  const textPage = call.FPDFText_LoadPage(page);
  if (textPage === 0) return [];
  const characters: PlainCharacter[] = [];
  try {
    const count = Math.min(maxCharacters, call.FPDFText_CountChars(textPage));
    let high = '';
    for (let index = 0; index < count; index += 1) {
      const code = call.FPDFText_GetUnicode(textPage, index);
      // The engine gives characters above U+FFFF in two halves.
      if (code >= 0xd800 && code < 0xdc00) {
        high = String.fromCharCode(code);
        continue;
      }
      const text = high + (code > 0xffff ? String.fromCodePoint(Math.min(code, 0x10ffff)) : String.fromCharCode(code));
      high = '';
      call.FPDFText_GetCharOrigin(textPage, index, scratch, scratch + 8);
      const x = library.doubles[scratch >> 3] ?? 0;
      const y = library.doubles[(scratch >> 3) + 1] ?? 0;
      characters.push({
        text,
        x: matrix.a * x + matrix.c * y + matrix.e,
        y: matrix.b * x + matrix.d * y + matrix.f,
      });
    }
  } finally {
    call.FPDFText_ClosePage(textPage);
  }
  return characters;
}
