import type { Segment } from '../page/segment.ts';
import { sameRow } from '../page/segment.ts';
import type { Box } from '../../../document.ts';
import type { Features } from '../trees.ts';
import { flag, scoreOf } from '../trees.ts';
import model from './row-model.json' with { type: 'json' };
import type { Extent } from '../page/box.ts';
import { joinBoxes, overlapX, widthOf } from '../page/box.ts';
import { quantile } from '../statistics.ts';

/** Where a table is, and the rules drawn in it. */
export interface TableRegion {
  readonly box: Box;
  readonly horizontal: readonly Box[];
  readonly vertical: readonly Box[];
  /** A caption and rules say that it is a table, but it has one column. */
  readonly single: boolean;
}

/** What tables are looked for in. */
export interface TablePage {
  readonly segments: readonly Segment[];
  readonly rules: readonly Box[];
  readonly pictures: readonly Box[];
  readonly prose: ReadonlySet<Segment>;
}

export interface RowSetting {
  readonly columns: readonly Extent[];
  /** Heights of rules over the whole width, and of those over a part of it. */
  readonly cuts: readonly number[];
  readonly parts: readonly number[];
  readonly headerEnd: number;
  /** Entries between two lines, centred over the rows on both sides. */
  readonly between: readonly Entry[];
}

const NUMBER = /^[^\p{L}\p{N}()]*\p{N}[^\p{L}()]*$/u;
const WORD = /\p{L}{2,}/u;

/**
 * Figures of each line of a table, by which it continues with the row above it or begins one; `start` is where that row
 * began.
 */
export function rowFeatures(
  lines: readonly TableLine[],
  { columns, cuts, parts, headerEnd, between }: RowSetting,
): (index: number, start: number) => (Features & { readonly cut: number; readonly partCut: number }) | undefined {
  const distances = lines.slice(1).map((line, at) => line.baseline - (lines[at]?.baseline ?? 0));
  const usual = Math.max(1, quantile(distances, 0.5) ?? 12);
  const least = Math.max(1, quantile(distances, 0.1) ?? 12);
  const inner = cuts.filter((y) => y > (lines[0]?.baseline ?? 0) && y < (lines.at(-1)?.baseline ?? 0)).length;
  const wide = distances.filter((each) => each > 1.3 * least).length / Math.max(1, distances.length);
  const labels = lines.filter(({ entries }) => entries.some(({ from }) => from === 0)).length / lines.length;
  const singles = lines.filter(({ entries }) => entries.length === 1).length / lines.length;
  const head = lines.filter(({ baseline }) => baseline < headerEnd).length;
  const isCut = (heights: readonly number[], above: TableLine, line: TableLine): number =>
    heights.some((y) => y > above.baseline - 1 && y < line.baseline - 1) ? 1 : 0;
  return (index, start) => {
    const line = lines[index];
    const above = lines[index - 1];
    const first = lines[start];
    const next = lines[index + 1];
    if (!line || !above || !first) return undefined;
    const { entries } = line;
    const size = Math.max(1, ...entries.map((entry) => entry.size));
    const distance = line.baseline - above.baseline;
    const label = entries.find(({ from }) => from === 0);
    const row = lines.slice(start, index).flatMap((each) => [...each.entries]);
    const cellOf = (entry: Entry): Entry | undefined =>
      row.findLast((upper) => upper.from <= entry.to && upper.to >= entry.from);
    const uppers = entries.map((entry) => [entry, cellOf(entry)] as const);
    const share = (test: (entry: Entry, upper: Entry | undefined) => boolean): number =>
      uppers.filter(([entry, upper]) => test(entry, upper)).length / Math.max(1, uppers.length);
    const room = uppers.map(([entry, upper]) => {
      const column = columns[entry.from];
      if (!upper || !column) return 0;
      const word = widthOf(entry) * Math.min(1, (entry.text.split(/\s/u)[0] ?? '').length / entry.text.length);
      return (widthOf(upper) + word + 0.3 * size) / Math.max(1, widthOf(column));
    });
    const startLabel = first.entries.find(({ from }) => from === 0);
    const aboveLabel = above.entries.find(({ from }) => from === 0);
    return {
      cut: isCut(cuts, above, line),
      partCut: isCut(parts, above, line),
      cutsPerLine: inner / lines.length,
      distance: clip(distance / size, 4),
      distanceToUsual: clip(distance / usual, 4),
      distanceToLeast: clip(distance / least, 4),
      next: next ? clip((next.baseline - line.baseline) / size, 4) : 4,
      previous: clip((above.baseline - (lines[index - 2]?.baseline ?? -100)) / size, 4),
      nextToOwn: next ? clip((next.baseline - line.baseline) / Math.max(1, distance), 4) : 4,
      wideShare: wide,
      entries: entries.length,
      filled: entries.length / columns.length,
      aboveEntries: above.entries.length / columns.length,
      startEntries: first.entries.length / columns.length,
      fewer: first.entries.length - entries.length,
      rowLines: index - start,
      columns: columns.length,
      label: flag(label !== undefined),
      labelAbove: flag(aboveLabel !== undefined),
      labelStart: flag(startLabel !== undefined),
      labelOnly: flag(label !== undefined && entries.length === 1),
      labelNext: flag(next?.entries.some(({ from }) => from === 0) === true),
      labelShare: labels,
      nextEntries: (next?.entries.length ?? 0) / columns.length,
      inside: share((_entry, upper) => upper !== undefined),
      lower: share(({ text }) => /^\p{Ll}/u.test(text)),
      firstLower: flag(/^\p{Ll}/u.test(entries[0]?.text ?? '')),
      bracket: share(({ text }) => /^[([<=±–-]/u.test(text)),
      upperOpen: share((_entry, upper) =>
        /[-\u2010,/(;:–]$|\b(?:of|and|the|in|for|with|to|or|by|on|at|from|vs\.?)$/iu.test(upper?.text ?? ''),
      ),
      upperStop: share((_entry, upper) => /[.)]$/u.test(upper?.text ?? '')),
      numbers: share(({ text }) => NUMBER.test(text)),
      stacked: uppers.filter(
        ([entry, upper]) => NUMBER.test(entry.text) && upper !== undefined && NUMBER.test(upper.text),
      ).length,
      words: share(({ text }) => WORD.test(text)),
      fullest: clip(Math.max(...room), 2),
      emptiest: clip(Math.min(...room), 2),
      indent: label && columns[0] ? clip((label.left - columns[0].left) / size, 6) : -1,
      startIndent: label && startLabel ? clip((label.left - startLabel.left) / size, 6) : -1,
      size: size / Math.max(1, above.entries[0]?.size ?? size),
      head: flag(line.baseline < headerEnd),
      headLines: head,
      lines: Math.min(60, lines.length),
      between: Math.min(
        4,
        between.filter(({ baseline }) => baseline > above.baseline && baseline < line.baseline).length,
      ),
      last: flag(index === lines.length - 1),
      sectionAbove: flag(above.entries.length === 1 && above.entries[0]?.from === 0),
      spans: Math.max(...entries.map(({ from, to }) => to - from)),
      singles,
    };
  };
}

function clip(value: number, most: number): number {
  return Math.max(-2, Math.min(most, value));
}

/** A piece of text with the columns it covers. */
export interface Entry extends Segment {
  readonly from: number;
  readonly to: number;
}

export interface TableLine {
  readonly baseline: number;
  readonly entries: readonly Entry[];
}

export interface TableRow {
  readonly lines: TableLine[];
  /** Counts the parts of the table between rules over its full width. */
  readonly block: number;
}

/** Rules at one height are closer than this. */
export const SAME_HEIGHT = 1.5;

/** Rules drawn cell by cell become one rule. */
export function joinHorizontal(boxes: readonly Box[]): Box[] {
  return joinBoxes(
    boxes.toSorted((a, b) => a.top - b.top || a.left - b.left),
    (a, b) => Math.abs(a.top - b.top) < SAME_HEIGHT && overlapX(a, b) > -3,
  );
}

/** Heights of the rules that cut the whole table. */
export function separators(region: TableRegion): number[] {
  const byHeight = new Map<number, Box[]>();
  for (const rule of region.horizontal) {
    const key = [...byHeight.keys()].find((y) => Math.abs(y - rule.top) < SAME_HEIGHT) ?? rule.top;
    byHeight.set(key, [...(byHeight.get(key) ?? []), rule]);
  }
  return [...byHeight]
    .filter(([, rules]) => rules.reduce((sum, rule) => sum + widthOf(rule), 0) > 0.9 * widthOf(region.box))
    .map(([y]) => y)
    .sort((a, b) => a - b);
}

/** Groups lines into rows: a model separates wrapped lines from lines that begin a row. */
export function groupRows(lines: readonly TableLine[], setting: RowSetting): TableRow[] {
  const rows: TableRow[] = [];
  const features = rowFeatures(lines, setting);
  let start = 0;
  lines.forEach((line, index) => {
    const row = rows.at(-1);
    const figures = features(index, start);
    // A rule between two lines, over all columns or some, ends the row.
    const isAlike = [index - 1, start].some((at) => repeats(line, lines[at]));
    const goesOn = figures?.cut === 0 && figures.partCut === 0 && !isAlike;
    if (row && goesOn && scoreOf(model, figures) > 0) {
      row.lines.push(line);
      return;
    }
    start = index;
    rows.push({
      lines: [line],
      block: setting.cuts.filter((y) => y > (lines[0]?.baseline ?? 0) && y < line.baseline - 1).length,
    });
  });
  return rows;
}

/** Values in fewer columns may be alike by chance. */
const REPEATED = 4;

/**
 * A line of values that look like those above, or those that the row began with, in every column it fills, is a row of
 * its own; it may have a label.
 */
function repeats(line: TableLine, above: TableLine | undefined): boolean {
  if (!above || line.entries.length < REPEATED) return false;
  return line.entries.every(({ text, from, to }) => {
    if (from === 0 && to === 0 && /\p{L}/u.test(text)) return true;
    const upper = above.entries.find((entry) => entry.from === from && entry.to === to);
    return upper !== undefined && !/\p{L}/u.test(text) && shapeOf(text) === shapeOf(upper.text);
  });
}

/** How a value is written: numbers are alike, and so are single signs. */
function shapeOf(text: string): string {
  return text
    .replaceAll(/[+\u2212\u2013-](?=\p{N})/gu, '')
    .replaceAll(/\p{N}+(?:[.,·]\p{N}+)*/gu, '0')
    .replace(/^[^\p{N}]$/u, '±');
}

export function rowsOf(segments: readonly Segment[]): Segment[][] {
  const sorted = [...segments].sort((a, b) => a.baseline - b.baseline);
  const rows: Segment[][] = [];
  for (const segment of sorted) {
    const row = rows.at(-1);
    const [first] = row ?? [];
    if (row && first && sameRow(first, segment)) row.push(segment);
    else rows.push([segment]);
  }
  for (const row of rows) row.sort((a, b) => a.left - b.left);
  return rows;
}
