import type { Box } from '../../document.ts';
import { shareInside, unionBox } from './box.ts';
import type { Glyph, PageContent } from './page-content.ts';

/** Text set sideways along the edge of a page, such as the stamp of a preprint server. */
export interface Stamp {
  readonly text: string;
  readonly box: Box;
}

/** Sideways text outside of the pictures, in the margins. */
export function findStamps(page: PageContent, figures: readonly Box[]): Stamp[] {
  const margin = 0.1 * page.width;
  const glyphs = page.glyphs.filter(
    (glyph) =>
      (glyph.turn === 1 || glyph.turn === 3) &&
      glyph.text !== '' &&
      glyph.form < 0 &&
      (glyph.right < margin || glyph.left > page.width - margin) &&
      !figures.some((figure) => shareInside(glyph, figure) > 0.5),
  );
  const lines = Map.groupBy(glyphs, (glyph) => `${glyph.turn} ${Math.round(glyph.x / 3)}`);
  return [...lines.values()].map((line) => ({ text: sidewaysText(line), box: unionBox(line) }));
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
