import type { Box } from '../../../document.ts';
import { hasLetter } from '../text/letter.ts';
import type { TableRegion } from './table-region.ts';

/** A piece of text with the columns it covers. */
export interface Entry {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly baseline: number;
  readonly left: number;
  readonly right: number;
  readonly size: number;
}

/** Entries of one baseline. */
export interface TableLine {
  readonly baseline: number;
  readonly entries: readonly Entry[];
}

/** The lines that make up one row of a table. */
export interface TableRow {
  readonly lines: TableLine[];
  /** Counts the parts of the table between rules over its full width. */
  readonly block: number;
}

interface Extent {
  readonly left: number;
  readonly right: number;
}

/** Heights of the rules that cut the whole table. */
export function separators(region: TableRegion): number[] {
  const full = region.box.right - region.box.left;
  const heights: number[] = [];
  const byHeight = new Map<number, Box[]>();
  for (const rule of region.horizontal) {
    const key = [...byHeight.keys()].find((y) => Math.abs(y - rule.top) < 1.5) ?? rule.top;
    byHeight.set(key, [...(byHeight.get(key) ?? []), rule]);
  }
  for (const [y, rules] of byHeight) {
    const covered = rules.reduce((sum, rule) => sum + rule.right - rule.left, 0);
    if (covered > 0.9 * full) heights.push(y);
  }
  return heights.sort((a, b) => a - b);
}

/** Puts lines together into rows: wrapped cells make a row of several lines. */
export function groupRows(
  lines: readonly TableLine[],
  columns: readonly Extent[],
  cuts: readonly number[],
  { headLines, between }: { readonly headLines: number; readonly between: readonly Entry[] },
): TableRow[] {
  const rows: TableRow[] = [];
  const gap = rowGap(lines, cuts);
  const inner = cuts.filter((y) => y > (lines[0]?.baseline ?? 0) && y < (lines.at(-1)?.baseline ?? 0));
  // A rule after every row: what stands between two rules is one row, however many lines it has.
  const ruled = inner.length >= 3 && inner.length >= 0.4 * lines.length;
  lines.forEach((line, index) => {
    const previous = lines[index - 1];
    const row = rows.at(-1);
    const cut = previous !== undefined && inner.some((y) => y > previous.baseline - 1 && y < line.baseline - 1);
    if (row && previous && !cut) {
      const distance = line.baseline - previous.baseline;
      const goesOn =
        index < headLines ||
        (ruled && isText(row, line)) ||
        labelsCentred(row, line, between) ||
        (gap === undefined ? isWrapped(row, line, columns) : distance <= gap);
      if (goesOn && !stacksNumbers(row, line)) {
        row.lines.push(line);
        return;
      }
    }
    rows.push({ lines: [line], block: inner.filter((y) => y < line.baseline - 1).length });
  });
  return rows;
}

/** Both lines hold nothing but a label, and the cells of their row stand in the middle between them. */
function labelsCentred(row: TableRow, line: TableLine, between: readonly Entry[]): boolean {
  const above = row.lines.at(-1);
  const [label] = above?.entries ?? [];
  const [rest] = line.entries;
  if (!above || !label || !rest || label.from !== 0 || rest.from !== 0) return false;
  if (above.entries.length > 1 || line.entries.length > 1 || line.baseline - above.baseline > 1.4 * rest.size)
    return false;
  return between.filter(({ baseline }) => baseline > above.baseline && baseline < line.baseline).length >= 2;
}

/** How many lines make up a head of one row: words over the columns, in several lines, none over several of them. */
export function headLines(lines: readonly TableLine[], headerEnd: number): number {
  const head = lines.filter((line) => line.baseline < headerEnd);
  const [first] = head;
  if (!first || head.length < 2 || head.length > 4 || head.length === lines.length) return 0;
  const close = head.every((line, index) => {
    const previous = head[index - 1];
    return !previous || line.baseline - previous.baseline < 1.45 * (line.entries[0]?.size ?? 10);
  });
  // Each head begins in the first line, as wrapped words do.
  const begun = head.every((line) =>
    line.entries.every((entry) => entry.from === entry.to && first.entries.some((top) => top.from === entry.from)),
  );
  return close && begun ? head.length : 0;
}

/** Words below words: between two rules these are lines of one row. Numbers below numbers are rows. */
function isText(row: TableRow, line: TableLine): boolean {
  const [start] = row.lines;
  if (!start || line.entries.length < 0.8 * start.entries.length) return start !== undefined;
  return line.entries.every((entry) => {
    const upper = start.entries.find((each) => each.from <= entry.to && each.to >= entry.from);
    return /\p{L}{2,}/u.test(entry.text) && (!upper || /\p{L}{2,}/u.test(upper.text));
  });
}

/** Several numbers stand below numbers: that is the next row, however close. */
function stacksNumbers(row: TableRow, line: TableLine): boolean {
  const below = line.entries.filter(
    (entry) =>
      NUMBER.test(entry.text) &&
      row.lines.some(({ entries }) => entries.some((upper) => upper.from === entry.from && NUMBER.test(upper.text))),
  );
  return below.length >= 2;
}

const NEVER = /^(?!)/u;
const NUMBER = /^[^\p{L}\p{N}()]*\p{N}[^\p{L}()]*$/u;

/** If rows are set further apart than the lines in them: the distance up to which lines belong together. */
function rowGap(lines: readonly TableLine[], cuts: readonly number[]): number | undefined {
  const gaps: number[] = [];
  for (let index = 1; index < lines.length; index += 1) {
    const before = lines[index - 1]?.baseline ?? 0;
    const here = lines[index]?.baseline ?? 0;
    // Rules push rows apart whether or not cells are wrapped.
    if (!cuts.some((y) => y > before - 1 && y < here - 1) && here - before > 1) gaps.push(here - before);
  }
  gaps.sort((a, b) => a - b);
  const smallest = gaps[Math.floor(gaps.length * 0.1)] ?? 0;
  const wide = gaps.filter((each) => each > 1.3 * smallest).length;
  return wide >= 2 && wide < gaps.length && wide >= 0.3 * gaps.length ? 1.3 * smallest : undefined;
}

/** The line only continues cells of the row, each of which had no room for more words. */
function isWrapped(row: TableRow, line: TableLine, columns: readonly Extent[]): boolean {
  const [start] = row.lines;
  const above = row.lines.at(-1);
  if (!start || !above) return false;
  if (line.entries.length >= start.entries.length && !goesOnInSentence(start, line)) return false;
  // What a cell of words goes on with may be a number or a formula, but not all of it.
  if (!line.entries.some(({ text }) => /\p{L}{2,}|^\(|%$/u.test(text))) return false;
  return line.entries.every((entry) => {
    const upper = above.entries.find((each) => each.from <= entry.to && each.to >= entry.from);
    const column = columns[entry.from];
    if (!upper || !column || entry.from !== upper.from) return false;
    if (line.baseline - above.baseline > 1.6 * entry.size) return false;
    const cell = row.lines.flatMap(({ entries }) => entries.filter(({ from }) => from === entry.from));
    if (!cell.some(({ text }) => hasLetter(text))) return false;
    if (/[-\u2010,/]$/u.test(upper.text)) return true;
    const word = (entry.right - entry.left) * Math.min(1, (entry.text.split(/\s/)[0] ?? '').length / entry.text.length);
    return upper.right - upper.left + word + 0.3 * entry.size > (column.right - column.left) * 0.98;
  });
}

/** The row's first cell begins with a capital or a number, and goes on here with a small letter or in brackets. */
function goesOnInSentence(start: TableLine, line: TableLine): boolean {
  const [label] = start.entries;
  const [rest] = line.entries;
  return (
    label !== undefined &&
    rest !== undefined &&
    label.from === rest.from &&
    line.entries.length <= start.entries.length &&
    (/^\p{Lu}/u.test(label.text) ? /^(?:\p{Ll}|\()/u : /^[(\p{N}]/u.test(label.text) ? /^\p{Ll}/u : NEVER).test(
      rest.text,
    )
  );
}
