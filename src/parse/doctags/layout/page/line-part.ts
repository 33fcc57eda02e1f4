import type { Line } from './line.ts';
import type { Glyph } from './page-content.ts';
import { segmentOf } from './segment.ts';
import { glyphsText } from '../text/segment-text.ts';

/** Some glyphs of a line as a line of its own; nothing where nothing is printed. */
export function linePart(line: Line, glyphs: readonly Glyph[]): Line[] {
  const segment = segmentOf(line.page, glyphs, line.baseline);
  if (!segment) return [];
  const text = glyphsText(glyphs, line.size, line.baseline);
  return text.trim() === '' ? [] : [{ ...segment, text, column: line.column, segments: [segment] }];
}
