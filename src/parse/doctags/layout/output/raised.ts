import type { Stretch } from '../../../document.ts';
import type { Draft } from '../draft.ts';
import { placeIn } from './link.ts';
import type { Glyph } from '../page/page-content.ts';
import { glyphsText } from '../text/segment-text.ts';

/** A raised number is set clearly smaller than its line and stands clearly above its foot. */
const LARGEST = 0.87;
const LEAST_RISE = 0.12;
const NUMBERS = /^[\s,;]*\d[\d\s,;–—−‐-]*$/u;

/** The raised numbers on a draft's lines, by offsets into its text: plain text alone cannot tell "day 4" with note 13 from 4.13. */
export function raisedIn(draft: Draft, text: string): Stretch[] {
  const found: Stretch[] = [];
  let from = 0;
  for (const line of draft.lines) {
    const isRaised = (glyph: Glyph): boolean =>
      glyph.size < LARGEST * line.size && line.baseline - glyph.baseline > LEAST_RISE * line.size;
    for (let first = 0; first < line.glyphs.length; first += 1) {
      if (!isRaised(line.glyphs[first] as Glyph)) continue;
      let end = first + 1;
      while (end < line.glyphs.length && isRaised(line.glyphs[end] as Glyph)) end += 1;
      const shown = glyphsText(line.glyphs.slice(first, end), line.size, line.baseline).trim();
      if (NUMBERS.test(shown)) {
        const prefix = glyphsText(line.glyphs.slice(0, first), line.size, line.baseline);
        const start = placeIn(text, prefix, shown, from);
        if (start !== undefined) found.push({ start, end: start + shown.length });
        from = start ?? from;
      }
      first = end - 1;
    }
  }
  return found;
}
