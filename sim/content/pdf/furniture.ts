import { SIMULATED } from '../paper.ts';
import type { Paper } from '../paper.ts';
import { OWN_JOURNAL } from '../references.ts';
import type { FlowPage, Placed } from './flow.ts';
import { drawLine, setLine } from './lines.ts';
import type { Setting } from './lines.ts';
import type { Style } from './style.ts';
import { imprint, runningAuthors, shortTitle } from './title-block.ts';

/** A laid-out page: what is drawn, and what it means, furniture apart. */
export interface ComposedPage extends FlowPage {
  readonly headers: readonly Placed[];
  readonly footers: readonly Placed[];
}

/** Puts on what every page has: the imprint or a running head above, the notice and the page number below. */
export function furnish(paper: Paper, style: Style, page: FlowPage, number: number): ComposedPage {
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
    const line = setLine(value, setting, style);
    ops.push(drawLine(line, { x: side, y, width: width - 2 * side }, setting, align));
    const slack = width - 2 * side - line.width;
    const left = side + (align === 'left' ? 0 : align === 'centre' ? slack / 2 : slack);
    const box = { left, top: y - 6, right: left + line.width, bottom: y + 2 };
    return { draft: { kind, text: value }, regions: [{ page: number, box }] };
  };
  const journal = paper.spec.journal ?? OWN_JOURNAL;
  const headers: Placed[] = [];
  if (number === 1) headers.push(put('page_header', imprint(paper, journal), top - 26, 'left'));
  else if (style.runningHeads) {
    const odd = number % 2 === 1;
    headers.push(put('page_header', odd ? shortTitle(paper.spec.title) : runningAuthors(paper), top - 28, 'left'));
    headers.push(put('page_header', odd ? runningAuthors(paper) : journal, top - 28, 'right'));
    ops.push({
      kind: 'path',
      points: [
        [side, top - 22],
        [width - side, top - 22],
      ],
      width: 0.4,
      grey: 0,
    });
  }
  const y = height - bottom + 30;
  const pageNumber = style.runningHeads ? String(paper.firstPage + number - 1) : String(number);
  const footers = [
    put('page_footer', `${SIMULATED}, ${paper.spec.workId}`, y, 'left'),
    put('page_footer', pageNumber, y, style.runningHeads ? 'right' : 'centre'),
  ];
  return { ...page, ops, headers, footers };
}
