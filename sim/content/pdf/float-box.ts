import type { Figure, Paper, TableFloat } from '../paper.ts';
import { drawFigure, figureSize } from './figure-box.ts';
import type { FloatItem, Flow } from './flow.ts';
import { breakLines, drawLine, setWords } from './lines.ts';
import type { Op, Setting } from './lines.ts';
import type { Style } from './style.ts';
import { setTable } from './table-box.ts';

export interface LayoutContext {
  readonly paper: Paper;
  readonly style: Style;
  readonly flow: Flow;
  readonly body: Setting;
}

/** A caption with a bold label; the caller draws it. */
function setCaption(
  { style, body }: LayoutContext,
  label: string,
  caption: string,
  width: number,
): { text: string; height: number; draw: (x: number, y: number) => Op[] } {
  const setting: Setting = { ...body, size: style.size * 0.88 };
  const name = style.manner === 'bar-captions' ? `${label.replace(/^Figure/, 'Fig.')} |` : `${label}.`;
  const bold = setWords([{ kind: 'text', text: name }], { ...setting, face: 'bold' }, { ...style, hyphenate: false });
  const lines = breakLines([...bold, ...setWords([{ kind: 'text', text: caption }], setting, style)], setting, width);
  const leading = setting.size * 1.2;
  return {
    text: `${name} ${caption}`,
    height: lines.length * leading,
    draw: (x, y) =>
      lines.map((line, index) => drawLine(line, { x, y: y + index * leading + leading * 0.76, width }, setting)),
  };
}

export function tableFloat(desk: LayoutContext, table: TableFloat): FloatItem {
  const { style, flow, paper } = desk;
  const wide = style.wideTables && style.columns > 1;
  const width = flow.width(wide);
  const caption = setCaption(desk, `${paper.labels.table} ${String(table.number)}`, table.caption, width);
  const box = setTable(table, style, width);
  const top = caption.height + 4;
  return {
    wide,
    height: top + box.height,
    draw: (x, y) => [...caption.draw(x, y), ...box.draw(x, y + top)],
    blocks: [
      {
        draft: { kind: 'caption', text: caption.text },
        box: { left: 0, top: 0, right: width, bottom: caption.height },
        owner: 1,
      },
      {
        draft: { kind: 'table', text: '', table: table.table },
        box: { left: 0, top, right: width, bottom: top + box.height },
      },
    ],
  };
}

export function figureFloat(desk: LayoutContext, figure: Figure): FloatItem {
  const { style, flow, paper } = desk;
  const width = flow.width(false);
  const size = figureSize(figure, width);
  const left = (width - size.width) / 2;
  const caption = setCaption(desk, `${paper.labels.figure} ${String(figure.number)}`, figure.caption, width);
  const top = size.height + 5;
  return {
    wide: false,
    height: top + caption.height,
    draw: (x, y) => [...drawFigure(figure, style, { x: x + left, y, ...size }), ...caption.draw(x, y + top)],
    blocks: [
      { draft: { kind: 'picture', text: '' }, box: { left, top: 0, right: left + size.width, bottom: size.height } },
      {
        draft: { kind: 'caption', text: caption.text },
        box: { left: 0, top, right: width, bottom: top + caption.height },
        owner: 0,
      },
    ],
  };
}
