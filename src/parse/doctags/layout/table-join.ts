import type { Cell, Table } from '../../document.ts';
import { captionStart } from './caption.ts';
import type { Draft } from './draft.ts';

/** Joins a table with its continuation at the head of the next page, whose header repeats. */
export function joinTables(drafts: readonly Draft[]): Draft[] {
  const result: Draft[] = [];
  let last: Draft | undefined;
  let between: Draft[] = [];
  for (const draft of drafts) {
    if (draft.kind === 'table') {
      const near = last && last.page + 1 === draft.page && !between.some(endsTable);
      const joined = near ? joinTwo(last?.table, draft.table) : undefined;
      between = [];
      if (last && joined) {
        last.table = joined;
        last.regions = [
          ...(last.regions ?? [{ page: last.page, box: last.box }]),
          { page: draft.page, box: draft.box },
        ];
        continue;
      }
      last = draft;
    } else between.push(draft);
    result.push(draft);
  }
  return result;
}

/** Running text, or the caption of another table: what follows is a table of its own. */
function endsTable({ lines }: Draft): boolean {
  const [first] = lines;
  if (!first) return false;
  if (captionStart(first) === 'table') return !lines.some((line) => CONTINUED.test(line.text));
  return lines.length >= 3 && first.right - first.left > 20 * first.size;
}

const CONTINUED = /\b(?:continued|cont[.’']d?|fortsetzung|suite|continuación|продолжение)/iu;

function joinTwo(first: Table | undefined, second: Table | undefined): Table | undefined {
  if (!first || !second || first.columns !== second.columns) return undefined;
  const head = (table: Table): string =>
    table.cells
      .filter((cell) => cell.row === 0)
      .map((cell) => cell.text)
      .join('\t');
  if (head(first) === '' || head(first) !== head(second)) return undefined;
  const header = Math.max(
    1,
    ...second.cells.filter((cell) => cell.kind === 'column-header').map((cell) => cell.row + 1),
  );
  const moved = second.cells
    .filter((cell) => cell.row >= header)
    .map((cell): Cell => ({ ...cell, row: cell.row - header + first.rows }));
  return { rows: first.rows + second.rows - header, columns: first.columns, cells: [...first.cells, ...moved] };
}
