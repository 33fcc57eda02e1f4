import { areaOf, shareInside, overlapX, overlapY } from './box.ts';
import { hasLetterOrDigit } from '../text/script.ts';
import type { Font, PageContent } from './page-content.ts';
import type { Box, Table } from '../../../document.ts';
import { segmentLabel } from '../role/caption.ts';
import type { Segment } from './segment.ts';

/** A page with this many letters and digits has text. */
const FEWEST_LETTERS = 30;
/** The share of a page's glyphs without a meaning from which on the rest cannot be read either. */
const MOST_UNMAPPED = 0.3;

/** Letters that are drawn as shapes are so many on a page. */
const FEWEST_SHAPES = 800;

/** Why a page cannot be read without OCR: it is an image or drawn, or its fonts do not say what their glyphs are. */
export function unreadable(page: PageContent): 'scan' | 'unmapped' | undefined {
  let readable = 0;
  let unknown = page.unmapped;
  for (const { text } of page.glyphs) {
    if (hasLetterOrDigit(text)) readable += 1;
    else if (isSymbol(text)) unknown += 1;
  }
  if (unknown >= FEWEST_LETTERS && unknown > MOST_UNMAPPED * (page.glyphs.length || 1)) return 'unmapped';
  if (readable >= FEWEST_LETTERS) return undefined;
  const shapes = page.drawings.filter(({ kind }) => kind === 'path').length;
  return imageShare(page) > 0.4 || shapes >= FEWEST_SHAPES ? 'scan' : undefined;
}

/** Some writers number the glyphs of fonts without names from ✁ on. */
function isSymbol(text: string): boolean {
  return text >= '\u2600' && text <= '\u27bf';
}

function imageShare({ drawings, width, height }: PageContent): number {
  const images = drawings.filter((drawing) => drawing.kind === 'image');
  return images.reduce((sum, drawing) => sum + areaOf(drawing.box), 0) / (width * height);
}

/** Removes the monospaced flag from the text layer of a scan: many programs write the layer in Courier. */
export function withoutLayerType(page: PageContent): PageContent {
  if (!page.glyphs.some(({ font }) => font.monospaced) || imageShare(page) < 0.7) return page;
  const plain = new Map<Font, Font>();
  const glyphs = page.glyphs.map((glyph) => {
    if (!glyph.font.monospaced) return glyph;
    const font = plain.get(glyph.font) ?? { ...glyph.font, monospaced: false };
    plain.set(glyph.font, font);
    return { ...glyph, font };
  });
  return { ...page, glyphs };
}

/** A line with so many words is one of running text, whatever is drawn behind it. */
const LINE_WORDS = 6;
const FEWEST_LINES = 5;
/** The share of its letters that a picture may take as labels, when they are in such lines. */
const RUNNING_SHARE = 0.6;
const LOST_SHARE = 0.02;

/** Whether a picture covers lines of running text: such a picture is dropped, and its text is kept. */
export function swallowsText(picture: Box, segments: readonly Segment[]): boolean {
  const inside = segments.filter((segment) => shareInside(segment, picture) > 0.5);
  const running = inside.filter((segment) => segment.text.split(/\s+/u).length >= LINE_WORDS);
  const letters = (all: readonly Segment[]): number => all.reduce((sum, { glyphs }) => sum + glyphs.length, 0);
  if (running.length >= FEWEST_LINES && letters(running) > RUNNING_SHARE * letters(inside)) return true;
  return !isCaptioned(picture, segments) && isFilled(picture, inside);
}

/** How far, in points, a caption is from its figure or table. */
const CAPTION_REACH = 45;

/** Whether a line is right above, on or below a box, as captions are. */
export function isNear(line: Box, box: Box): boolean {
  return overlapX(line, box) > 0 && overlapY(line, box) > -CAPTION_REACH;
}

/** A figure that is named as one stays one: the words on it are its text. */
function isCaptioned(picture: Box, segments: readonly Segment[]): boolean {
  return segments.some((segment) => segmentLabel(segment) === 'figure' && isNear(segment, picture));
}

/** The share of a picture that lines of text cover, from which on they are what it shows; listings have short lines. */
const FILLED = 0.3;
const FILLED_BY_CODE = 0.12;
const FEWEST_WORDS = 4;

/** Code in a frame, a strip of a scan with its text layer: lines below each other fill it, where labels are sparse. */
function isFilled(picture: Box, inside: readonly Segment[]): boolean {
  const words = inside.reduce((sum, { text }) => sum + (text.match(/\p{L}{2,}/gu)?.length ?? 0), 0);
  if (words < FEWEST_WORDS) return false;
  const ink = inside.reduce((sum, { left, right, size }) => sum + (right - left) * size, 0);
  const code = inside.reduce((sum, { glyphs, monospaced }) => sum + glyphs.length * monospaced, 0);
  const all = inside.reduce((sum, { glyphs }) => sum + glyphs.length, 0);
  return ink > (inside.length >= 3 && code > 0.7 * all ? FILLED_BY_CODE : FILLED) * areaOf(picture);
}

/** True when a table has every letter of the segments it was made from, once; `given` is how many these have. */
export function keepsWords(table: Table, given: number): boolean {
  const kept = table.cells.reduce((sum, { text }) => sum + countLetters(text), 0);
  return Math.abs(kept - given) <= LOST_SHARE * given + 2;
}

export function lettersIn(segments: readonly { readonly glyphs: readonly { readonly text: string }[] }[]): number {
  let count = 0;
  for (const { glyphs } of segments) for (const { text } of glyphs) count += countLetters(text);
  return count;
}

export function countLetters(text: string): number {
  if (text.length === 1) return hasLetterOrDigit(text) ? 1 : 0;
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
