import type { Figure } from '../paper.ts';
import { stream } from '../random.ts';
import { drawLine, rule, setLine } from './lines.ts';
import type { Op, Rectangle, Setting } from './lines.ts';
import type { Style } from './style.ts';

export function figureSize(figure: Figure, width: number): { readonly width: number; readonly height: number } {
  const shown = Math.min(width, 300);
  return { width: shown, height: shown * (figure.plot === 'picture' ? 0.5 : 0.58) };
}

/** Draws a figure with its top left corner at (x, y). */
export function drawFigure(figure: Figure, style: Style, at: Rectangle): Op[] {
  return figure.plot === 'picture' ? [drawPicture(figure, at)] : drawPlot(figure, style, at);
}

function drawPlot(figure: Figure, style: Style, at: Rectangle): Op[] {
  const ops: Op[] = [];
  const setting: Setting = { family: style.family === 'gentium' ? 'gentium' : 'helvetica', face: 'roman', size: 6.5 };
  const [left, right] = [at.x + 34, at.x + at.width - 8];
  const [top, bottom] = [at.y + 8, at.y + at.height - 26];
  const line = (points: readonly (readonly [number, number])[], width: number, grey = 0): void => {
    ops.push({ kind: 'path', points, width, grey });
  };
  const label = (text: string, x: number, y: number, width: number, align: 'centre' | 'right' | 'left'): void => {
    ops.push(drawLine(setLine(text, setting, style), { x, y, width }, setting, align));
  };
  line(
    [
      [left, top],
      [left, bottom],
      [right, bottom],
    ],
    0.7,
  );
  for (let tick = 0; tick <= 4; tick++) {
    const y = bottom - ((bottom - top) * tick) / 4;
    ops.push(rule(left - 3, y, left, y));
    label(String(tick * 25), left - 24, y + 2.2, 19, 'right');
  }
  const points = figure.series[0]?.length ?? 1;
  const across = (index: number): number => left + ((right - left) * (index + 0.5)) / points;
  const up = (value: number): number => bottom - (bottom - top) * value;
  for (let index = 0; index < points; index++) {
    ops.push(rule(across(index), bottom, across(index), bottom + 3));
    label(String(index + 1), across(index) - 10, bottom + 10, 20, 'centre');
  }
  figure.series.forEach((values, which) => {
    const grey = which * 0.3;
    if (figure.plot === 'bars') {
      const width = ((right - left) / points) * 0.6;
      for (const [index, value] of values.entries()) {
        const [x, y] = [across(index) - width / 2, up(value)];
        ops.push({ kind: 'area', x, y, width, height: bottom - y, grey: 0.45 });
      }
      return;
    }
    line(
      values.map((value, index) => [across(index), up(value)] as const),
      1,
      grey,
    );
    values.forEach((value, index) =>
      ops.push({ kind: 'area', x: across(index) - 1.6, y: up(value) - 1.6, width: 3.2, height: 3.2, grey }),
    );
  });
  label(`${figure.axes[0]} / ${figure.axes[1]}`, left, at.y + at.height - 4, right - left, 'centre');
  return ops;
}

/** A grey image with blobs and grain, like a micrograph. */
function drawPicture(figure: Figure, at: Rectangle): Op {
  const columns = 132;
  const rows = 66;
  const random = stream('picture', figure.caption, figure.number);
  const spots = Array.from({ length: 14 }, () => ({
    x: random.next() * columns,
    y: random.next() * rows,
    radius: 3 + random.next() * 12,
    depth: random.next() * 120 - 30,
  }));
  const pixels = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let value = 150;
      for (const spot of spots) {
        const distance = ((column - spot.x) ** 2 + (row - spot.y) ** 2) / spot.radius ** 2;
        if (distance < 1) value -= spot.depth * (1 - distance);
      }
      pixels[row * columns + column] = Math.max(0, Math.min(255, Math.round(value + random.next() * 24)));
    }
  }
  return { kind: 'picture', ...at, pixels, columns };
}
