import { SIMULATED } from '../paper.ts';
import type { Paper } from '../paper.ts';
import { OWN_JOURNAL } from '../references.ts';
import type { FlowPage, Placed } from './flow.ts';
import { breakLines, drawLine, rule, setWords } from './lines.ts';
import type { Op, Setting } from './lines.ts';
import type { Style } from './style.ts';
import { imprint, runningAuthors, shortTitle } from './title-block.ts';

/** A laid-out page: drawing operations and blocks, with headers and footers separate. */
export interface ComposedPage extends FlowPage {
  readonly headers: readonly Placed[];
  readonly footers: readonly Placed[];
}

const LINE = 9;

/** Duplicates the lines of a page as invisible text. */
function hiddenCopies(ops: readonly Op[]): Op[] {
  const lines = ops.filter((op) => op.kind === 'text').slice(0, 24);
  const ways = ['no-ink', 'white', 'clipped'] as const;
  return lines.map((op, index) => ({ ...op, x: op.x + 3, y: op.y + 4, hidden: ways[index % 3] ?? 'no-ink' }));
}

/** Adds page headers and footers: imprint or running head, copyright notice and page number. */
export function addHeadersAndFooters(paper: Paper, style: Style, page: FlowPage, number: number): ComposedPage {
  const setting: Setting = { family: style.headFamily, face: 'roman', size: 7.5 };
  const [width, height] = style.page;
  const { side, top, bottom } = style.margin;
  const ops = [...page.ops];
  const put = (
    kind: 'page_header' | 'page_footer',
    value: string,
    y: number,
    align: 'left' | 'centre' | 'right',
  ): Placed => {
    const room = width - 2 * side;
    const words = setWords([{ kind: 'text', text: value }], setting, { ...style, hyphenate: false });
    // Usually one line; a long DOI may need a second line above.
    const lines = breakLines(words, setting, room);
    const above = (lines.length - 1) * LINE;
    lines.forEach((line, index) => {
      ops.push(drawLine(line, { x: side, y: y - above + index * LINE, width: room }, setting, align));
    });
    const longest = Math.max(...lines.map((line) => line.width));
    const slack = room - longest;
    const left = side + (align === 'left' ? 0 : align === 'centre' ? slack / 2 : slack);
    const box = { left, top: y - above - 6, right: left + longest, bottom: y + 2 };
    return { draft: { kind, text: value }, regions: [{ page: number, box }] };
  };
  const journal = paper.spec.journal ?? OWN_JOURNAL;
  const headers: Placed[] = [];
  if (number === 1) headers.push(put('page_header', imprint(paper, journal), top - 26, 'left'));
  else if (style.runningHeads) {
    const odd = number % 2 === 1;
    headers.push(put('page_header', odd ? shortTitle(paper.spec.title) : runningAuthors(paper), top - 28, 'left'));
    headers.push(put('page_header', odd ? runningAuthors(paper) : shortTitle(journal, 48), top - 28, 'right'));
    ops.push(rule(side, top - 22, width - side, top - 22, 0.4));
  }
  if (style.manner === 'framed') {
    const [left, right, above, below] = [side - 16, width - side + 16, top - 18, height - bottom + 16];
    const corners = [
      [left, above],
      [right, above],
      [right, below],
      [left, below],
      [left, above],
    ] as const;
    ops.push({ kind: 'path', points: corners, width: 0.8, grey: 0 });
  }
  if (style.manner === 'hidden-text') ops.push(...hiddenCopies(page.ops));
  const y = height - bottom + 30;
  const pageNumber = style.runningHeads ? String(paper.firstPage + number - 1) : String(number);
  const footers = [
    put('page_footer', `${SIMULATED}, ${paper.spec.workId}`, y, 'left'),
    put('page_footer', pageNumber, y, style.runningHeads ? 'right' : 'centre'),
  ];
  return { ...page, ops, headers, footers };
}
