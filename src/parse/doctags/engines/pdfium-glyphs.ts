import type { Box } from '../../document.ts';
import { isRightToLeft } from '../layout/direction.ts';
import { holdsLargeSigns, isUnknown } from '../layout/glyph-text.ts';
import type { Ink } from '../layout/letter-shape.ts';
import type { Drawing, Font, Glyph } from '../layout/page-content.ts';
import type { FontDifferences } from './font-differences.ts';
import { FontCharacters } from './pdfium-characters.ts';
import { readFont } from './pdfium-font.ts';
import type { Matrix } from './pdfium-geometry.ts';
import { mapBox } from './pdfium-geometry.ts';
import { endAtPen, glyphBox } from './glyph-box.ts';
import type { InkKind } from './hidden-text.ts';
import { withoutHidden } from './hidden-text.ts';
import type { Library } from './pdfium-library.ts';
import type { FormPlace } from './pdfium-objects.ts';
import { isWhite, readClip, type Clip } from './pdfium-paint.ts';

/** What is the same for all glyphs of one text object. */
interface TextRun {
  readonly characters: FontCharacters;
  readonly font: Font;
  readonly size: number;
  readonly turn: number;
  /** A font of large signs, which hang below the pen's place; the line they belong to runs through their middle. */
  readonly hanging: boolean;
  readonly mark: number;
  readonly form: number;
  readonly artifact: boolean;
  readonly ink: InkKind;
  readonly clip: Clip | undefined;
}

interface Source {
  readonly library: Library;
  readonly page: number;
  readonly matrix: Matrix;
  readonly width: number;
  readonly height: number;
  readonly fonts: Map<number, FontCharacters>;
  readonly differences: () => FontDifferences;
  readonly drawings: readonly Drawing[];
  readonly tagged: boolean;
  readonly maxGlyphs: number;
  /** Which form object holds a text object. */
  readonly formOf: ReadonlyMap<number, FormPlace>;
}

const LINE_END_HYPHEN = 2;
const SOFT_HYPHEN = 0xad;
/** Letters of one word stand closer, in ems. */
const LEAST_GAP = 0.06;
/** FPDFTextObj_GetTextRenderMode: 3 draws nothing, 7 only adds to the clip. */
const INVISIBLE = 3;
const CLIP_ONLY = 7;

interface PageText {
  readonly glyphs: readonly Glyph[];
  readonly unmapped: number;
  readonly renamed: number;
  readonly hidden: number;
  readonly truncated: boolean;
}

/** All glyphs of a page that can be seen, in the order of the content stream, without the spaces that the engine invents. */
export function readGlyphs(source: Source): PageText {
  const { library, matrix } = source;
  const { call, scratch } = library;
  const textPage = call.FPDFText_LoadPage(source.page);
  if (textPage === 0) return { glyphs: [], unmapped: 0, renamed: 0, hidden: 0, truncated: false };
  const slot = scratch >> 2;
  const glyphs: Glyph[] = [];
  const inks: InkKind[] = [];
  const starts: number[] = [];
  const runs = new Map<number, TextRun>();
  let allPlain = true;
  let unmapped = 0;
  let renamed = 0;
  let hidden = 0;
  let spaced = false;
  let gapSeen = false;
  let lastObject = -1;
  let run: TextRun | undefined;
  let lastX = 0;
  let lastY = 0;
  let lastRight = 0;
  let lastSoft = false;
  const total = call.FPDFText_CountChars(textPage);
  const count = Math.min(total, source.maxGlyphs);
  try {
    for (let index = 0; index < count; index += 1) {
      let code = call.FPDFText_GetUnicode(textPage, index);
      // The engine makes up spaces and line ends, and nothing else.
      if (code === 0x20 || code === 0x0d || code === 0x0a || code === 0xa0) {
        if (code === 0x0d || code === 0x0a) continue;
        if (call.FPDFText_IsGenerated(textPage, index) === 1) gapSeen = true;
        else spaced = true;
        continue;
      }
      const at = index;
      if (code >= 0xd800 && code < 0xdc00) {
        const low = call.FPDFText_GetUnicode(textPage, index + 1);
        if (low >= 0xdc00 && low < 0xe000) {
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          index += 1;
        }
      }
      const object = call.FPDFText_GetTextObject(textPage, at);
      const isNewObject = object !== lastObject || !run;
      if (isNewObject) {
        run = runs.get(object);
        if (!run) {
          run = readRun(source, textPage, at, object);
          runs.set(object, run);
        }
      }
      if (!run) continue;
      const character = run.characters.character(code, textPage, at, run.turn === 0 ? run.size : 0);
      const isHyphen = code === LINE_END_HYPHEN && call.FPDFText_IsHyphen(textPage, at) === 1;
      const text = isHyphen ? '-' : character.text;
      call.FPDFText_GetLooseCharBox(textPage, at, scratch);
      call.FPDFText_GetCharOrigin(textPage, at, scratch + 16, scratch + 24);
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
      if (run.clip && isClipped(run.clip, box)) {
        hidden += 1;
        continue;
      }
      // A soft hyphen that has no width is not shown: it marks where the word may be broken.
      const isSoft = code === SOFT_HYPHEN;
      if (isSoft && box.right - box.left < 0.05 * run.size) continue;
      if (text === '' || isUnknown(text)) unmapped += 1;
      else if (character.isRenamed) renamed += 1;
      const x = library.doubles[(scratch >> 3) + 2] ?? 0;
      const y = library.doubles[(scratch >> 3) + 3] ?? 0;
      const last = glyphs.at(-1);
      if (last && !isNewObject && x === lastX && y === lastY && lastRight === box.right) {
        // The engine spells a ligature out as several characters of one glyph, backwards where it turns a line around.
        glyphs[glyphs.length - 1] = {
          ...last,
          right: box.right,
          text: isRightToLeft(text) ? text + last.text : last.text + text,
        };
        continue;
      }
      const pen = matrix.a * x + matrix.c * y + matrix.e;
      const onLine = matrix.b * x + matrix.d * y + matrix.f;
      const baseline = run.hanging && character.ink ? onLine - axisShift(character.ink) * run.size : onLine;
      if (last && text === '-' && last.text === '-' && isSoft !== lastSoft && isSameHyphen(last, box, baseline))
        continue;
      if (isNewObject) starts.push(glyphs.length);
      lastObject = object;
      lastX = x;
      lastY = y;
      lastRight = box.right;
      lastSoft = isSoft;
      const advance = run.font.math ? 0 : character.advance * run.size;
      const place =
        run.turn === 0 ? endAtPen(box, pen, advance) : glyphBox(box, { x: pen, y: onLine, advance, turn: run.turn });
      const isHanging = run.hanging && character.ink !== undefined;
      glyphs.push({
        text,
        left: place.left,
        right: place.right,
        top: isHanging ? onLine - (character.ink?.top ?? 0) * run.size : place.top,
        bottom: isHanging ? onLine - (character.ink?.bottom ?? 0) * run.size : place.bottom,
        x: pen,
        baseline,
        size: run.size,
        font: run.font,
        // A space that the engine makes up counts where there is a gap to see.
        spaced: spaced || (gapSeen && last !== undefined && isGap(last, place, run)),
        turn: run.turn,
        mark: run.mark,
        form: run.form,
        artifact: run.artifact,
      });
      inks.push(run.ink);
      allPlain &&= run.ink === 'plain';
      spaced = false;
      gapSeen = false;
    }
  } finally {
    call.FPDFText_ClosePage(textPage);
  }
  const shown = withoutHidden(glyphs, allPlain ? undefined : inks, source.drawings, starts);
  return { glyphs: shown, unmapped, renamed, hidden: hidden + glyphs.length - shown.length, truncated: total > count };
}

/** Whether the pen jumped between two glyphs of running text. */
function isGap(last: Glyph, box: Box, run: TextRun): boolean {
  if (isFormula(last.font, run.font)) return false;
  const gap = run.turn === 1 ? box.top - last.bottom : run.turn === 3 ? last.top - box.bottom : box.left - last.right;
  return gap > LEAST_GAP * run.size;
}

/** Formulas are set without spaces: their gaps follow from the signs. */
function isFormula(a: Font, b: Font): boolean {
  return a.math || b.math;
}

/** Signs stand around the height of a minus, a quarter of an em above the baseline. */
function axisShift(ink: Ink): number {
  return (ink.top + ink.bottom) / 2 - 0.25;
}

/** A soft hyphen beside a hyphen is the same sign twice. */
function isSameHyphen(last: Glyph, box: { left: number }, baseline: number): boolean {
  return Math.abs(last.baseline - baseline) < 0.1 * last.size && Math.abs(box.left - last.right) < 0.15 * last.size;
}

function isClipped(clip: Clip, box: Clip): boolean {
  const x = (box.left + box.right) / 2;
  const y = (box.top + box.bottom) / 2;
  return x < clip.left - 1 || x > clip.right + 1 || y < clip.top - 1 || y > clip.bottom + 1;
}

function readRun(source: Source, textPage: number, index: number, object: number): TextRun {
  const { library, matrix } = source;
  const { call, scratch } = library;
  const fontPointer = object === 0 ? 0 : call.FPDFTextObj_GetFont(object);
  let characters = source.fonts.get(fontPointer);
  if (!characters) {
    characters = new FontCharacters(library, fontPointer, readFont(library, fontPointer), source.differences);
    source.fonts.set(fontPointer, characters);
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
  const place = source.formOf.get(object);
  return {
    characters,
    font: characters.font,
    size: Math.abs(size),
    turn,
    hanging: turn === 0 && holdsLargeSigns(characters.font.name),
    mark,
    form: place?.form ?? -1,
    artifact,
    ink: inkOf(library, object),
    clip: object === 0 ? undefined : readClip(library, object, place?.map ?? matrix),
  };
}

function inkOf(library: Library, object: number): InkKind {
  if (object === 0) return 'plain';
  const mode = library.call.FPDFTextObj_GetTextRenderMode(object);
  if (mode === INVISIBLE || mode === CLIP_ONLY) return 'none';
  return mode === 0 && isWhite(library, object) ? 'white' : 'plain';
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
