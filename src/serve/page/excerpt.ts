import { analyse } from '../../parse/terms/index.ts';

const WINDOW_CHARS = 320;
/** A word, or a number with its decimals. */
export const PIECE = /([\p{L}\p{N}]+(?:[.,]\p{N}+)*)/gu;

/** Whether all terms of a piece are among these. */
export function isAmong(piece: string, terms: ReadonlySet<string>): boolean {
  const own = analyse(piece);
  return own.length > 0 && own.every((term) => terms.has(term));
}

/** Whether a passage is of a table, which it prints row by row; not if it is mostly sentences. */
export function isTable(text: string): boolean {
  const [rows, others] = [true, false].map((is) => text.split('\n').filter((line) => isRow(line) === is));
  return (rows?.length ?? 0) >= LEAST_ROWS && (rows?.join('').length ?? 0) >= (others?.join('').length ?? 0);
}

/** The part of a text with the most query words; of a table its caption, and the rows with the most, each on a line. */
export function excerpt(text: string, query: string): string {
  const terms = new Set(analyse(query));
  if (isTable(text)) return rowsOf(text.split('\n'), terms);
  if (text.length <= WINDOW_CHARS) return text;
  const hits = [...text.matchAll(PIECE)].filter(([word]) => isAmong(word, terms));
  let [best, from] = [0, 0];
  for (const first of hits) {
    const inside = hits.filter(({ index }) => index >= first.index && index < first.index + WINDOW_CHARS * 0.8);
    const distinct = new Set(inside.map(([word]) => word.toLowerCase())).size;
    if (distinct > best) [best, from] = [distinct, first.index];
  }
  const start = from < 60 ? 0 : text.lastIndexOf(' ', from - 40) + 1;
  const cut = text.slice(start, start + WINDOW_CHARS);
  const end = start + WINDOW_CHARS >= text.length ? cut : `${cut.slice(0, cut.lastIndexOf(' '))} …`;
  return `${start > 0 ? '… ' : ''}${end}`;
}

const LEAST_ROWS = 2;
const ROWS_SHOWN = 3;
const CAPTION_CHARS = 160;

/** Whether a line is a row of a table, as passages print them. */
function isRow(line: string): boolean {
  return line.includes(' | ');
}

function rowsOf(lines: readonly string[], terms: ReadonlySet<string>): string {
  const first = lines.findIndex(isRow);
  const caption = lines.slice(0, first).join(' ');
  const rows = lines.slice(first).filter((line) => line.trim() !== '');
  const has = (row: string): number => new Set(analyse(row).filter((term) => terms.has(term))).size;
  const best = rows
    .map((row, at) => ({ row, at, words: has(row) }))
    .toSorted((a, b) => b.words - a.words || a.at - b.at)
    .slice(0, ROWS_SHOWN)
    .toSorted((a, b) => a.at - b.at);
  const shown = best.map(({ row }) => {
    const cells = row.split('|').map((cell) => cell.trim());
    return cells
      .filter((cell) => cell !== '')
      .join(' | ')
      .slice(0, WINDOW_CHARS);
  });
  const short = caption.length > CAPTION_CHARS ? `${caption.slice(0, CAPTION_CHARS)} …` : caption;
  return [...(short === '' ? [] : [short]), ...shown, ...(rows.length > best.length ? ['…'] : [])].join('\n');
}
