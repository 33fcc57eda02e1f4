import type { Box, Table } from '../../../document.ts';
import { overlapX, shareInside, touches } from '../page/box.ts';
import { linePitches } from '../page/column.ts';
import { mainType, proseShare } from '../page/page-view.ts';
import type { Segment } from '../page/segment.ts';
import { buildLines } from '../page/segment.ts';
import { segmentLabel } from '../role/caption.ts';
import { cutParagraphs } from '../role/paragraph.ts';
import { countBy, mostFrequent } from '../statistics.ts';
import { joinTexts } from '../text/glyph-text.ts';
import type { TablePage, TableRegion } from './table-rows.ts';
import { rowsOf, separators } from './table-rows.ts';

/** Fewer rows are a note between rules. */
const FEWEST_ROWS = 3;
/** The share of the rows that are one piece: a word or two may be set apart. */
const WHOLE = 0.9;
/** How far below its caption's first line, in ems, the first rule may be. */
const CAPTION_DEPTH = 7;
const SAME_END = 5;

/** A table of one column below its caption: between rules of one width nothing is beside anything, nothing crosses. */
export function oneColumnBelow(caption: Segment, page: TablePage): Box | undefined {
  if (page.prose.has(caption)) return undefined;
  const [head, ...rules] = page.rules
    .filter((rule) => rule.top > caption.bottom - 1 && overlapX(rule, caption) > 0)
    .toSorted((a, b) => a.top - b.top);
  if (!head || head.top - caption.bottom > CAPTION_DEPTH * caption.size) return undefined;
  let last = head;
  let count = 0;
  for (const rule of rules) {
    if (Math.abs(rule.left - head.left) > SAME_END || Math.abs(rule.right - head.right) > SAME_END) break;
    const part = { left: head.left - 3, right: head.right + 3, top: last.top, bottom: rule.top };
    const rows = wholeRows(part, page);
    if (!rows) break;
    count += rows.length;
    last = rule;
  }
  return count >= FEWEST_ROWS ? { ...head, bottom: last.bottom } : undefined;
}

/** The rows between two rules, if they are of one piece each and not the running text of the page. */
function wholeRows(part: Box, { segments, pictures, prose }: TablePage): Segment[][] | undefined {
  const across = segments.filter(
    (segment) => segment.baseline > part.top && segment.baseline < part.bottom && overlapX(segment, part) > 2,
  );
  const rows = rowsOf(across);
  const isTable =
    across.every((segment) => shareInside(segment, part) > 0.5 && segmentLabel(segment) === undefined) &&
    rows.filter((row) => row.length === 1).length >= WHOLE * rows.length &&
    proseShare(part, across, prose) < 0.4 &&
    (across.length === 0 || mainType(across) !== mainType(prose)) &&
    !pictures.some((picture) => touches(picture, part, -2));
  return isTable ? rows : undefined;
}

/** Reads a table of one column: its rows are its paragraphs, between rules where it has them. */
export function buildOneColumn(
  region: TableRegion,
  segments: readonly Segment[],
  vocabulary: ReadonlySet<string>,
): Table | undefined {
  const lines = buildLines(segments, region.box);
  const setting = {
    size: mostFrequent(countBy(lines, ({ size }) => size)) ?? 0,
    font: mostFrequent(countBy(lines, ({ font }) => font.name)) ?? '',
    pitches: linePitches(lines),
    indented: false,
  };
  const cuts = separators(region);
  const blocks = Map.groupBy(lines, ({ baseline }) => cuts.filter((y) => y < baseline).length);
  const texts = [...blocks.values()]
    .flatMap((block) => cutParagraphs(block, 0, setting))
    .map((row) =>
      joinTexts(
        row.lines.map(({ text }) => text),
        vocabulary,
      ),
    );
  if (texts.length < FEWEST_ROWS) return undefined;
  const cells = texts.map((text, row) => ({
    row,
    column: 0,
    rowSpan: 1,
    columnSpan: 1,
    text,
    kind: 'data' as const,
  }));
  return { rows: texts.length, columns: 1, cells };
}
