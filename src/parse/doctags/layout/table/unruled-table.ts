import type { Box, Table } from '../../../document.ts';
import { unionBox } from '../page/box.ts';
import { captionStart } from '../role/caption.ts';
import { isFormulaLine, hasLeaders } from '../role/paragraph.ts';
import type { Line } from '../page/line.ts';
import { buildTable } from './table-grid.ts';

/** Lines of a column that form a table without rules. */
export interface UnruledTable {
  readonly from: number;
  readonly to: number;
  readonly box: Box;
  readonly table: Table;
}

/** Finds runs of lines that are cut into cells at the same places: under a table's caption, or plainly of numbers. */
export function findUnruledTables(lines: readonly Line[], vocabulary: ReadonlySet<string>): UnruledTable[] {
  const found: UnruledTable[] = [];
  let start = 0;
  while (start < lines.length) {
    if (!isCells(lines[start])) {
      start += 1;
      continue;
    }
    let end = start + 1;
    while (end < lines.length && goesOn(lines, end)) end += 1;
    while (end > start && !isCells(lines[end - 1])) end -= 1;
    const table = end - start >= 3 ? tableOf(lines, start, end, vocabulary) : undefined;
    if (table) found.push({ from: start, to: end, ...table });
    start = Math.max(end, start + 1);
  }
  return found;
}

/** Two or more short pieces side by side that are no formula. */
function isCells(line: Line | undefined): boolean {
  if (!line || line.float !== undefined || line.segments.length < 2) return false;
  if (hasLeaders(line.text) || captionStart(line) || (line.math > 0.25 && isFormulaLine(line))) return false;
  return line.segments.every((segment) => segment.right - segment.left < 18 * line.size);
}

function goesOn(lines: readonly Line[], at: number): boolean {
  const line = lines[at];
  const previous = lines[at - 1];
  if (!line || !previous || line.baseline - previous.baseline > 2.2 * line.size) return false;
  if (isCells(line)) return true;
  // A wrapped cell or the name of a group of rows, between two rows.
  const short = line.float === undefined && line.right - line.left < 18 * line.size && !captionStart(line);
  return short && isCells(previous) && isCells(lines[at + 1]);
}

function tableOf(
  lines: readonly Line[],
  from: number,
  to: number,
  vocabulary: ReadonlySet<string>,
): { box: Box; table: Table } | undefined {
  const run = lines.slice(from, to);
  const box = unionBox(run);
  const table = buildTable(
    { box, horizontal: [], vertical: [] },
    run.flatMap((line) => [...line.segments]),
    vocabulary,
  );
  if (!table || table.rows < 3) return undefined;
  const filled = table.cells.filter((cell) => cell.text !== '');
  const single = filled.filter((cell) => cell.columnSpan === 1).length;
  if (filled.length < 0.6 * table.rows * table.columns || single < 0.85 * filled.length) return undefined;
  const numbers = filled.filter((cell) => /^[^\p{L}\p{N}]*\p{N}[^\p{L}]*$/u.test(cell.text)).length;
  const plain = table.columns >= 3 && table.rows >= 4 && numbers > 0.5 * filled.length;
  return plain || isCaptioned(lines, from) ? { box, table } : undefined;
}

/** A caption of a table ends right above the run. */
function isCaptioned(lines: readonly Line[], from: number): boolean {
  for (let at = from - 1; at >= Math.max(0, from - 5); at -= 1) {
    const line = lines[at];
    const next = lines[at + 1];
    if (!line || !next || next.baseline - line.baseline > 3 * line.size) return false;
    if (captionStart(line) === 'table') return true;
  }
  return false;
}
