import { isRightToLeft } from '../layout/direction.ts';
import { usableText } from '../layout/glyph-text.ts';
import type { Font, Glyph } from '../layout/page-content.ts';
import { readFont } from './pdfium-font.ts';
import type { Matrix } from './pdfium-geometry.ts';
import { mapBox } from './pdfium-geometry.ts';
import type { Library } from './pdfium-library.ts';

/** What is the same for all glyphs of one text object. */
interface TextRun {
  readonly font: Font;
  /** Advances of letters, in ems, of slanted type: the ink of an italic f reaches over the space after it. */
  readonly advances: Map<number, number> | undefined;
  readonly pointer: number;
  readonly size: number;
  readonly turn: number;
  readonly mark: number;
  readonly form: number;
  readonly artifact: boolean;
}

interface Source {
  readonly library: Library;
  readonly page: number;
  readonly matrix: Matrix;
  readonly width: number;
  readonly height: number;
  readonly fonts: Map<number, Font>;
  readonly advances: Map<number, Map<number, number>>;
  readonly tagged: boolean;
  readonly maxGlyphs: number;
  /** Which form object holds a text object. */
  readonly formOf: ReadonlyMap<number, number>;
}

const LINE_END_HYPHEN = 2;

/** All glyphs of a page in the order of the content stream, without the spaces that the engine invents. */
export function readGlyphs(source: Source): { glyphs: Glyph[]; unmapped: number; truncated: boolean } {
  const { library, matrix } = source;
  const { call, scratch } = library;
  const textPage = call.FPDFText_LoadPage(source.page);
  if (textPage === 0) return { glyphs: [], unmapped: 0, truncated: false };
  const slot = scratch >> 2;
  const glyphs: Glyph[] = [];
  const runs = new Map<number, TextRun>();
  let unmapped = 0;
  let spaced = false;
  let lastObject = 0;
  let lastX = 0;
  let lastY = 0;
  let lastRight = 0;
  const total = call.FPDFText_CountChars(textPage);
  const count = Math.min(total, source.maxGlyphs);
  try {
    for (let index = 0; index < count; index += 1) {
      const code = call.FPDFText_GetUnicode(textPage, index);
      if (code === 0x20 || code === 0x0d || code === 0x0a || code === 0xa0) {
        spaced ||= code !== 0x0d && code !== 0x0a && call.FPDFText_IsGenerated(textPage, index) !== 1;
        continue;
      }
      if (call.FPDFText_IsGenerated(textPage, index) === 1) continue;
      const object = call.FPDFText_GetTextObject(textPage, index);
      let run = runs.get(object);
      if (!run) {
        run = readRun(source, textPage, index, object);
        runs.set(object, run);
      }
      const hyphen = code === LINE_END_HYPHEN && call.FPDFText_IsHyphen(textPage, index) === 1;
      const wrong = !hyphen && call.FPDFText_HasUnicodeMapError(textPage, index) === 1;
      const text = hyphen ? '-' : usableText(code, wrong, run.font.name);
      if (text === '') unmapped += 1;
      call.FPDFText_GetLooseCharBox(textPage, index, scratch);
      call.FPDFText_GetCharOrigin(textPage, index, scratch + 16, scratch + 24);
      const floats = library.floats;
      const box = mapBox(
        matrix,
        floats[slot] ?? 0,
        floats[slot + 1] ?? 0,
        floats[slot + 2] ?? 0,
        floats[slot + 3] ?? 0,
      );
      // What lies off the page is not shown; broken files put text at absurd places.
      if (!(box.right > 0 && box.left < source.width && box.bottom > 0 && box.top < source.height)) continue;
      const x = library.doubles[(scratch >> 3) + 2] ?? 0;
      const y = library.doubles[(scratch >> 3) + 3] ?? 0;
      const pen = matrix.a * x + matrix.c * y + matrix.e;
      const advance = run.advances ? advanceOf(library, run, code) * run.size : 0;
      // Type that is set wider or narrower than the font says is left as the engine measures it.
      const told = advance > 0.4 * (box.right - box.left) && advance < 1.2 * (box.right - box.left);
      const last = glyphs.at(-1);
      if (last && lastObject === object && x === lastX && y === lastY && lastRight === box.right) {
        // The engine spells a ligature out as several characters of one glyph, backwards where it turns a line around.
        glyphs[glyphs.length - 1] = {
          ...last,
          right: box.right,
          text: isRightToLeft(text) ? text + last.text : last.text + text,
        };
        continue;
      }
      lastObject = object;
      lastX = x;
      lastY = y;
      lastRight = box.right;
      glyphs.push({
        text,
        left: told ? Math.max(pen, box.left) : box.left,
        right: told ? Math.min(pen + advance, box.right) : box.right,
        top: box.top,
        bottom: box.bottom,
        x: pen,
        baseline: matrix.b * x + matrix.d * y + matrix.f,
        size: run.size,
        font: run.font,
        spaced,
        turn: run.turn,
        mark: run.mark,
        form: run.form,
        artifact: run.artifact,
      });
      spaced = false;
    }
  } finally {
    call.FPDFText_ClosePage(textPage);
  }
  return { glyphs, unmapped, truncated: total > count };
}

function readRun(source: Source, textPage: number, index: number, object: number): TextRun {
  const { library, matrix } = source;
  const { call, scratch } = library;
  const fontPointer = object === 0 ? 0 : call.FPDFTextObj_GetFont(object);
  let font = source.fonts.get(fontPointer);
  if (!font) {
    font = readFont(library, fontPointer);
    source.fonts.set(fontPointer, font);
  }
  let size = call.FPDFText_GetFontSize(textPage, index);
  let turn = 0;
  if (call.FPDFText_GetMatrix(textPage, index, scratch) === 1) {
    const [a = 1, b = 0, c = 0, d = 1] = library.floats.subarray(scratch >> 2);
    size *= Math.hypot(c, d) * Math.hypot(matrix.c, matrix.d);
    // In the shown page y grows downwards, so a positive angle is clockwise.
    const dx = matrix.a * a + matrix.c * b;
    const dy = matrix.b * a + matrix.d * b;
    const quarter = Math.atan2(dy, dx) / (Math.PI / 2);
    const whole = Math.round(quarter);
    turn = Math.abs(quarter - whole) > 0.12 ? -1 : (whole + 4) % 4;
  }
  const mark = source.tagged && object !== 0 ? call.FPDFPageObj_GetMarkedContentID(object) : -1;
  const artifact = source.tagged && object !== 0 && hasArtifactMark(library, object);
  const slanted = font.italic && !font.math && turn === 0;
  return {
    font,
    advances: slanted ? advancesOf(source.advances, fontPointer) : undefined,
    pointer: fontPointer,
    size: Math.abs(size),
    turn,
    mark,
    form: source.formOf.get(object) ?? -1,
    artifact,
  };
}

function advancesOf(advances: Map<number, Map<number, number>>, pointer: number): Map<number, number> {
  const known = advances.get(pointer) ?? new Map<number, number>();
  advances.set(pointer, known);
  return known;
}

/** How far the pen moves for a letter, in ems; 0 when the font does not say. */
function advanceOf(library: Library, { advances, pointer }: TextRun, code: number): number {
  const known = advances?.get(code);
  if (known !== undefined) return known;
  const place = library.scratch + 32;
  const told = library.call.FPDFFont_GetGlyphWidth(pointer, code, 1, place) === 1;
  const advance = told ? (library.floats[place >> 2] ?? 0) : 0;
  advances?.set(code, advance);
  return advance;
}

function hasArtifactMark(library: Library, object: number): boolean {
  const { call, scratch } = library;
  const count = Math.min(8, call.FPDFPageObj_CountMarks(object));
  for (let index = 0; index < count; index += 1) {
    const mark = call.FPDFPageObj_GetMark(object, index);
    const name = library.readString('utf-16le', (buffer, length) => {
      call.FPDFPageObjMark_GetName(mark, buffer, length, scratch);
      return library.integers[scratch >> 2] ?? 0;
    });
    if (name === 'Artifact') return true;
  }
  return false;
}
