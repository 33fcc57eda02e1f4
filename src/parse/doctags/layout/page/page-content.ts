import type { Box } from '../../../document.ts';

export interface Font {
  /** Base name without the subset prefix. */
  readonly name: string;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly monospaced: boolean;
  readonly smallCaps: boolean;
  /** Made for formulas: letters in it are variables and operators. */
  readonly math: boolean;
}

export const OCR_FONT: Font = {
  name: 'OCR',
  bold: false,
  italic: false,
  monospaced: false,
  smallCaps: false,
  math: false,
};

/** One glyph on the page, in points from the page's top-left corner. */
export interface Glyph extends Box {
  /** One character, or several for a ligature; empty when the file gives no usable Unicode value. */
  readonly text: string;
  /** Where the pen was when the glyph was drawn. */
  readonly x: number;
  readonly baseline: number;
  readonly size: number;
  readonly font: Font;
  /** A space of the file itself is before it, or a gap that the engine takes for one. */
  readonly spaced: boolean | 'gap';
  /** Quarter turns, clockwise, of the writing direction; 0 is ordinary text, -1 any other angle. */
  readonly turn: number;
  /** Index of the form object that holds it, or -1 when it is on the page itself. */
  readonly form: number;
  /** Set by the file as page decoration (an artifact of a tagged PDF). */
  readonly artifact: boolean;
}

export interface Rule {
  readonly direction: 'horizontal' | 'vertical';
  readonly box: Box;
}

/** A drawn thing that is not text and not a thin rule. */
export interface Drawing {
  readonly kind: 'path' | 'image' | 'form' | 'fill';
  readonly box: Box;
  /** Index of the form object that holds it, or -1. */
  readonly form: number;
}

export interface PageLink {
  readonly box: Box;
  readonly url: string;
}

/** A link annotation that leads to a page of the same file. */
export interface PageJump {
  readonly box: Box;
  readonly page: number;
}

export interface PageContent {
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly glyphs: readonly Glyph[];
  readonly rules: readonly Rule[];
  readonly drawings: readonly Drawing[];
  readonly links: readonly PageLink[];
  readonly jumps: readonly PageJump[];
  /** Glyphs without a usable Unicode value. */
  readonly unmapped: number;
  /** Glyphs that the file names wrongly, and that are right now. */
  readonly renamed: number;
  /** Glyphs that the file holds but does not show, or shows twice at one place: left out. */
  readonly hidden: number;
  /** Something was left out because the page holds more objects than the limit. */
  readonly truncated: boolean;
}

export interface OutlineEntry {
  readonly title: string;
  readonly level: number;
  /** Counted from 1; 0 when the entry has no page. */
  readonly page: number;
}
