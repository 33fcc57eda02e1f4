import { describeFont } from '../../src/parse/doctags/engines/pdfium-glyphs.ts';
import type { Glyph } from '../../src/parse/doctags/layout/page/page-content.ts';

/** An upright text font. */
export const FONT = describeFont('Times-Roman', 0);

/** A glyph of 5 points on the baseline 100, with changes. */
export function glyph(text: string, left: number, change: Partial<Glyph> = {}): Glyph {
  return {
    text,
    left,
    right: left + 5,
    top: 90,
    bottom: 102,
    x: left,
    baseline: 100,
    size: 10,
    font: FONT,
    spaced: false,
    turn: 0,
    form: -1,
    artifact: false,
    ...change,
  };
}

/** A glyph for each letter, side by side. */
export function setWord(text: string, left = 0): Glyph[] {
  return Array.from(text, (letter, index) => glyph(letter, left + index * 5));
}
