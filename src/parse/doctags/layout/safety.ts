import type { Box, Table } from '../../document.ts';
import { shareInside } from './box.ts';
import type { Segment } from './segment.ts';

/** A line with so many words is one of running text, whatever is drawn behind it. */
const LINE_WORDS = 6;
const FEWEST_LINES = 5;
/** The share of its letters that a picture may take as labels, when they stand in such lines. */
const RUNNING_SHARE = 0.6;
/** The share of letters that a table may lose. */
const LOST_SHARE = 0.02;

/** Pictures that would take lines of running text with them: their text is given back, and they are no pictures. */
export function swallowsText(picture: Box, segments: readonly Segment[]): boolean {
  const inside = segments.filter((segment) => shareInside(segment, picture) > 0.5);
  const running = inside.filter((segment) => segment.text.split(/\s+/u).length >= LINE_WORDS);
  const letters = (all: readonly Segment[]): number => all.reduce((sum, { glyphs }) => sum + glyphs.length, 0);
  return running.length >= FEWEST_LINES && letters(running) > RUNNING_SHARE * letters(inside);
}

/** True when a table has every letter of the segments it was made from, once. */
export function keepsWords(table: Table, segments: readonly Segment[]): boolean {
  const kept = table.cells.reduce((sum, { text }) => sum + lettersIn(text), 0);
  const given = segments.reduce(
    (sum, { glyphs }) => sum + glyphs.reduce((count, { text }) => count + lettersIn(text), 0),
    0,
  );
  return Math.abs(kept - given) <= LOST_SHARE * given + 2;
}

function lettersIn(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
