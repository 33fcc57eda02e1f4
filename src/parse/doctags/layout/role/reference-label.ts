import type { Line } from '../page/segment.ts';

/** A label in brackets: "[12]", "[Smi 99]". */
export const BRACKET = /^\[([^\]\s]{1,14}(?:\s[^\]]{1,10})?)\]/u;
/** Where numbers end at one edge, the longest touch their text: "10.Wick EC". */
const NUMBER = /^\(?(\d{1,3})(?:[.)]?(?:\s|$)|\.(?=\p{Lu}))/u;

/** Numbers that may be missing from a list: a label that was not read. */
export const SKIPPED = 2;

/** The label that a line begins with. */
export function labelOf(line: Line): string | undefined {
  return BRACKET.exec(line.text)?.[1] ?? NUMBER.exec(line.text)?.[1];
}

/** Which lines begin an entry by their labels, counted from `first` on; undefined if entries have none. */
export function labelledStarts(lines: readonly Line[], first: number): boolean[] | undefined {
  const bracketed = lines.map((line) => BRACKET.test(line.text));
  if (bracketed.filter(Boolean).length >= 2 && bracketed[0]) return bracketed;
  return runningNumbers(lines, first);
}

/** Numbers at line starts that count up; a few may be missing where lines at the same edge continue counting. */
function runningNumbers(lines: readonly Line[], first: number): boolean[] | undefined {
  let last = first - 1;
  let count = 0;
  const edges = new Map<unknown, number>();
  const starts = lines.map((line) => {
    const number = Number(NUMBER.exec(line.text)?.[1] ?? Number.NaN);
    const edge = edges.get(line.column);
    const atEdge = edge === undefined || Math.abs(line.left - edge) < 1.2 * line.size;
    if (number !== last + 1 && !(number > last && number <= last + 1 + SKIPPED && atEdge && count > 2)) return false;
    edges.set(line.column, line.left);
    last = number;
    count += 1;
    return true;
  });
  return (count > 2 || (first > 1 && count > 0)) && starts[0] === true ? starts : undefined;
}
