import { overlap } from './box.ts';
import type { Segment } from './segment.ts';
import type { Column } from './table-columns.ts';
import type { TableRegion } from './table-region.ts';

/** The pieces that make up one row of a table, which may be set in several lines. */
export interface RowGroup {
  readonly pieces: Segment[];
  header: boolean;
  /** Columns whose cell in this row goes on down to row `spanTo`. */
  readonly spanning: Set<number>;
  spanTo: number | undefined;
}

/** Puts the lines of a table together into rows: wrapped cells make a row of several lines. */
export function groupRows(
  lines: readonly (readonly Segment[])[],
  columns: readonly Column[],
  region: TableRegion,
): RowGroup[] {
  const full = region.box.right - region.box.left;
  const separators = region.horizontal
    .filter((rule) => rule.right - rule.left > 0.9 * full)
    .map((rule) => rule.top)
    .sort((a, b) => a - b);
  const headerEnd = separators.find((y) => y > (lines[0]?.[0]?.baseline ?? 0) - 1) ?? -Infinity;
  const lastBaseline = lines.at(-1)?.[0]?.baseline ?? 0;
  const hasHeader = headerEnd < lastBaseline - 1;
  const ruledRows = separators.length > 3 && separators.length >= 0.45 * lines.length;
  const pitch = linePitch(lines);
  const groups: { lines: (readonly Segment[])[]; header: boolean }[] = [];
  lines.forEach((line, index) => {
    const previous = lines[index - 1];
    const group = groups.at(-1);
    const baseline = line[0]?.baseline ?? 0;
    const before = previous?.[0]?.baseline ?? 0;
    const ruled = separators.some((y) => y > before - 1 && y < baseline - 1);
    const header = hasHeader && baseline < headerEnd + 1;
    const goesOn =
      group !== undefined &&
      previous !== undefined &&
      !ruled &&
      (ruledRows || continues(previous, line, { columns, pitch, header, gap: baseline - before }));
    if (goesOn) group.lines.push(line);
    else groups.push({ lines: [line], header });
  });
  return groups.map((group) => ({
    pieces: group.lines.flat(),
    header: group.header,
    spanning: new Set<number>(),
    spanTo: undefined,
  }));
}

/** The distance of lines inside a cell, if rows are set further apart than lines. */
function linePitch(lines: readonly (readonly Segment[])[]): number | undefined {
  const gaps: number[] = [];
  for (let index = 1; index < lines.length; index += 1) {
    const gap = (lines[index]?.[0]?.baseline ?? 0) - (lines[index - 1]?.[0]?.baseline ?? 0);
    if (gap > 1) gaps.push(gap);
  }
  gaps.sort((a, b) => a - b);
  const smallest = gaps[Math.floor(gaps.length * 0.1)] ?? 0;
  const wide = gaps.filter((gap) => gap > 1.3 * smallest).length;
  const near = gaps.length - wide;
  return wide >= 2 && near >= 1 && wide >= 0.3 * gaps.length ? 1.3 * smallest : undefined;
}

interface Setting {
  readonly columns: readonly Column[];
  readonly pitch: number | undefined;
  readonly header: boolean;
  readonly gap: number;
}

function continues(previous: readonly Segment[], line: readonly Segment[], setting: Setting): boolean {
  const { columns, pitch, gap } = setting;
  if (pitch !== undefined && !setting.header) return gap <= pitch;
  const filled = (row: readonly Segment[]): Set<number> =>
    new Set(
      row.flatMap((piece) =>
        columns.flatMap((column, index) =>
          overlap(column.left, column.right, piece.left, piece.right) > 0.5 ? [index] : [],
        ),
      ),
    );
  const here = filled(line);
  const above = filled(previous);
  if (here.has(0) || here.size > columns.length / 2) return false;
  if ([...here].some((column) => !above.has(column))) return false;
  // A wrapped cell: the line above reaches the far end of its column and this line is at normal distance.
  const size = line[0]?.size ?? 10;
  if (gap > 1.45 * size) return false;
  return line.every((piece) => {
    const column = columns.find((each) => overlap(each.left, each.right, piece.left, piece.right) > 0.5);
    const upper = previous.find((each) => column && overlap(column.left, column.right, each.left, each.right) > 0.5);
    if (!column || !upper) return false;
    return upper.right > column.right - 0.25 * (column.right - column.left) && upper.glyphs.length > 4;
  });
}
