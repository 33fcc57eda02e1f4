import type { Entry, TableLine, TableRow } from './table-rows.ts';
import { quantile } from '../statistics.ts';

export interface CellDraft {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  readonly entries: Entry[];
}

/** Takes lines out that are between two rows: cells centred over the rows on both sides of them. */
export function takeBetweenLines(lines: TableLine[]): Entry[] {
  const taken: Entry[] = [];
  const gaps = lines.slice(1).map((line, index) => line.baseline - (lines[index]?.baseline ?? 0));
  const usual = quantile(gaps, 0.6) ?? 12;
  for (let index = lines.length - 2; index >= 1; index -= 1) {
    const line = lines[index];
    const above = lines[index - 1];
    const below = lines[index + 1];
    if (!line || !above || !below) continue;
    const up = line.baseline - above.baseline;
    const down = below.baseline - line.baseline;
    const near = Math.max(up, down) < 0.85 * usual || Math.max(up, down) < 0.95 * (line.entries[0]?.size ?? 10);
    const apart = (other: TableLine): boolean =>
      other.entries.every((entry) => line.entries.every((own) => own.from > entry.to || own.to < entry.from));
    if (!near || !apart(above) || !apart(below)) continue;
    taken.push(...line.entries);
    lines.splice(index, 1);
  }
  return taken;
}

export function spanRows(
  cells: CellDraft[],
  rows: readonly TableRow[],
  between: readonly Entry[],
  header: number,
): void {
  for (const entry of between) {
    const next = rows.findIndex((row) => (row.lines[0]?.baseline ?? 0) > entry.baseline);
    const upper = next < 0 ? rows.length - 1 : Math.max(0, next - 1);
    // An entry next to a wrapped label belongs only to the row of that label.
    const beside = (rows[upper]?.lines.at(-1)?.baseline ?? 0) > entry.baseline;
    const [from, to] = beside ? [upper, upper] : freeRange(cells, rows, entry, upper, next < 0 ? upper : next);
    cells.push({
      row: from,
      column: entry.from,
      rowSpan: to - from + 1,
      columnSpan: entry.to - entry.from + 1,
      entries: [entry],
    });
  }
  spanHeader(cells, header);
  spanBlocks(cells, rows, header);
  spanLabels(cells, rows, header);
  spanGroups(cells, rows.length, header);
}

/** A label alone in its row, with rows of cells below it, heads them: it reaches over the whole width. */
export function spanSections(
  cells: readonly CellDraft[],
  { rows, columns, header }: { readonly rows: number; readonly columns: number; readonly header: number },
): void {
  if (columns < 3) return;
  const inRow = (row: number): CellDraft[] => cells.filter((cell) => cell.row <= row && cell.row + cell.rowSpan > row);
  const labels: CellDraft[] = [];
  for (let row = Math.max(1, header); row < rows - 1; row += 1) {
    const [label, other] = inRow(row);
    if (!label || other || label.column > 0 || label.rowSpan > 1) continue;
    if (/\p{L}/u.test(label.entries[0]?.text ?? '') && inRow(row + 1).length >= 2) labels.push(label);
  }
  // A label that is broken at the width of the first column shows that labels of this table keep to it.
  const keepsToColumn = labels.some(
    ({ columnSpan, entries }) => columnSpan === 1 && new Set(entries.map(({ baseline }) => baseline)).size > 1,
  );
  for (const label of labels) if (!keepsToColumn || label.columnSpan > 1) label.columnSpan = columns;
}

/** A label in several lines, set closer than the rows it is beside, reaches over these rows. */
function spanLabels(cells: CellDraft[], rows: readonly TableRow[], header: number): void {
  for (let row = header + 1; row < rows.length; row += 1) {
    const label = cells.find((cell) => cell.row === row && cell.column === 0 && cell.columnSpan === 1);
    const above = cells.find((cell) => cell.column === 0 && cell.columnSpan === 1 && cell.row + cell.rowSpan === row);
    const [entry] = label?.entries ?? [];
    const last = above?.entries.at(-1);
    const others = cells.filter((cell) => cell.row === row && cell.column > 0).flatMap((cell) => cell.entries);
    if (!label || !above || above.row < header || !entry || !last || label.rowSpan > 1 || others.length < 2) continue;
    const raised = others.every((other) => other.baseline - entry.baseline > 0.2 * entry.size);
    if (!raised || entry.baseline - last.baseline > 1.35 * entry.size) continue;
    above.entries.push(...label.entries);
    above.rowSpan += 1;
    cells.splice(cells.indexOf(label), 1);
  }
}

/** Labels at equal distances, each beside the same names in the second column, stand for all rows up to the next. */
function spanGroups(cells: readonly CellDraft[], rows: number, header: number): void {
  const labels = cells.filter((cell) => cell.column === 0 && cell.row >= header).toSorted((a, b) => a.row - b.row);
  const [first, second] = labels;
  const height = (second?.row ?? 0) - (first?.row ?? 0);
  if (first?.row !== header || height < 2 || height > 12 || labels.length * height !== rows - header) return;
  const names = Array.from({ length: rows - header }, (_unused, index) =>
    cells
      .find((cell) => cell.column === 1 && cell.row === header + index && cell.rowSpan === 1 && cell.columnSpan === 1)
      ?.entries.map(({ text }) => text)
      .join(' '),
  );
  if (names.some((name, index) => name === undefined || name !== names[index % height])) return;
  for (const label of labels) label.rowSpan = height;
}

/** The rows around a centred entry, inside its block, in which its columns are empty. */
function freeRange(
  cells: readonly CellDraft[],
  rows: readonly TableRow[],
  entry: Entry,
  upper: number,
  lower: number,
): [number, number] {
  const empty = (row: number): boolean =>
    !cells.some((cell) => cell.row === row && cell.column <= entry.to && cell.column + cell.columnSpan > entry.from);
  const block = rows[upper]?.block;
  if (rows[lower]?.block !== block) return [upper, upper];
  let from = upper;
  let to = lower;
  // Centred: it reaches as far up as down.
  while (rows[from - 1]?.block === block && rows[to + 1]?.block === block && empty(from - 1) && empty(to + 1)) {
    from -= 1;
    to += 1;
  }
  return [from, to];
}

/** Under a heading over several columns are their own heads; the other columns' heads then fill both rows. */
function spanHeader(cells: CellDraft[], header: number): void {
  if (header < 2) return;
  const heads = cells.filter((cell) => cell.row < header);
  const wide = heads.filter((cell) => cell.columnSpan > 1 && cell.row < header - 1);
  if (wide.length === 0) return;
  const covered = (column: number): boolean =>
    wide.some((cell) => cell.column <= column && cell.column + cell.columnSpan > column);
  const byColumn = Map.groupBy(
    heads.filter((cell) => cell.columnSpan === 1 && !covered(cell.column)),
    (cell) => cell.column,
  );
  for (const group of byColumn.values()) {
    group.sort((a, b) => a.row - b.row);
    const [first] = group;
    if (!first || first.rowSpan > 1 || (group.length === 1 && first.row > 0)) continue;
    for (const other of group.slice(1)) {
      first.entries.push(...other.entries);
      cells.splice(cells.indexOf(other), 1);
    }
    first.rowSpan = header - first.row;
  }
}

/** In a part of the table between two rules, a cell alone in its column labels all rows of the part. */
function spanBlocks(cells: CellDraft[], rows: readonly TableRow[], header: number): void {
  const body = rows.keys().filter((row) => row >= header);
  for (const indices of Map.groupBy(body, (row) => rows[row]?.block).values()) {
    const first = indices[0] ?? 0;
    const last = indices.at(-1) ?? 0;
    if (indices.length < 2) continue;
    const middle = ((rows[first]?.lines[0]?.baseline ?? 0) + (rows[last]?.lines[0]?.baseline ?? 0)) / 2;
    const inside = cells.filter((cell) => cell.row >= first && cell.row <= last);
    const full = Math.max(...inside.map((cell) => cell.column));
    for (let column = 0; column <= full; column += 1) {
      const here = inside.filter((cell) => cell.column <= column && cell.column + cell.columnSpan > column);
      const [only] = here;
      if (!only) continue;
      if (here.length > 1 || only.columnSpan > 1 || only.rowSpan > 1) break;
      const away = Math.abs((only.entries[0]?.baseline ?? 0) - middle);
      const centred = only.row !== first && away < 0.4 * (only.entries[0]?.size ?? 10);
      if (!centred) break;
      only.row = first;
      only.rowSpan = indices.length;
    }
  }
}
