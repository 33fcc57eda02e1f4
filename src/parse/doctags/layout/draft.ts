import type { Block, Box, Region, Table } from '../../document.ts';
import { unionBox, widthOf } from './page/box.ts';
import type { Line } from './page/segment.ts';
import { withoutLetterspacing, joinTexts } from './text/glyph-text.ts';
import { quantile } from './statistics.ts';

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

const NOTHING: ReadonlySet<string> = new Set();

/** The text of a draft's lines as one string; code keeps its lines. */
export function textOf(draft: Draft, vocabulary: ReadonlySet<string> = NOTHING): string {
  if (draft.text !== undefined) return draft.text;
  const texts = draft.lines.map((line) => line.text);
  const [first] = draft.lines;
  if (draft.kind === 'footnote' && first) texts[0] = apartFromMark(first);
  if (draft.kind === 'caption') texts[0] = withoutLetterspacing(texts[0] ?? '');
  return draft.kind === 'code' ? codeText(draft) : joinTexts(texts, vocabulary);
}

function apartFromMark(line: Line): string {
  let length = 0;
  for (const glyph of line.glyphs) {
    if (glyph.size > 0.87 * line.size) break;
    length += glyph.text.length;
  }
  const mark = line.text.slice(0, length);
  return length > 0 && length < 4 && !/\s/.test(mark) ? `${mark} ${line.text.slice(length).trimStart()}` : line.text;
}

/** Code lines, with indentation rebuilt from the left edge in widths of the monospaced letters. */
function codeText(draft: Draft): string {
  const left = Math.min(...draft.lines.map((line) => line.left));
  const widths = draft.lines.flatMap((line) => line.glyphs.slice(0, 20).map(widthOf));
  const width = quantile(widths, 0.5) ?? 5;
  return draft.lines
    .map(
      (line) => ' '.repeat(Math.min(40, Math.max(0, Math.round((line.left - left) / Math.max(1, width))))) + line.text,
    )
    .join('\n');
}
