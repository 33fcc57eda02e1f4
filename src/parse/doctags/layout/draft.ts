import type { Block, Box, Region, Table } from '../../document.ts';
import { unionBox } from './page/box.ts';
import type { Line } from './page/line.ts';

/** A block while it is being recognised. */
export interface Draft {
  kind: Block['kind'];
  lines: Line[];
  readonly page: number;
  /** Counts the column pieces of the document: drafts with one number are in one column, below each other. */
  piece: number;
  box: Box;
  level?: number;
  table?: Table;
  /** Letters and digits of a table by page: a repeated head of its next part is not in the table itself. */
  letters?: ReadonlyMap<number, number>;
  /** Text that is in no line (sideways text). */
  text?: string;
  /** Where the list marker or reference label ends in the text. */
  marker?: string;
  ordered?: boolean;
  depth?: number;
  /** The draft a caption or footnote belongs to. */
  owner?: Draft;
  /** Pages and boxes, when the draft is joined from several places. */
  regions?: Region[];
}

export function draftOf(kind: Block['kind'], lines: Line[], piece: number): Draft {
  const [first] = lines;
  if (!first) throw new RangeError('a draft needs a line');
  return { kind, lines, page: first.page, piece, box: unionBox(lines) };
}

/** One region per run of lines on one page and in one column. */
export function regionsOf(draft: Draft): Region[] {
  if (draft.regions) return draft.regions;
  if (draft.lines.length === 0) return [{ page: draft.page, box: draft.box }];
  const regions: Region[] = [];
  let run: Line[] = [];
  for (const line of draft.lines) {
    const last = run.at(-1);
    if (last && (last.page !== line.page || last.column !== line.column)) {
      regions.push({ page: last.page, box: unionBox(run) });
      run = [];
    }
    run.push(line);
  }
  const last = run.at(-1);
  if (last) regions.push({ page: last.page, box: unionBox(run) });
  return regions;
}
