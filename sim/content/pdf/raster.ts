import type { Glyph, Path } from 'fontkit';
import type { EmbeddedFont } from './embedded-font.ts';
import type { Op } from './op.ts';
import { bilevelPng } from './png.ts';
import type { Piece } from './typeface.ts';

const DOTS_PER_POINT = 110 / 72;

/** Renders a page as an image, like a bilevel office scanner. */
export function rasterPage([width, height]: readonly [number, number], ops: readonly Op[]): Buffer {
  const columns = Math.round(width * DOTS_PER_POINT);
  const rows = Math.round(height * DOTS_PER_POINT);
  const canvas: Canvas = {
    columns,
    rows,
    stride: Math.ceil(columns / 8),
    bits: new Uint8Array(Math.ceil(columns / 8) * rows).fill(0xff),
  };
  for (const op of ops) {
    switch (op.kind) {
      case 'text': {
        let { x } = op;
        for (const word of op.words) {
          for (const piece of word.pieces) {
            drawText(canvas, piece, x, op.y - piece.rise);
            x += piece.width;
          }
          x += op.gap;
        }
        break;
      }
      case 'path':
        op.points.slice(1).forEach((end, index) => drawStroke(canvas, op.points[index] ?? end, end, op.width));
        break;
      case 'area':
        fillArea(canvas, op.x, op.y, op.width, op.height, () => op.grey);
        break;
      case 'picture': {
        const count = op.pixels.length / op.columns;
        fillArea(canvas, op.x, op.y, op.width, op.height, (u, v) => {
          return (op.pixels[Math.floor(v * count) * op.columns + Math.floor(u * op.columns)] ?? 255) / 255;
        });
        break;
      }
    }
  }
  return bilevelPng(canvas.bits, columns);
}

interface Canvas {
  readonly columns: number;
  readonly rows: number;
  readonly stride: number;
  readonly bits: Uint8Array;
}

function blacken({ columns, rows, stride, bits }: Canvas, column: number, row: number): void {
  if (column < 0 || row < 0 || column >= columns || row >= rows) return;
  const index = row * stride + (column >> 3);
  bits[index] = (bits[index] ?? 0) & ~(0x80 >> (column & 7));
}

// Ordered 4 × 4 dithering for shades of grey.
const DITHER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

function fillArea(
  canvas: Canvas,
  ...[x, y, width, height, grey]: [number, number, number, number, (u: number, v: number) => number]
): void {
  const [left, top] = [Math.round(x * DOTS_PER_POINT), Math.round(y * DOTS_PER_POINT)];
  const [across, down] = [
    Math.max(1, Math.round(width * DOTS_PER_POINT)),
    Math.max(1, Math.round(height * DOTS_PER_POINT)),
  ];
  for (let row = 0; row < down; row++) {
    for (let column = 0; column < across; column++) {
      const limit = ((DITHER[(row & 3) * 4 + (column & 3)] ?? 0) + 0.5) / 16;
      if (grey(column / across, row / down) < limit) blacken(canvas, left + column, top + row);
    }
  }
}

function drawStroke(
  canvas: Canvas,
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  width: number,
): void {
  const steps = Math.max(1, Math.ceil(Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1)) * DOTS_PER_POINT));
  const thick = Math.max(1, Math.round(width * DOTS_PER_POINT));
  for (let step = 0; step <= steps; step++) {
    const column = Math.round((x1 + ((x2 - x1) * step) / steps) * DOTS_PER_POINT);
    const row = Math.round((y1 + ((y2 - y1) * step) / steps) * DOTS_PER_POINT);
    for (let more = 0; more < thick; more++)
      blacken(canvas, column + (y1 === y2 ? 0 : more), row + (y1 === y2 ? more : 0));
  }
}

/** Pixels of a glyph relative to its origin, as pairs of column and row. */
type Stamp = Int16Array;
const stamps = new Map<string, Stamp>();

function drawText(canvas: Canvas, { font, text, size }: Piece, x: number, y: number): void {
  if (!('outlines' in font)) throw new TypeError(`${font.name} has no outlines to draw`);
  const { outlines: open, run: layout } = font as EmbeddedFont;
  const outlines = open();
  const scale = (size * DOTS_PER_POINT) / outlines.unitsPerEm;
  const run = layout(text);
  const row = Math.round(y * DOTS_PER_POINT);
  let pen = x * DOTS_PER_POINT;
  run.glyphs.forEach((glyph, index) => {
    const key = `${font.name} ${String(glyph.id)} ${size.toFixed(2)}`;
    let stamp = stamps.get(key);
    if (!stamp) {
      stamp = fillGlyph(glyph, scale);
      stamps.set(key, stamp);
    }
    const column = Math.round(pen);
    for (let dot = 0; dot < stamp.length; dot += 2)
      blacken(canvas, column + (stamp[dot] ?? 0), row - (stamp[dot + 1] ?? 0));
    pen += (run.positions[index]?.xAdvance ?? glyph.advanceWidth) * scale;
  });
}

type Segment = readonly [number, number, number, number];

/** Fills an outline by the non-zero rule, sampling pixel centres. */
function fillGlyph(glyph: Glyph, scale: number): Stamp {
  const segments = flatten(glyph.path, scale);
  const dots: number[] = [];
  const ys = segments.flatMap(([, y1, , y2]) => [y1, y2]);
  for (let row = Math.floor(Math.min(...ys)); row <= Math.ceil(Math.max(...ys)); row++) {
    const middle = row + 0.5;
    const crossings = segments
      .filter(([, y1, , y2]) => y1 <= middle !== y2 <= middle)
      .map(([x1, y1, x2, y2]) => ({ x: x1 + ((middle - y1) / (y2 - y1)) * (x2 - x1), turn: y2 > y1 ? 1 : -1 }))
      .sort((a, b) => a.x - b.x);
    let winding = 0;
    crossings.forEach(({ x, turn }, index) => {
      winding += turn;
      const end = crossings[index + 1];
      if (winding === 0 || !end) return;
      // At least one pixel per stem, or hairlines would vanish.
      const last = Math.max(Math.round(x), Math.round(end.x) - 1);
      for (let column = Math.round(x); column <= last; column++) dots.push(column, row);
    });
  }
  return Int16Array.from(dots);
}

function flatten(path: Path, scale: number): Segment[] {
  const segments: Segment[] = [];
  let [x, y, startX, startY] = [0, 0, 0, 0];
  const line = (toX: number, toY: number): void => {
    if (toX !== x || toY !== y) segments.push([x * scale, y * scale, toX * scale, toY * scale]);
    [x, y] = [toX, toY];
  };
  for (const { command, args } of path.commands) {
    const [a = 0, b = 0, c = 0, d = 0] = args;
    switch (command) {
      case 'moveTo':
        line(startX, startY);
        [x, y, startX, startY] = [a, b, a, b];
        break;
      case 'lineTo':
        line(a, b);
        break;
      case 'quadraticCurveTo': {
        const [fromX, fromY] = [x, y];
        for (let step = 1; step <= 4; step++) {
          const t = step / 4;
          line(
            (1 - t) ** 2 * fromX + 2 * t * (1 - t) * a + t * t * c,
            (1 - t) ** 2 * fromY + 2 * t * (1 - t) * b + t * t * d,
          );
        }
        break;
      }
      case 'closePath':
        line(startX, startY);
        break;
      case 'bezierCurveTo':
        throw new TypeError('TrueType outlines have no cubic curves');
    }
  }
  return segments;
}
