import { AppError } from '../../../base/index.ts';
import type { Library } from './pdfium-library.ts';

/** A space that the engine makes up between two characters; no file can hold this code. */
export const MADE_UP_SPACE = 0xffff_ffff;
/** A space that the file holds. */
export const SPACE = 0x20;
/** The end of a line, which the engine makes up. */
export const LINE_END = 0x0a;

/** The characters of a page as the engine tells them, by their numbers; spaces and line ends have a code only. */
export interface TextPage {
  readonly pointer: number;
  /** Codes of UTF-16, those above U+FFFF in two halves. */
  readonly codes: Uint32Array;
  /** Which text object a character belongs to, by the engine's pointer. */
  readonly objects: Uint32Array;
  /** Left, top, right and bottom of each, in the file's page space. */
  readonly boxes: Float32Array;
  /** Where the pen was: x and y of each. */
  readonly pens: Float64Array;
  /** There are more characters than were wanted. */
  readonly truncated: boolean;
}

const BOX_BYTES = 16;
const PEN_BYTES = 16;

/** Where the engine writes the places of a page's characters, in its heap. */
interface Places {
  readonly pens: number;
  readonly boxes: number;
}

/** Reads what the engine knows about each character; it writes boxes and places straight into tables in its heap. */
export function readTextPage(library: Library, pointer: number, maxCharacters: number): TextPage {
  const { call } = library;
  const total = call.FPDFText_CountChars(pointer);
  const count = Math.max(0, Math.min(total, maxCharacters));
  const codes = new Uint32Array(count);
  const objects = new Uint32Array(count);
  const bytes = count * (PEN_BYTES + BOX_BYTES);
  const pens = call.malloc(Math.max(1, bytes));
  if (pens === 0) throw new AppError('PDF_TOO_LARGE', 'the text of a page does not fit into memory');
  new Uint8Array(call.memory.buffer, pens, bytes).fill(0);
  const boxes = pens + count * PEN_BYTES;
  try {
    readAll(library, { pointer, codes, objects }, { pens, boxes });
    const { buffer } = call.memory;
    return {
      pointer,
      codes,
      objects,
      boxes: new Float32Array(buffer, boxes, count * 4).slice(),
      pens: new Float64Array(buffer, pens, count * 2).slice(),
      truncated: total > count,
    };
  } finally {
    call.free(pens);
  }
}

function readAll(
  library: Library,
  { pointer, codes, objects }: Pick<TextPage, 'pointer' | 'codes' | 'objects'>,
  { pens, boxes }: Places,
): void {
  const { call } = library;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codeAt(library, pointer, index);
    codes[index] = code;
    if (isEmpty(code)) continue;
    objects[index] = call.FPDFText_GetTextObject(pointer, index);
    const pen = pens + index * PEN_BYTES;
    call.FPDFText_GetCharOrigin(pointer, index, pen, pen + PEN_BYTES / 2);
    call.FPDFText_GetLooseCharBox(pointer, index, boxes + index * BOX_BYTES);
  }
}

function codeAt({ call }: Library, pointer: number, index: number): number {
  const code = call.FPDFText_GetUnicode(pointer, index);
  if (code === 0x0d) return LINE_END;
  // The engine makes up spaces and line ends, and nothing else.
  if (code !== SPACE && code !== 0xa0) return code;
  return call.FPDFText_IsGenerated(pointer, index) === 1 ? MADE_UP_SPACE : SPACE;
}

function isEmpty(code: number): boolean {
  return code === SPACE || code === MADE_UP_SPACE || code === LINE_END;
}
