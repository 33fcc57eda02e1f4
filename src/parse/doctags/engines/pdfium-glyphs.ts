import type { Box } from '../../document.ts';
import { isRightToLeft } from '../layout/direction.ts';
import { isUnknown } from '../layout/glyph-text.ts';
import type { Ink } from '../layout/letter-shape.ts';
import type { Drawing, Font, Glyph } from '../layout/page-content.ts';
import { endAtPen, glyphBox } from './glyph-box.ts';
import type { InkKind } from './hidden-text.ts';
import { withoutHidden } from './hidden-text.ts';
import type { Character } from './pdfium-characters.ts';
import { mapBox } from './pdfium-geometry.ts';
import type { Clip } from './pdfium-paint.ts';
import { LINE_END, MADE_UP_SPACE, readTextPage, SPACE, type TextPage } from './text-page.ts';
import { readRun, type RunSource, type TextRun } from './text-run.ts';

interface Source extends RunSource {
  readonly page: number;
  readonly width: number;
  readonly height: number;
  readonly drawings: readonly Drawing[];
  readonly maxGlyphs: number;
}

const LINE_END_HYPHEN = 2;
const SOFT_HYPHEN = 0xad;
/** Letters of one word stand closer, in ems. */
const LEAST_GAP = 0.06;

interface PageText {
  readonly glyphs: readonly Glyph[];
  readonly unmapped: number;
  readonly renamed: number;
  readonly hidden: number;
  readonly truncated: boolean;
}

/** All glyphs of a page that can be seen, in the order of the content stream, without the spaces that the engine invents. */
export function readGlyphs(source: Source): PageText {
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

/** What stands before the next glyph: nothing, a gap that the engine takes for a space, or a space of the file. */
type Space = 'none' | 'gap' | 'space';

/** A character as it is drawn. */
interface Drawn {
  readonly run: TextRun;
  readonly character: Character;
  readonly text: string;
  readonly box: Box;
  /** Where the pen stood, in the file's page space. */
  readonly x: number;
  readonly y: number;
  readonly isSoft: boolean;
}

/** Makes glyphs of a page's characters, each beside the one before it. */
class GlyphSetter {
  readonly #source: Source;
  readonly #page: TextPage;
  readonly #runs = new Map<number, TextRun>();
  readonly #glyphs: Glyph[] = [];
  readonly #inks: InkKind[] = [];
  /** The first glyphs of the runs. */
  readonly #starts: number[] = [];
  #unmapped = 0;
  #renamed = 0;
  #hidden = 0;
  #space: Space = 'none';
  /** What the last glyph was made of. */
  #last: Drawn | undefined;

  constructor(source: Source, page: TextPage) {
    this.#source = source;
    this.#page = page;
  }

  setAll(): void {
    const { codes } = this.#page;
    for (let index = 0; index < codes.length; index += 1) {
      const code = codes[index] ?? LINE_END;
      if (code === LINE_END) continue;
      if (code === SPACE) this.#space = 'space';
      else if (code === MADE_UP_SPACE) this.#space = this.#space === 'space' ? 'space' : 'gap';
      else if (isHigh(code) && isLow(codes[index + 1] ?? 0)) {
        // The engine gives characters above U+FFFF in two halves.
        this.#set(0x10000 + ((code - 0xd800) << 10) + ((codes[index + 1] ?? 0) - 0xdc00), index);
        index += 1;
      } else this.#set(code, index);
    }
  }

  /** The glyphs that can be seen, and how many cannot or have no text. */
  shown(): Omit<PageText, 'truncated'> {
    const inks = this.#inks.every((ink) => ink === 'plain') ? undefined : this.#inks;
    const glyphs = withoutHidden(this.#glyphs, inks, this.#source.drawings, this.#starts);
    return {
      glyphs,
      unmapped: this.#unmapped,
      renamed: this.#renamed,
      hidden: this.#hidden + this.#glyphs.length - glyphs.length,
    };
  }

  #set(code: number, index: number): void {
    const { pointer, objects, boxes, pens } = this.#page;
    const run = this.#runOf(objects[index] ?? 0, index);
    const character = run.characters.character(code, pointer, index, run.turn === 0 ? run.size : 0);
    const at = 4 * index;
    const box = mapBox(this.#source.matrix, boxes[at] ?? 0, boxes[at + 1] ?? 0, boxes[at + 2] ?? 0, boxes[at + 3] ?? 0);
    const isSoft = code === SOFT_HYPHEN;
    if (!this.#isShown(box, run, isSoft)) return;
    const text = code === LINE_END_HYPHEN && this.#isHyphen(index) ? '-' : character.text;
    if (text === '' || isUnknown(text)) this.#unmapped += 1;
    else if (character.isRenamed) this.#renamed += 1;
    this.#put({ run, character, text, box, x: pens[2 * index] ?? 0, y: pens[2 * index + 1] ?? 0, isSoft });
  }

  #runOf(object: number, index: number): TextRun {
    let run = this.#runs.get(object);
    if (!run) {
      run = readRun(this.#source, this.#page.pointer, index, object);
      this.#runs.set(object, run);
    }
    return run;
  }

  #isShown(box: Box, run: TextRun, isSoft: boolean): boolean {
    const { width, height } = this.#source;
    // What lies off the page is not shown; broken files put text at absurd places.
    if (!(box.right > 0 && box.left < width && box.bottom > 0 && box.top < height)) return false;
    if (run.clip && isClipped(run.clip, box)) {
      this.#hidden += 1;
      return false;
    }
    // A soft hyphen that has no width is not shown: it marks where the word may be broken.
    return !isSoft || box.right - box.left >= 0.05 * run.size;
  }

  #isHyphen(index: number): boolean {
    return this.#source.library.call.FPDFText_IsHyphen(this.#page.pointer, index) === 1;
  }

  #put(drawn: Drawn): void {
    const { run, character, text, box, x, y } = drawn;
    const last = this.#last;
    const before = this.#glyphs.at(-1);
    if (last && before) {
      if (last.run === run && x === last.x && y === last.y && box.right === last.box.right) {
        // The engine spells a ligature out as several characters of one glyph, backwards where it turns a line around.
        const spelled = isRightToLeft(text) ? text + before.text : before.text + text;
        this.#glyphs[this.#glyphs.length - 1] = { ...before, right: box.right, text: spelled };
        return;
      }
    }
    const { matrix } = this.#source;
    const pen = matrix.a * x + matrix.c * y + matrix.e;
    const onLine = matrix.b * x + matrix.d * y + matrix.f;
    const hanging = run.hanging ? character.ink : undefined;
    const baseline = hanging ? onLine - axisShift(hanging) * run.size : onLine;
    if (last && before && isSameHyphen(last, before, drawn, baseline)) return;
    if (last?.run !== run) this.#starts.push(this.#glyphs.length);
    const advance = run.font.math ? 0 : character.advance * run.size;
    const place =
      run.turn === 0 ? endAtPen(box, pen, advance) : glyphBox(box, { x: pen, y: onLine, advance, turn: run.turn });
    this.#glyphs.push({
      text,
      left: place.left,
      right: place.right,
      top: hanging ? onLine - hanging.top * run.size : place.top,
      bottom: hanging ? onLine - hanging.bottom * run.size : place.bottom,
      x: pen,
      baseline,
      size: run.size,
      font: run.font,
      // A space that the engine makes up counts where there is a gap to see.
      spaced: this.#space === 'space' || (this.#space === 'gap' && before !== undefined && isGap(before, place, run)),
      turn: run.turn,
      mark: run.mark,
      form: run.form,
      artifact: run.artifact,
    });
    this.#inks.push(run.ink);
    this.#last = drawn;
    this.#space = 'none';
  }
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}

/** Whether the pen jumped between two glyphs of running text. */
function isGap(before: Glyph, box: Box, run: TextRun): boolean {
  if (isFormula(before.font, run.font)) return false;
  const gap =
    run.turn === 1 ? box.top - before.bottom : run.turn === 3 ? before.top - box.bottom : box.left - before.right;
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
function isSameHyphen(last: Drawn, before: Glyph, { text, isSoft, box }: Drawn, baseline: number): boolean {
  return (
    text === '-' &&
    before.text === '-' &&
    isSoft !== last.isSoft &&
    Math.abs(before.baseline - baseline) < 0.1 * before.size &&
    Math.abs(box.left - before.right) < 0.15 * before.size
  );
}

function isClipped(clip: Clip, box: Box): boolean {
  const x = (box.left + box.right) / 2;
  const y = (box.top + box.bottom) / 2;
  return x < clip.left - 1 || x > clip.right + 1 || y < clip.top - 1 || y > clip.bottom + 1;
}
