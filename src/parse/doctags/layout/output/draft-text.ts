import { withoutLetterspacing } from '../role/caption.ts';
import type { Draft } from '../draft.ts';
import { joinTexts } from '../text/hyphen.ts';
import type { Line } from '../page/line.ts';

const NOTHING: ReadonlySet<string> = new Set();

/** The text of a draft's lines as one string; code keeps its lines. */
export function textOf(draft: Draft, vocabulary: ReadonlySet<string> = NOTHING): string {
  if (draft.text !== undefined) return draft.text;
  const texts = draft.lines.map((line) => line.text);
  const [first] = draft.lines;
  if (draft.kind === 'footnote' && first) texts[0] = apartFromMark(first);
  if (draft.kind === 'caption') texts[0] = withoutLetterspacing(texts[0] ?? '');
  return draft.kind === 'code' ? codeText(draft) : joinTexts(texts, vocabulary);
}

/** A note's mark and its text, with a space between them. */
function apartFromMark(line: Line): string {
  let length = 0;
  for (const glyph of line.glyphs) {
    if (glyph.size > 0.87 * line.size) break;
    length += glyph.text.length;
  }
  const mark = line.text.slice(0, length);
  return length > 0 && length < 4 && !/\s/.test(mark) ? `${mark} ${line.text.slice(length).trimStart()}` : line.text;
}

/** Code lines, with indentation rebuilt from the left edge in widths of the monospaced letters. */
function codeText(draft: Draft): string {
  const left = Math.min(...draft.lines.map((line) => line.left));
  const widths = draft.lines.flatMap((line) => line.glyphs.slice(0, 20).map((glyph) => glyph.right - glyph.left));
  const width = widths.sort((a, b) => a - b)[widths.length >> 1] ?? 5;
  return draft.lines
    .map(
      (line) => ' '.repeat(Math.min(40, Math.max(0, Math.round((line.left - left) / Math.max(1, width))))) + line.text,
    )
    .join('\n');
}
