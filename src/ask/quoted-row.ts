import type { ReadPassage, TableRowText } from '../reader/index.ts';
import { candidatesOf } from '../reader/index.ts';
import type { QuotedRow } from './shapes/index.ts';

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
    const above = own.slice(0, own.indexOf(row.cells));
    const named = { ...row, header: wholeHeader(row.header, above) };
    const covered = coveredCells(named, line, start - candidate.start, end - candidate.start);
    return { row: { ...covered, group: groupOf(above, row.cells) }, line: candidate };
  }
  return undefined;
}

/**
 * The nearest row above with nothing but a name: "Myocardial infarction" above "≥60 years"; null if there is none. Nothing
 * says where a group of rows ends, except a row that is not one of its parts.
 */
function groupOf(above: readonly (readonly string[])[], own: readonly string[]): string | null {
  const at = above.findLastIndex(
    ([first = '', ...cells]) => /\p{L}/u.test(first) && !VALUE.test(first) && cells.every((cell) => cell === ''),
  );
  const since = [...above.slice(at + 1), own].map(([first = '']) => first);
  return at < 0 || since.some((name) => STANDS_ALONE.test(name)) ? null : (above[at]?.[0] ?? null);
}

/** A total, or a row with a unit or a statistic of its own: "Age, years", "Male sex, n (%)", "Follow-up – days". */
const STANDS_ALONE =
  /^(?:total|overall|sum)\b|\((?:%|n|no\.?|years?|months?|weeks?|days?|hours?|SD|SE|SEM|IQR|range|mean|median)[^()]{0,30}\)\s*$|[,–—-]\s?(?:%|n|no\.|years?|months?|weeks?|days?|hours?|SD|mean|median)(?:\s?\([^()]{0,30}\))?\s*$/iu;

/** A table with more rows of column names is rare; text in the rows below would be taken for names. */
const MOST_HEADER_ROWS = 3;
/** "7.8", "<0.001", "2.3–25.9", "12 (55)", "640 ± 20"; not "95% CI", "n = 22" or "2nd visit". */
const VALUE = /^[^\p{L}\p{N}]*\d[^\p{L}]*$/u;

/**
 * The header of a table that goes on in the rows below its first one: "Essential oil" above "MIC". It does where the
 * first row does not give each column a name of its own, as long as rows name columns rather than hold values.
 */
function wholeHeader(first: readonly string[], above: readonly (readonly string[])[]): string[] {
  const names = first.slice(1).filter((cell) => cell !== '');
  const isWhole = names.length === first.length - 1 && new Set(names).size === names.length;
  const end = above.findIndex((cells) => !isOfNames(cells));
  const more = isWhole ? [] : above.slice(0, Math.min(end < 0 ? above.length : end, MOST_HEADER_ROWS));
  if (more.length === 0) return [...first];
  // The name of several columns stands above the first of them.
  const columns = Math.max(first.length, ...more.map(({ length }) => length));
  const spread = Array.from({ length: columns }, (_, at) => first[at] ?? '').map((name, at) =>
    at === 0 ? name : (first.slice(1, at + 1).findLast((cell) => cell !== '') ?? ''),
  );
  return spread.map((name, at) =>
    [...new Set([name, ...more.map((cells) => cells[at] ?? '')])].filter((part) => part !== '').join(' '),
  );
}

/** Whether a row names columns: none of its cells is a value or a dash, and it has more than the name of a group of rows. */
function isOfNames(cells: readonly string[]): boolean {
  const filled = cells.slice(1).filter((cell) => cell !== '');
  return filled.length > 0 && filled.every((cell) => /[\p{L}%]/u.test(cell) && !VALUE.test(cell));
}

/** The cells that a range of a row's line covers; the first one without a number names the row. */
function coveredCells(
  { caption, header, cells }: TableRowText,
  line: string,
  start: number,
  end: number,
): Omit<QuotedRow, 'group'> {
  const first = cells.findIndex((cell) => cell !== '');
  const name = first >= 0 && !(first > 0 && VALUE.test(cells[first] ?? '')) ? first : 0;
  const row = cells[name] ?? '';
  let at = 0;
  const places = line.split(' | ').map((cell) => {
    const from = at;
    at += cell.length + ' | '.length;
    return { from, to: from + cell.length };
  });
  const covered = cells.flatMap((value, column) => {
    const place = places[column];
    if (column <= name || value === '' || !place || place.to <= start || place.from >= end) return [];
    const named = header[column] ?? '';
    return [{ column: named, value, unit: unitOf(value, named, row) }];
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
