import type { Box } from '../../../document.ts';
import { unionBox } from './box.ts';
import type { Glyph, PageContent } from './page-content.ts';

/** A line that is not set upright: a stamp along the edge, the name of an axis, a table on its side, a watermark. */
export interface TurnedLine {
  readonly text: string;
  readonly box: Box;
  readonly size: number;
  /** In the margin of the page, as the stamp of a preprint server. */
  readonly isStamp: boolean;
}

/** The lines of a page that are not upright, in the order in which they are read. */
export function turnedLines(page: PageContent): TurnedLine[] {
  const margin = 0.1 * page.width;
  const glyphs = page.glyphs.filter((glyph) => glyph.turn !== 0 && glyph.text !== '');
  if (glyphs.length === 0) return [];
  const lines = Map.groupBy(
    glyphs,
    ({ turn, x, baseline }) => `${turn} ${Math.round((turn === 2 ? baseline : x) / 3)}`,
  );
  return [...lines.values()]
    .map((line): TurnedLine => {
      const [first] = line as [Glyph];
      const isSideways = first.turn === 1 || first.turn === 3;
      return {
        text: isSideways ? sidewaysText(line) : line.map(({ text, spaced }) => (spaced ? ` ${text}` : text)).join(''),
        box: unionBox(line),
        size: first.size,
        isStamp:
          isSideways &&
          line.every(({ right, left, form }) => form < 0 && (right < margin || left > page.width - margin)),
      };
    })
    .filter(({ text }) => text.trim() !== '')
    .toSorted((a, b) => a.box.top - b.box.top || a.box.left - b.box.left);
}

function sidewaysText(line: readonly Glyph[]): string {
  const upwards = line[0]?.turn === 3;
  const sorted = line.toSorted((a, b) => (upwards ? b.bottom - a.bottom : a.top - b.top));
  let text = '';
  let previous: Glyph | undefined;
  for (const glyph of sorted) {
    const gap = previous ? (upwards ? previous.top - glyph.bottom : glyph.top - previous.bottom) : 0;
    if (gap > 0.15 * glyph.size) text += ' ';
    text += glyph.text;
    previous = glyph;
  }
  return text;
}
