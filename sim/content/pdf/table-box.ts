import type { Cell } from '../../../src/parse/index.ts';
import type { TableFloat } from '../paper.ts';
import { breakLines, drawLine, rule, setWords } from './lines.ts';
import type { Line, Op, Setting } from './lines.ts';
import type { Style } from './style.ts';

export interface TableBox {
  readonly height: number;
  readonly draw: (x: number, y: number) => Op[];
}

const PAD_X = 4;
const PAD_Y = 2.5;

interface SetCell {
  readonly cell: Cell;
  readonly lines: readonly Line[];
  readonly setting: Setting;
}

/** Lays out a table: with a rule around every cell, or with three rules. */
export function setTable({ table }: TableFloat, style: Style, width: number): TableBox {
  const size = style.size * 0.86;
  const leading = size * 1.2;
  const settingOf = (cell: Cell): Setting => ({
    family: style.family,
    face: cell.kind === 'column-header' ? 'bold' : 'roman',
    size,
  });
  const plain: Style = { ...style, hyphenate: false };
  const wordsOf = (cell: Cell): ReturnType<typeof setWords> =>
    setWords([{ kind: 'text', text: cell.text }], settingOf(cell), plain);

  const widths = columnWidths(
    Array.from({ length: table.columns }, (_unused, column) =>
      table.cells
        .filter((cell) => cell.column === column && cell.columnSpan === 1)
        .map((cell) => wordsOf(cell).map((word) => word.width)),
    ),
    width,
  );
  const edges = sums(widths);
  const between = (from: readonly number[], start: number, span: number): number =>
    (from[start + span] ?? 0) - (from[start] ?? 0);
  const set = table.cells.map((cell): SetCell => {
    const room = between(edges, cell.column, cell.columnSpan) - 2 * PAD_X;
    return { cell, lines: breakLines(wordsOf(cell), settingOf(cell), room), setting: settingOf(cell) };
  });

  const heights = Array.from({ length: table.rows }, () => leading + 2 * PAD_Y);
  for (const { cell, lines } of set) {
    const needed = lines.length * leading + 2 * PAD_Y;
    const spanned = heights.slice(cell.row, cell.row + cell.rowSpan).reduce((sum, height) => sum + height, 0);
    const last = cell.row + cell.rowSpan - 1;
    if (needed > spanned) heights[last] = (heights[last] ?? 0) + needed - spanned;
  }
  const tops = sums(heights);
  const height = tops.at(-1) ?? 0;
  const headRows = Math.max(
    ...table.cells.filter((cell) => cell.kind === 'column-header').map((cell) => cell.row + cell.rowSpan),
  );

  const draw = (x: number, y: number): Op[] => {
    const ops: Op[] = [];
    const line = (x1: number, y1: number, x2: number, y2: number, thick?: number): void => {
      ops.push(rule(x + x1, y + y1, x + x2, y + y2, thick));
    };
    if (style.manner === 'shaded-tables')
      for (let row = headRows; row < table.rows; row += 2)
        ops.push({
          kind: 'area',
          x,
          y: y + (tops[row] ?? 0),
          width,
          height: (tops[row + 1] ?? 0) - (tops[row] ?? 0),
          grey: 0.9,
        });
    for (const { cell, lines, setting } of set) {
      const left = edges[cell.column] ?? 0;
      const top = tops[cell.row] ?? 0;
      const wide = between(edges, cell.column, cell.columnSpan);
      const tall = between(tops, cell.row, cell.rowSpan);
      if (style.grid) {
        line(left, top, left + wide, top);
        line(left, top, left, top + tall);
      } else if (cell.columnSpan > 1) {
        line(left + PAD_X, top + tall, left + wide - PAD_X, top + tall, 0.4);
      }
      const align = cell.column === 0 ? 'left' : 'centre';
      lines.forEach((text, index) => {
        const baseline = y + top + PAD_Y + index * leading + leading * 0.76;
        ops.push(drawLine(text, { x: x + left + PAD_X, y: baseline, width: wide - 2 * PAD_X }, setting, align));
      });
    }
    if (style.grid) {
      line(0, height, width, height);
      line(width, 0, width, height);
    } else {
      line(0, 0, width, 0, 0.9);
      line(0, tops[headRows] ?? 0, width, tops[headRows] ?? 0);
      line(0, height, width, height, 0.9);
    }
    return ops;
  };
  return { height, draw };
}

/** Cumulative sums, starting at 0. */
function sums(values: readonly number[]): number[] {
  const out = [0];
  for (const value of values) out.push((out.at(-1) ?? 0) + value);
  return out;
}

/** Distributes a width: every column gets its longest word, the rest is shared by text length. */
function columnWidths(columns: readonly (readonly (readonly number[])[])[], width: number): number[] {
  const least = columns.map((cells) => Math.max(24, ...cells.flat()) + 2 * PAD_X + 1);
  const wanted = columns.map((cells, index) =>
    Math.max(least[index] ?? 0, ...cells.map((words) => words.reduce((sum, word) => sum + word + 3, 0) + 2 * PAD_X)),
  );
  const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
  const free = width - total(least);
  if (free <= 0) return least.map((value) => (value * width) / total(least));
  const hungry = total(wanted) - total(least);
  if (hungry > free) return least.map((value, index) => value + (((wanted[index] ?? value) - value) * free) / hungry);
  const spare = (width - total(wanted)) / columns.length;
  return wanted.map((value) => value + spare);
}
