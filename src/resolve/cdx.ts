/** A capture in the Wayback Machine. */
export interface Capture {
  readonly timestamp: string;
  readonly original: string;
  readonly mimetype: string;
  readonly status: string;
}

const COLUMNS = ['urlkey', 'timestamp', 'original', 'mimetype', 'statuscode', 'digest', 'length'];

/**
 * Parses both forms of the index: JSON, whose first row names the columns, and text with fixed columns. An empty
 * response is an empty list; undefined means another format.
 */
export function readCdx(text: string): Capture[] | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('[')) {
    const captures = trimmed.split('\n').flatMap((line) => capture(COLUMNS, line.split(' ')));
    return captures.length === 0 && trimmed !== '' ? undefined : captures;
  }
  let rows: unknown;
  try {
    rows = JSON.parse(trimmed);
  } catch {
    return undefined;
  }
  if (!Array.isArray(rows)) return undefined;
  const [header, ...rest] = rows as unknown[];
  if (header === undefined) return [];
  if (!isRow(header) || !header.includes('timestamp')) return undefined;
  return rest.flatMap((row) => (isRow(row) ? capture(header, row) : []));
}

function isRow(row: unknown): row is string[] {
  return Array.isArray(row) && row.every((cell) => typeof cell === 'string');
}

function capture(columns: readonly string[], cells: readonly string[]): Capture[] {
  const cell = (name: string): string => cells[columns.indexOf(name)] ?? '';
  const timestamp = cell('timestamp');
  if (!/^\d{14}$/.test(timestamp)) return [];
  return [{ timestamp, original: cell('original'), mimetype: cell('mimetype'), status: cell('statuscode') }];
}
