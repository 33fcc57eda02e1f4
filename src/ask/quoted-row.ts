import type * as z from 'zod';

import type { ReadPassage, TableRowText } from '../reader/index.ts';
import { candidatesOf } from '../reader/index.ts';
import type { quotedRow } from './shapes/index.ts';

export type QuotedRow = z.output<typeof quotedRow>;

/** Rows are only located here. */
const NOT_SEARCHED = { passage: 0, paper: 0 };

/** The row of a table that a range of a passage lies in, and its line; undefined outside of tables and across rows. */
export function quotedRowAt(
  passage: ReadPassage,
  start: number,
  end: number,
): { readonly row: QuotedRow; readonly line: { readonly start: number; readonly end: number } } | undefined {
  if (!passage.text.includes(' | ')) return undefined;
  const candidates = candidatesOf(passage, NOT_SEARCHED);
  for (const candidate of candidates) {
    const { row } = candidate;
    if (!row || candidate.start > start || candidate.end < end) continue;
    const own = candidates.flatMap((each) => (each.row?.header === row.header ? [each.row.cells] : []));
    const line = passage.text.slice(candidate.start, candidate.end);
    const named = { ...row, header: wholeHeader(row.header, own.slice(0, own.indexOf(row.cells))) };
    return { row: coveredCells(named, line, start - candidate.start, end - candidate.start), line: candidate };
  }
  return undefined;
}

/** The header of a table that goes on in the rows above the first number: "Essential oil" above "MIC". */
function wholeHeader(first: readonly string[], above: readonly (readonly string[])[]): string[] {
  const firstNumbers = above.findIndex((cells) => cells.slice(1).some((cell) => /\d/.test(cell)));
  const more = above.slice(0, firstNumbers < 0 ? above.length : firstNumbers);
  if (more.length === 0) return [...first];
  // The name of several columns stands above the first of them.
  const spread = first.map((_, at) => first.slice(1, at + 1).findLast((cell) => cell !== '') ?? '');
  return spread.map((name, at) =>
    [...new Set([name, ...more.map((cells) => cells[at] ?? '')])].filter((part) => part !== '').join(' '),
  );
}

/** The cells that a range of a row's line covers; the first one names the row. */
function coveredCells({ caption, header, cells }: TableRowText, line: string, start: number, end: number): QuotedRow {
  const [row = ''] = cells;
  let at = 0;
  const places = line.split(' | ').map((cell) => {
    const from = at;
    at += cell.length + ' | '.length;
    return { from, to: from + cell.length };
  });
  const covered = cells.flatMap((value, column) => {
    const place = places[column];
    if (column === 0 || value === '' || !place || place.to <= start || place.from >= end) return [];
    const name = header[column] ?? '';
    return [{ column: name, value, unit: unitOf(value, name, row) }];
  });
  return { table: caption, row, cells: covered };
}

/** What stands in brackets or after a comma of a header and is no unit. */
const NO_UNITS = new Set(['n', 'no', 'no.', 'sd', 'se', 'sem', 'iqr', 'mean', 'median', 'range', 'ref', 'reference']);

function isUnit(text: string): boolean {
  return /[\p{L}%°]/u.test(text) && !NO_UNITS.has(text.toLowerCase()) && !/\bCI$|=/.test(text);
}

/** The unit of a cell: after its number, else at the end of its column's header, else of its row's name. */
function unitOf(value: string, header: string, row: string): string | null {
  const own = /\d\s*(%|[°µμ]?\p{L}[\p{L}\d/²³%·^-]{0,11})\s*$/u.exec(value)?.[1];
  if (own !== undefined) return own;
  for (const name of [header, row]) {
    const given = (/[([]([^()[\]]{1,20})[)\]]\s*$/.exec(name) ?? /,\s*([^,\s]{1,12})\s*$/.exec(name))?.[1]?.trim();
    if (given === undefined || !isUnit(given)) continue;
    // "20 (30.0)" under "n (%)": the unit is that of the second number.
    if (/\d\s*\(/.test(value) && /^(?:n|no\.?|number)\b/i.test(name)) continue;
    return given;
  }
  return null;
}
