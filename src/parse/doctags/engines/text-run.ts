import { holdsLargeSigns } from '../layout/text/glyph-text.ts';
import type { Font } from '../layout/page/page-content.ts';
import type { FontDifferences } from './font-differences.ts';
import type { InkKind } from './hidden-text.ts';
import { FontCharacters } from './pdfium-characters.ts';
import type { Matrix } from './pdfium-geometry.ts';
import type { Library } from './pdfium-library.ts';
import type { FormPlace } from './pdfium-objects.ts';
import { isWhite, readClip, type Clip } from './pdfium-paint.ts';

/** The properties that all glyphs of a text object share. */
export interface TextRun {
  readonly characters: FontCharacters;
  readonly font: Font;
  readonly size: number;
  readonly turn: number;
  /** A font of large signs, which hang below the pen; their line runs through their middle. */
  readonly hanging: boolean;
  readonly mark: number;
  readonly form: number;
  readonly artifact: boolean;
  readonly ink: InkKind;
  readonly clip: Clip | undefined;
}

/** A page and its file's data, for reading text runs. */
export interface RunSource {
  readonly library: Library;
  readonly matrix: Matrix;
  readonly fonts: Map<number, FontCharacters>;
  readonly differences: () => FontDifferences;
  readonly tagged: boolean;
  /** The form of each text object. */
  readonly formOf: ReadonlyMap<number, FormPlace>;
}

/** FPDFTextObj_GetTextRenderMode: 3 draws nothing, 7 only adds to the clip. */
const INVISIBLE = 3;
const CLIP_ONLY = 7;

/** Reads a text object, given by the engine's pointer (0 if unknown) and the index of its first character. */
export function readRun(source: RunSource, textPage: number, index: number, object: number): TextRun {
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
    const { floats } = library;
    const at = scratch >> 2;
    const a = floats[at] as number;
    const b = floats[at + 1] as number;
    const c = floats[at + 2] as number;
    const d = floats[at + 3] as number;
    size *= Math.hypot(c, d) * Math.hypot(matrix.c, matrix.d);
    // On the shown page y grows downwards, so a positive angle is clockwise.
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

/** How the text of an object is drawn. */
export function inkOf(library: Library, object: number): InkKind {
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

const FIXED_PITCH = 1;
const ITALIC = 1 << 6;
const SMALL_CAPS = 1 << 17;
const FORCE_BOLD = 1 << 18;

const BOLD =
  /bold|black|heavy|semibold|demi(?!lig)|-bd|medi(?!um|eval)|^cmb|^sfb|^ecb|^lmroman.*bold|[a-z]b(?:i|it)?$|bx\d|\.bi?$/i;
const ITALIC_NAME = /ital|obli|slant|^cmti|^cmsl|^sfti|^ecti|-it\b|[a-z]-?bi$|\.b?i$/i;
const MONO = /mono|courier|typewriter|^cmtt|^sftt|^ectt|consol|menlo|inconsolata|^lmtt|fixed|code\b|-tt\b/i;
const SMALL_CAPS_NAME = /smallcaps|^cmcsc|csc\d|-sc\b|caps\d*(?:-|$)|sc\d+$/i;
const MATH =
  /^cmmi|^cmsy|^cmex|^cmbsy|^cmmib|^msam|^msbm|^eufm|^eusm|^eurm|^rsfs|^stmary|^wasy|^esint|math|symbol|^txsy|^txex|^rtxmi|^ntxmi|^mtmi|^mtsy|^mtex|^lasy|^bbm|^dsrom|^zplm|^euex|^rmtmi|^newtxmi|^txmia|^stixsize/i;

/** The file's data of a font; the name has priority, because weights and flags are often wrong. */
function readFont(library: Library, pointer: number): Font {
  const { call } = library;
  const raw = library.readString('utf-8', (buffer, length) => call.FPDFFont_GetBaseFontName(pointer, buffer, length));
  const name = raw.replace(/^[A-Z]{6}\+/, '');
  const flags = Math.max(0, call.FPDFFont_GetFlags(pointer));
  const weight = call.FPDFFont_GetWeight(pointer);
  return describeFont(name, flags, weight);
}

/** Describes a font by name, descriptor flags and weight. */
export function describeFont(name: string, flags: number, weight: number): Font {
  // "AdvOT0186.I+fb" is the part of "AdvOT0186.I" that holds the ligatures from U+FB00 on.
  const face = name.replace(/\+[\da-f]{2}$/iu, '');
  const math = MATH.test(name);
  return {
    name,
    bold:
      BOLD.test(face) ||
      (flags & FORCE_BOLD) !== 0 ||
      (weight >= 700 && weight <= 1000 && !/regu|roman|book/i.test(name)),
    italic: ITALIC_NAME.test(face) || (!math && (flags & ITALIC) !== 0),
    monospaced: MONO.test(name) || (flags & FIXED_PITCH) !== 0,
    smallCaps: SMALL_CAPS_NAME.test(name) || (flags & SMALL_CAPS) !== 0,
    math,
  };
}
