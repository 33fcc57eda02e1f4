import type { Box } from '../../../document.ts';
import { isReferencesHeading } from '../role/heading-number.ts';
import type { Line } from './line.ts';
import type { Segment } from './segment.ts';
import { mostFrequent } from '../text/glyph-type.ts';

/** The type that most of a document is set in. */
export interface BodyType {
  readonly size: number;
  readonly font: string;
  readonly bold: boolean;
}

/** The size and font that most glyphs have. */
export function bodyType(segments: readonly Segment[]): BodyType {
  const references = segments.findLast(isReferencesLine);
  const sizes = new Map<number, number>();
  const fonts = new Map<string, number>();
  let bold = 0;
  let all = 0;
  for (const segment of segments) {
    // Text of tables and figures is short; running text is in wide segments.
    const running = segment.right - segment.left > 12 * segment.size ? 1 : 0.2;
    // A long list of references in small type must not outweigh a short paper.
    const weight = segment.glyphs.length * running * (references && standsAfter(segment, references) ? 0.1 : 1);
    const size = Math.round(segment.size * 2) / 2;
    sizes.set(size, (sizes.get(size) ?? 0) + weight);
    fonts.set(segment.font.name, (fonts.get(segment.font.name) ?? 0) + weight);
    bold += segment.bold * weight;
    all += weight;
  }
  return { size: mostFrequent(sizes) ?? 10, font: mostFrequent(fonts) ?? '', bold: bold > 0.5 * all };
}

/** A segment that is the heading of a list of references. */
export function isReferencesLine(segment: Segment): boolean {
  return segment.glyphs.length <= 24 && isReferencesHeading(segment.text);
}

function standsAfter(segment: Segment, heading: Segment): boolean {
  if (segment.page !== heading.page) return segment.page > heading.page;
  return (
    segment.left > heading.right + 150 || (segment.left > heading.left - 40 && segment.baseline > heading.baseline)
  );
}

/** Baseline distance of consecutive lines of one size, by size in half points. */
export function linePitches(lines: readonly Line[]): Map<number, number> {
  const bySize = new Map<number, Map<number, number>>();
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index];
    const previous = lines[index - 1];
    if (!line || !previous || line.column !== previous.column) continue;
    if (Math.abs(line.size - previous.size) > 0.3) continue;
    const distance = line.baseline - previous.baseline;
    if (distance < 0.8 * line.size || distance > 2.5 * line.size) continue;
    const size = Math.round(line.size * 2) / 2;
    const counts = bySize.get(size) ?? new Map<number, number>();
    bySize.set(size, counts);
    const key = Math.round(distance * 4) / 4;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const result = new Map<number, number>();
  for (const [size, counts] of bySize) result.set(size, mostFrequent(counts) ?? size * 1.2);
  return result;
}

/** Whether paragraphs begin with an indent: many lines start a little right of the line above and below. */
export function usesIndent(lines: readonly Line[], size: number): boolean {
  let indents = 0;
  let plain = 0;
  for (let index = 1; index + 1 < lines.length; index += 1) {
    const line = lines[index];
    const before = lines[index - 1];
    const after = lines[index + 1];
    if (!line || !before || !after || line.column !== before.column || line.column !== after.column) continue;
    if (Math.abs(line.size - size) > 0.6 || Math.abs(after.size - size) > 0.6) continue;
    if (Math.abs(after.left - line.column.left) > 2) continue;
    const indent = line.left - after.left;
    if (indent > 0.7 * size && indent < 4 * size && line.right > line.column.right - 4 * size) indents += 1;
    else if (Math.abs(indent) < 1) plain += 1;
  }
  return indents >= 3 && indents > 0.02 * plain;
}

/** The area that text fills, without the few segments that stick out. */
export function typeArea(segments: readonly Segment[], page: { readonly width: number; readonly height: number }): Box {
  const text = segments.filter((segment) => segment.glyphs.length > 3);
  const lefts = text.map((segment) => segment.left).sort((a, b) => a - b);
  const rights = text.map((segment) => segment.right).sort((a, b) => a - b);
  return {
    left: lefts[Math.floor(lefts.length * 0.02)] ?? 0,
    right: rights[Math.floor(rights.length * 0.98)] ?? page.width,
    top: 0,
    bottom: page.height,
  };
}
