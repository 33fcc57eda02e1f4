import { holdsLargeSigns } from '../layout/text/glyph-text.ts';
import { isUnknown } from '../layout/text/symbol-font.ts';
import type { Font, Drawing, Glyph } from '../layout/page/page-content.ts';
import type { SetCharacter } from './font-scale.ts';
import { emScale } from './font-scale.ts';
import type { FontDifferences, Character } from './pdfium-fonts.ts';
import { FontCharacters } from './pdfium-fonts.ts';
import type { InkKind, FormPlace, Placed } from './pdfium-objects.ts';
import { withoutHidden, hasActualText, isWhite, placeTogether, readClip } from './pdfium-objects.ts';
import type { Matrix, Library } from './pdfium-library.ts';
import { mapBoxes, writtenMatrix } from './pdfium-library.ts';
import type { Box } from '../../document.ts';
import { combiningMark } from '../layout/text/marks.ts';
import { isRightToLeft, isWide } from '../layout/text/script.ts';
import type { Ink } from '../layout/text/symbol-font.ts';
import { AppError } from '../../../base/index.ts';
import { heightOf, widthOf } from '../layout/page/box.ts';

type TextRun = ReturnType<typeof readRun>;

interface RunSource {
  readonly library: Library;
  readonly matrix: Matrix;
  readonly fonts: Map<number, FontCharacters>;
  readonly differences: () => FontDifferences;
  readonly tagged: boolean;
  readonly formOf: ReadonlyMap<number, FormPlace>;
  readonly spanOf: ReadonlyMap<number, readonly number[]>;
}

/** FPDFTextObj_GetTextRenderMode: 3 draws nothing, 7 only adds to the clip. */
const INVISIBLE = 3;
const CLIP_ONLY = 7;

/** Reads a text object, given by the engine's pointer (0 if unknown) and the index of its first character. */
function readRun(source: RunSource, page: TextPage, index: number, object: number) {
  const textPage = page.pointer;
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
    const { a, b, c, d } = writtenMatrix(library);
    size *= Math.hypot(c, d) * Math.hypot(matrix.c, matrix.d);
    // On the shown page y grows downwards, so a positive angle is clockwise.
    const dx = matrix.a * a + matrix.c * b;
    const dy = matrix.b * a + matrix.d * b;
    const quarter = Math.atan2(dy, dx) / (Math.PI / 2);
    const whole = Math.round(quarter);
    turn = Math.abs(quarter - whole) > 0.12 ? -1 : (whole + 4) % 4;
  }
  const artifact = source.tagged && object !== 0 && hasArtifactMark(library, object);
  const place = source.formOf.get(object);
  // Only Type 3 fonts have no name; the sizes of all others are those of their letters.
  characters.scale ??= characters.font.name === '' ? emScale(charactersOf(library, page, index, fontPointer)) : 1;
  return {
    characters,
    font: characters.font,
    size: Math.abs(size) * characters.scale,
    turn,
    /** A font of large signs, which hang below the pen; their line runs through their middle. */
    hanging: turn === 0 && holdsLargeSigns(characters.font.name),
    form: place?.form ?? -1,
    whole: wholeSpan(source, page, object, place?.map ?? matrix),
    artifact,
    ink: inkOf(library, object),
    clip: object === 0 ? undefined : readClip(library, object, place?.map ?? matrix),
  };
}

/** Characters that are measured to learn the size of a font, and that are looked at to find them. */
const MEASURED = 64;
const LOOKED_AT = 4_000;

/** Characters of a font from an index on, measured in its nominal size. */
function charactersOf(library: Library, page: TextPage, from: number, font: number): SetCharacter[] {
  const { call, scratch } = library;
  const found: SetCharacter[] = [];
  const fontOf = new Map<number, number>();
  const end = Math.min(page.codes.length, from + LOOKED_AT);
  for (let index = from; index < end && found.length < MEASURED; index += 1) {
    const object = page.objects[index] as number;
    if (object === 0) continue;
    if (!fontOf.has(object)) fontOf.set(object, call.FPDFTextObj_GetFont(object));
    if (fontOf.get(object) !== font || call.FPDFText_GetMatrix(page.pointer, index, scratch) !== 1) continue;
    const { a, b, c, d } = writtenMatrix(library);
    const nominal = call.FPDFText_GetFontSize(page.pointer, index);
    const [along, up] = [unit(a, b), unit(c, d)];
    const em = { x: nominal * along.length, y: nominal * up.length };
    if (!(em.x > 0 && em.y > 0)) continue;
    if (call.FPDFText_GetCharBox(page.pointer, index, scratch, scratch + 8, scratch + 16, scratch + 24) !== 1) continue;
    const [left = 0, right = 0, bottom = 0, top = 0] = library.doubles.subarray(scratch >> 3, (scratch >> 3) + 4);
    const [x = 0, y = 0] = page.pens.subarray(2 * index, 2 * index + 2);
    const [looseLeft = 0, looseTop = 0, looseRight = 0, looseBottom = 0] = page.boxes.subarray(4 * index);
    found.push({
      text: String.fromCodePoint(page.codes[index] as number),
      // The font's own matrix may turn its letters over: what is above the baseline is more than what is below.
      rise: (farther(left - x, right - x) * Math.abs(up.x) + farther(bottom - y, top - y) * Math.abs(up.y)) / em.y,
      advance: (Math.abs((looseRight - looseLeft) * along.x) + Math.abs((looseTop - looseBottom) * along.y)) / em.x,
    });
  }
  return found;
}

function unit(x: number, y: number): { readonly x: number; readonly y: number; readonly length: number } {
  const length = Math.hypot(x, y);
  return { x: x / (length || 1), y: y / (length || 1), length };
}

function farther(from: number, to: number): number {
  return Math.max(Math.abs(from), Math.abs(to));
}

/** More text objects are not one letter with its marks. */
const MOST_PARTS = 8;

/**
 * Where a file says the text of several text objects at once, as browsers do for a letter and its vowel signs, the
 * engine gives that text the place of one of them, which may be the sign's. Undefined if others have text of their own.
 */
function wholeSpan(source: RunSource, page: TextPage, object: number, map: Matrix): Placed | undefined {
  const members = source.spanOf.get(object);
  if (!members || members.length > MOST_PARTS) return undefined;
  if (members.some((member) => member !== object && page.speaking.has(member))) return undefined;
  if (!hasActualText(source.library, object)) return undefined;
  return placeTogether(source.library, members, map);
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

const FIXED_PITCH = 1;
const ITALIC = 1 << 6;
const FORCE_BOLD = 1 << 18;

const BOLD =
  /bold|black|heavy|semibold|demi(?!lig)|-bd|medi(?!um|eval)|^cmb|^sfb|^ecb|^lmroman.*bold|[a-z]b(?:i|it)?$|bx\d|\.bi?$/i;
const ITALIC_NAME = /ital|obli|slant|^cmti|^cmsl|^sfti|^ecti|-it\b|[a-z]-?bi$|\.b?i$/i;
/** "MinionProIt": without regard to case it would be any word that ends so. */
const ITALIC_END = /[a-z]It$/;
const MONO = /mono|courier|typewriter|^cmtt|^sftt|^ectt|consol|menlo|inconsolata|^lmtt|fixed|code\b|-tt\b/i;
/** The flag for small capitals is set in fonts that only have some. */
const SMALL_CAPS = /smallcaps|^cmcsc|csc\d|-(?:regular)?sc\b|caps\d*(?:-|$)|sc\d+$/i;
const MATH =
  /^cmmi|^cmsy|^cmex|^cmbsy|^cmmib|^msam|^msbm|^eufm|^eusm|^eurm|^rsfs|^stmary|^wasy|^esint|math|symbol|^txsy|^txex|^rtxmi|^ntxmi|^mtmi|^mtsy|^mtex|^lasy|^bbm|^dsrom|^zplm|^euex|^rmtmi|^newtxmi|^txmia|^stixsize/i;

/** The file's data of a font; the name has priority, because flags are often wrong. */
function readFont(library: Library, pointer: number): Font {
  const { call } = library;
  const raw = library.readString('utf-8', (buffer, length) => call.FPDFFont_GetBaseFontName(pointer, buffer, length));
  const name = raw.replace(/^[A-Z]{6}\+/, '');
  return describeFont(name, Math.max(0, call.FPDFFont_GetFlags(pointer)));
}

/** Describes a font by name and descriptor flags. Its weight is not asked: Ghostscript makes it up. */
export function describeFont(name: string, flags: number): Font {
  // "AdvOT0186.I+fb" is the part of "AdvOT0186.I" that holds the ligatures from U+FB00 on.
  const face = name.replace(/\+[\da-f]{2}$/iu, '');
  const math = MATH.test(name);
  return {
    name,
    bold: BOLD.test(face) || (flags & FORCE_BOLD) !== 0,
    italic: ITALIC_NAME.test(face) || ITALIC_END.test(face) || (!math && (flags & ITALIC) !== 0),
    monospaced: MONO.test(name) || (flags & FIXED_PITCH) !== 0,
    smallCaps: SMALL_CAPS.test(name),
    math,
  };
}

interface Source extends RunSource {
  readonly page: number;
  readonly width: number;
  readonly height: number;
  readonly drawings: readonly Drawing[];
  readonly maxGlyphs: number;
}

const LINE_END_HYPHEN = 2;
const SOFT_HYPHEN = 0xad;
const HYPHENS: ReadonlySet<number> = new Set([LINE_END_HYPHEN, 0x2d, SOFT_HYPHEN, 0x2010]);
/** Characters without width that only affect the letters beside them. */
const NON_JOINER = 0x200c;
const JOINER = 0x200d;
/** Gaps inside a word are smaller, in ems. */
const LEAST_GAP = 0.06;
/** Above and below the baseline, in ems: where a font's own box cannot be trusted. */
const ASCENT = 0.8;
const DESCENT = 0.2;
/** Boxes of Arabic letters are as narrow as their ink. */
const ARABIC_SLACK = 0.15;

/** All visible glyphs of a page in content-stream order, without the spaces that the engine inserts. */
export function readGlyphs(source: Source) {
  const { call } = source.library;
  const pointer = call.FPDFText_LoadPage(source.page);
  if (pointer === 0) return { glyphs: [], unmapped: 0, renamed: 0, hidden: 0, truncated: false };
  try {
    const text = readTextPage(source.library, pointer, source.maxGlyphs);
    const setter = new GlyphSetter(source, text);
    setter.setAll();
    return { ...setter.shown(), truncated: text.truncated };
  } finally {
    call.FPDFText_ClosePage(pointer);
  }
}

/** What precedes the next glyph: nothing, a gap that the engine treats as a space, or a space in the file. */
type Space = 'none' | 'gap' | 'space';

/** Makes glyphs of a page's characters, each beside the one before it. Characters are identified by their numbers. */
class GlyphSetter {
  readonly #source: Source;
  readonly #page: TextPage;
  /** Left, top, right and bottom of each character on the shown page. */
  readonly #boxes: Float64Array;
  readonly #runs = new Map<number, TextRun>();
  readonly #glyphs: Glyph[] = [];
  readonly #inks: InkKind[] = [];
  /** The first glyphs of the runs. */
  readonly #starts: number[] = [];
  #isPlain = true;
  #unmapped = 0;
  #renamed = 0;
  #hidden = 0;
  #space: Space = 'none';
  /** The current text object, and its run. */
  #object = -1;
  #run: TextRun | undefined;
  /** The character of the last glyph, and its run. */
  #last = -1;
  #lastRun: TextRun | undefined;

  constructor(source: Source, page: TextPage) {
    this.#source = source;
    this.#page = page;
    this.#boxes = mapBoxes(source.matrix, page.boxes);
  }

  setAll(): void {
    const { codes } = this.#page;
    for (let index = 0; index < codes.length; index += 1) {
      const code = this.#codeAt(index);
      if (code === LINE_END) continue;
      if (code === SPACE) this.#space = 'space';
      else if (code === MADE_UP_SPACE) this.#space = this.#space === 'space' ? 'space' : 'gap';
      else if (isHigh(code) && index + 1 < codes.length && isLow(codes[index + 1] as number)) {
        // The engine returns characters above U+FFFF as surrogate pairs.
        this.#set(0x10000 + ((code - 0xd800) << 10) + ((codes[index + 1] as number) - 0xdc00), index);
        index += 1;
      } else this.#set(code, index);
    }
  }

  /** Some versions of Ghostscript swap the bytes of the letters of a ligature: "昀椀" for "fi". */
  #codeAt(index: number): number {
    const { codes, pens } = this.#page;
    const code = codes[index] as number;
    if (!isSwapped(code)) return code;
    const isLigature = [index - 1, index + 1].some(
      (beside) =>
        isSwapped(codes[beside] ?? 0) &&
        pens[2 * beside] === pens[2 * index] &&
        pens[2 * beside + 1] === pens[2 * index + 1],
    );
    return isLigature ? (ADDED.get(code) ?? code >> 8) : code;
  }

  shown() {
    const inks = this.#isPlain ? undefined : this.#inks;
    const glyphs = withoutHidden(this.#glyphs, inks, this.#source.drawings, this.#starts);
    return {
      glyphs,
      unmapped: this.#unmapped,
      renamed: this.#renamed,
      hidden: this.#hidden + this.#glyphs.length - glyphs.length,
    };
  }

  #set(code: number, index: number): void {
    const run = this.#runOf(index);
    const character = run.characters.character(code, this.#page.pointer, index, run.turn === 0 ? run.size : 0);
    if (!this.#isShown(index, run, HYPHENS.has(code))) return;
    const text = code === LINE_END_HYPHEN && this.#isHyphen(index) ? '-' : character.text;
    if (text === '' || isUnknown(text)) this.#unmapped += 1;
    else if (character.isRenamed) this.#renamed += 1;
    if (code === NON_JOINER || code === JOINER) this.#addSign(text);
    else if (this.#isSamePlace(index, run)) this.#spellOut(text, index);
    else this.#put(text, index, run, character);
  }

  #runOf(index: number): TextRun {
    const object = this.#page.objects[index] as number;
    if (this.#run && object === this.#object) return this.#run;
    const run = this.#runs.get(object) ?? readRun(this.#source, this.#page, index, object);
    this.#runs.set(object, run);
    this.#object = object;
    this.#run = run;
    return run;
  }

  #boxOf(index: number): Box {
    const boxes = this.#boxes;
    const at = 4 * index;
    return {
      left: boxes[at] as number,
      top: boxes[at + 1] as number,
      right: boxes[at + 2] as number,
      bottom: boxes[at + 3] as number,
    };
  }

  #isShown(index: number, run: TextRun, isHyphen: boolean): boolean {
    const { width, height } = this.#source;
    const at = 4 * index;
    const left = this.#boxes[at] as number;
    const top = this.#boxes[at + 1] as number;
    const right = this.#boxes[at + 2] as number;
    const bottom = this.#boxes[at + 3] as number;
    // Text off the page is not shown; broken files put it at absurd positions.
    if (!(right > 0 && left < width && bottom > 0 && top < height)) return false;
    if (run.clip && isClipped(run.clip, (left + right) / 2, (top + bottom) / 2)) {
      this.#hidden += 1;
      return false;
    }
    // A hyphen without width is not shown: it only marks a possible break.
    return !isHyphen || right - left >= 0.05 * run.size;
  }

  #isHyphen(index: number): boolean {
    return this.#source.library.call.FPDFText_IsHyphen(this.#page.pointer, index) === 1;
  }

  /** The engine returns a ligature as several characters at the same place. */
  #isSamePlace(index: number, run: TextRun): boolean {
    const last = this.#last;
    if (last < 0 || this.#lastRun !== run) return false;
    const { pens } = this.#page;
    if (pens[2 * index] !== pens[2 * last] || pens[2 * index + 1] !== pens[2 * last + 1]) return false;
    // TeX prints an accent over a letter of its width: no ligature.
    if (combiningMark(this.#glyphs.at(-1)?.text ?? '') !== undefined) return false;
    // Each part of an Arabic ligature or of a letter with its vowel sign gets a share of the box, as some others do.
    const isArabic = isRightToLeft(String.fromCodePoint(this.#page.codes[index] ?? 0));
    const end = this.#boxes[4 * last + 2] as number;
    return isArabic || this.#boxes[4 * index + 2] === end || Math.abs((this.#boxes[4 * index] as number) - end) < 0.01;
  }

  /** Adds to the last glyph, in reverse if the engine reverses the line. */
  #spellOut(text: string, index: number): void {
    const before = this.#glyphs.at(-1);
    // A hyphen and a soft hyphen as the text of one glyph.
    if (!before || (text === '-' && before.text === '-')) return;
    const spelled = isRightToLeft(text) ? lamAlef(text + before.text) : before.text + text;
    const left = Math.min(before.left, this.#boxes[4 * index] as number);
    const right = Math.max(before.right, this.#boxes[4 * index + 2] as number);
    this.#glyphs[this.#glyphs.length - 1] = { ...before, left, right, text: spelled };
    this.#last = index;
  }

  #addSign(text: string): void {
    const before = this.#glyphs.at(-1);
    if (before) this.#glyphs[this.#glyphs.length - 1] = { ...before, text: before.text + text };
  }

  /** A soft hyphen next to a hyphen is a duplicate; at the end of a line the engine gives either the same code. */
  #isSameHyphen(index: number, before: Glyph, baseline: number): boolean {
    const [isSoft, wasSoft] = [index, this.#last].map((at) =>
      [SOFT_HYPHEN, LINE_END_HYPHEN].includes(this.#page.codes[at] ?? 0),
    );
    const left = this.#boxes[4 * index] as number;
    return (
      before.text === '-' &&
      isSoft !== wasSoft &&
      Math.abs(before.baseline - baseline) < 0.1 * before.size &&
      Math.abs(left - before.right) < 0.15 * before.size
    );
  }

  #put(text: string, index: number, run: TextRun, character: Character): void {
    const { matrix } = this.#source;
    const x = this.#page.pens[2 * index] as number;
    const y = this.#page.pens[2 * index + 1] as number;
    const pen = matrix.a * x + matrix.c * y + matrix.e;
    const onLine = run.whole?.baseline ?? matrix.b * x + matrix.d * y + matrix.f;
    const hanging = run.hanging ? character.ink : undefined;
    const baseline = hanging ? onLine - axisShift(hanging) * run.size : onLine;
    const before = this.#glyphs.at(-1);
    if (text === '-' && before && this.#isSameHyphen(index, before, baseline)) return;
    if (this.#lastRun !== run) this.#starts.push(this.#glyphs.length);
    // The shape and width of an Arabic letter depend on its neighbours: the font's width does not apply.
    const isScaled = run.characters.scale !== 1;
    const advance = run.font.math || isScaled || isRightToLeft(text) ? 0 : character.advance * run.size;
    let { left, top, right, bottom } = run.whole?.box ?? this.#boxOf(index);
    if (isScaled && run.turn === 0) [top, bottom] = [baseline - ASCENT * run.size, baseline + DESCENT * run.size];
    if (run.turn !== 0)
      ({ left, right, top, bottom } = turnedBox({ left, right, top, bottom }, [pen, onLine], advance, run.turn));
    else if (endsAtPen(right - left, advance)) {
      left = Math.max(pen, left);
      right = Math.min(pen + advance, right);
    }
    // Some fonts give only the ink of an ideograph, which fills a square.
    if (run.turn === 0 && isWide(text) && right - left < 0.9 * run.size) {
      left = Math.min(left, pen);
      right = Math.max(right, pen + run.size);
      top = Math.min(top, baseline - 0.88 * run.size);
      bottom = Math.max(bottom, baseline + 0.12 * run.size);
    }
    this.#glyphs.push({
      text,
      left,
      right,
      top: hanging ? onLine - hanging.top * run.size : top,
      bottom: hanging ? onLine - hanging.bottom * run.size : bottom,
      x: pen,
      baseline,
      size: run.size,
      font: run.font,
      // A space inserted by the engine counts only if there is a visible gap.
      spaced:
        this.#space === 'space' ||
        (this.#space === 'gap' && before !== undefined && isGap(before, { left, top, right, bottom }, run) && 'gap'),
      turn: run.turn,
      form: run.form,
      artifact: run.artifact,
    });
    this.#inks.push(run.ink);
    if (run.ink !== 'plain') this.#isPlain = false;
    this.#last = index;
    this.#lastRun = run;
    this.#space = 'none';
  }
}

/**
 * The letters of a ligature in the order of reading: the engine turns those of a presentation form round; none has an
 * alef first.
 */
function lamAlef(letters: string): string {
  return letters.replace(/^([\u0622\u0623\u0625\u0627\u0671])(\u0644)$/u, '$2$1');
}

/** A small Latin letter with its bytes in the wrong order. */
function isSwapped(code: number): boolean {
  return code >= 0x6100 && (((code & 0xff) === 0 && code <= 0x7a00) || ADDED.has(code));
}

/** The last two letters of "ffi" and "ffl", added up. */
const ADDED: ReadonlyMap<number, number> = new Map([
  [0xcf00, 0xfb01],
  [0xd200, 0xfb02],
]);

function isHigh(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}

function isGap(before: Glyph, box: Box, run: TextRun): boolean {
  // Formulas are set without spaces: their gaps depend on the signs.
  if (before.font.math || run.font.math) return false;
  const gap =
    run.turn === 1
      ? box.top - before.bottom
      : run.turn === 3
        ? before.top - box.bottom
        : Math.max(
            box.left - before.right,
            isRightToLeft(before.text) ? before.left - box.right - ARABIC_SLACK * run.size : -Infinity,
          );
  return gap > LEAST_GAP * run.size;
}

/** Signs are centred at the height of a minus, a quarter of an em above the baseline. */
function axisShift(ink: Ink): number {
  return (ink.top + ink.bottom) / 2 - 0.25;
}

function isClipped(clip: Box, x: number, y: number): boolean {
  return x < clip.left - 1 || x > clip.right + 1 || y < clip.top - 1 || y > clip.bottom + 1;
}

/** Boxes of f and italics overlap the next space: the advance ends a letter, unless type is stretched. */
function endsAtPen(length: number, advance: number): boolean {
  return !(advance <= 0.4 * length || advance >= 1.2 * length);
}

/** The box of a letter in rotated text, up to the pen's movement. */
function turnedBox(box: Box, [x, y]: readonly [number, number], advance: number, turn: number): Box {
  const length = turn === 2 ? widthOf(box) : heightOf(box);
  if (turn < 0 || !endsAtPen(length, advance)) return box;
  if (turn === 1) return { ...box, top: Math.max(y, box.top), bottom: Math.min(y + advance, box.bottom) };
  if (turn === 2) return { ...box, left: Math.max(x - advance, box.left), right: Math.min(x, box.right) };
  return { ...box, top: Math.max(y - advance, box.top), bottom: Math.min(y, box.bottom) };
}

/** A space and a line end inserted by the engine; no file can contain these codes. */
const MADE_UP_SPACE = 0xffff_ffff;
const LINE_END = 0xffff_fffe;
const SPACE = 0x20;

/** The characters of a page as the engine returns them, by index; spaces and line ends have only a code. */
interface TextPage {
  readonly pointer: number;
  /** UTF-16 code units. */
  readonly codes: Uint32Array;
  /** The text object of each character, by the engine's pointer. */
  readonly objects: Uint32Array;
  /** The text objects that have characters. */
  readonly speaking: ReadonlySet<number>;
  /** Left, top, right and bottom of each, in the file's page space. */
  readonly boxes: Float32Array;
  /** The position of the pen: x and y of each. */
  readonly pens: Float64Array;
  readonly truncated: boolean;
}

const BOX_BYTES = 16;
const PEN_BYTES = 16;

/** Reads the engine's data of each character; it writes boxes and positions directly into buffers in its heap. */
function readTextPage(library: Library, pointer: number, maxCharacters: number): TextPage {
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
    for (let index = 0; index < count; index += 1) {
      const code = codeAt(library, pointer, index);
      codes[index] = code;
      if (isEmpty(code)) continue;
      objects[index] = call.FPDFText_GetTextObject(pointer, index);
      const pen = pens + index * PEN_BYTES;
      call.FPDFText_GetCharOrigin(pointer, index, pen, pen + PEN_BYTES / 2);
      call.FPDFText_GetLooseCharBox(pointer, index, boxes + index * BOX_BYTES);
    }
    const { buffer } = call.memory;
    return {
      pointer,
      codes,
      objects,
      speaking: new Set(objects),
      boxes: new Float32Array(buffer, boxes, count * 4).slice(),
      pens: new Float64Array(buffer, pens, count * 2).slice(),
      truncated: total > count,
    };
  } finally {
    call.free(pens);
  }
}

function codeAt({ call }: Library, pointer: number, index: number): number {
  const code = call.FPDFText_GetUnicode(pointer, index);
  // Some writers call the space a tab.
  if (code === 0x09) return SPACE;
  // TeX's fonts have a ligature where others have a line end.
  const isBreak = code === 0x0d || code === 0x0a;
  if (code !== SPACE && code !== 0xa0 && !isBreak) return code;
  const isMadeUp = call.FPDFText_IsGenerated(pointer, index) === 1;
  if (isBreak) return isMadeUp ? LINE_END : code;
  return isMadeUp ? MADE_UP_SPACE : SPACE;
}

function isEmpty(code: number): boolean {
  return code === SPACE || code === MADE_UP_SPACE || code === LINE_END;
}
