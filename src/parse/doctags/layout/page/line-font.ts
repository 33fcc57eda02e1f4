import { hasLetter } from '../text/letter.ts';
import type { Line } from './line.ts';
import type { Glyph } from './page-content.ts';

/** The first line is set in one font and the second in another: a heading and its text. */
export function fontChanges(previous: Line, line: Line): boolean {
  if (previous.font.name === line.font.name || previous.font.math || line.font.math) return false;
  return (
    previous.glyphs.length > 5 &&
    isOfOneFont(previous) &&
    isOfOneFont(line) &&
    !/[,;\u2010-]$/u.test(previous.text) &&
    previous.right < line.column.right - line.size
  );
}

/** Set in one font, but for a sign or two. */
function isOfOneFont(line: Line): boolean {
  let own = 0;
  for (const glyph of line.glyphs) if (glyph.font.name === line.font.name) own += 1;
  return own >= 0.85 * line.glyphs.length;
}

/** A line that begins in one style, as under a run-in heading, and ends in the style in which the next one goes on. */
export function endsLike(previous: Line, line: Line): boolean {
  const first = previous.glyphs.find(isLetter);
  const last = previous.glyphs.findLast(isLetter);
  const next = line.glyphs.find(isLetter);
  if (!first || !last || !next || first.font === last.font || first.font === next.font) return false;
  const letters = previous.glyphs.filter(isLetter);
  // The last word may be emphasised.
  const alike = letters.slice(-24).filter(({ font, size }) => font === next.font && Math.abs(size - next.size) < 0.3);
  return alike.length > 4;
}

function isLetter({ text }: Glyph): boolean {
  return hasLetter(text);
}
