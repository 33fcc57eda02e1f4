import type { Cell, Table } from '../../../document.ts';
import { captionStart } from '../role/caption.ts';
import type { Draft } from '../draft.ts';
import type { Line } from '../page/line.ts';

/** Joins a table with its continuation on the next page: its header repeats, or a label says that it continues. */
export function joinTables(drafts: readonly Draft[]): Draft[] {
  const result: Draft[] = [];
  let last: Draft | undefined;
  let between: Draft[] = [];
  for (const draft of drafts) {
    if (draft.kind === 'table') {
      const page = last?.regions?.at(-1)?.page ?? last?.page ?? 0;
      const isMarked = between.some(isContinuation);
      const near = last && page + 1 === draft.page && (isMarked || !between.some(endsTable));
      const joined = near ? joinTwo(last?.table, draft.table, isMarked) : undefined;
      between = [];
      if (last && joined) {
        last.table = joined;
        last.letters = new Map([...(last.letters ?? []), ...(draft.letters ?? [])]);
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

/** Running text, or the caption of another table: what follows is a separate table. */
function endsTable({ lines }: Draft): boolean {
  const [first] = lines;
  if (!first) return false;
  if (captionStart(first) === 'table') return !isContinuation({ lines });
  return lines.length >= 3 && first.right - first.left > 20 * first.size;
}

const CONTINUED =
  /\b(?:continu(?:ed|es?|ation|ação|ación)|cont(?:[.’']d?|d)|fortsetzung|suite|продолжение)(?![\p{L}])/iu;
/** Letters of a label that says no more than that. */
const SHORT = 40;
/** Letters at its start by which a repeated caption is known. */
const REPEATED = 30;

/** "Table 2. Cont.", "Table 3 (continued)": the label of a part, not a separate caption. */
function isContinuation({ lines }: Pick<Draft, 'lines'>): boolean {
  const [first] = lines;
  return first !== undefined && captionStart(first) !== undefined && lines.some((line) => CONTINUED.test(line.text));
}

/** Such a label without the words of the caption, or with words that a caption before it had. */
export function repeatsCaption({ lines }: Pick<Draft, 'lines'>, captions: readonly Draft[]): boolean {
  if (!isContinuation({ lines })) return false;
  const start = (all: readonly Line[]): string =>
    all
      .map(({ text }) => text)
      .join('')
      .replaceAll(/[^\p{L}\p{N}]/gu, '')
      .slice(0, REPEATED);
  const text = lines.reduce((sum, line) => sum + line.text.length, 0);
  return text < SHORT || captions.some((other) => start(other.lines) === start(lines));
}

function joinTwo(first: Table | undefined, second: Table | undefined, isMarked: boolean): Table | undefined {
  if (!first || !second || first.columns !== second.columns) return undefined;
  const head = (table: Table): string =>
    table.cells
      .filter((cell) => cell.row === 0)
      .map((cell) => cell.text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ''))
      .join('\t');
  const repeats = head(first).trim() !== '' && head(first) === head(second);
  if (!repeats && !isMarked) return undefined;
  const header = repeats
    ? Math.max(1, ...second.cells.filter((cell) => cell.kind === 'column-header').map((cell) => cell.row + 1))
    : 0;
  const moved = second.cells
    .filter((cell) => cell.row >= header)
    .map((cell): Cell => ({ ...cell, row: cell.row - header + first.rows }));
  return { rows: first.rows + second.rows - header, columns: first.columns, cells: [...first.cells, ...moved] };
}
