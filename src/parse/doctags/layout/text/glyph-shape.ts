/** A part of a glyph's outline: a closed run of corners, curves flattened, in ems from the pen's place, y upwards. */
export type Contour = readonly (readonly [x: number, y: number])[];

/** What a glyph looks like: how its ink is spread over its box, and where the box is, in ems. */
export interface GlyphShape {
  /** Ink in the cells of its box, row by row, with mean 0 and length 1. */
  readonly cells: Float32Array;
  readonly width: number;
  readonly top: number;
  readonly bottom: number;
}

/** Cells in a row of a shape, and lines that are looked at in each. */
const SIDE = 12;
const LINES = 4;

/** The shape that contours fill; undefined if nothing is drawn. */
export function shapeOf(contours: readonly Contour[]): GlyphShape | undefined {
  const points = contours.flat();
  if (points.length < 3) return undefined;
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [left, right, bottom, top] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  if (!(right > left && top > bottom)) return undefined;
  const cells = new Float32Array(SIDE * SIDE);
  for (let line = 0; line < SIDE * LINES; line += 1) {
    const y = bottom + ((line + 0.5) * (top - bottom)) / (SIDE * LINES);
    for (const [from, to] of filledAt(contours, y)) {
      const row = Math.floor(line / LINES) * SIDE;
      spread(cells, row, ((from - left) / (right - left)) * SIDE, ((to - left) / (right - left)) * SIDE);
    }
  }
  return { cells: normalised(blurred(cells)), width: right - left, top, bottom };
}

/** The stretches of a line that are inside, by the direction in which edges cross it. */
function filledAt(contours: readonly Contour[], y: number): (readonly [from: number, to: number])[] {
  const crossings: { readonly x: number; readonly up: number }[] = [];
  for (const contour of contours)
    contour.forEach(([x1, y1], index) => {
      const [x2 = 0, y2 = 0] = contour[(index + 1) % contour.length] ?? [];
      if (y1 <= y === y2 <= y) return;
      crossings.push({ x: x1 + ((y - y1) / (y2 - y1)) * (x2 - x1), up: y2 > y1 ? 1 : -1 });
    });
  crossings.sort((a, b) => a.x - b.x);
  const stretches: (readonly [number, number])[] = [];
  let [winding, start] = [0, 0];
  for (const { x, up } of crossings) {
    if (winding === 0) start = x;
    winding += up;
    if (winding === 0) stretches.push([start, x]);
  }
  return stretches;
}

function spread(cells: Float32Array, row: number, from: number, to: number): void {
  for (let cell = Math.floor(from); cell < Math.min(SIDE, to); cell += 1)
    cells[row + cell] = (cells[row + cell] ?? 0) + Math.max(0, Math.min(to, cell + 1) - Math.max(from, cell)) / LINES;
}

/** Strokes of two faces lie beside each other by less than a cell. */
function blurred(cells: Float32Array): Float32Array {
  return cells.map((_, at) => {
    const [column, row] = [at % SIDE, Math.floor(at / SIDE)];
    let sum = 0;
    for (let y = Math.max(0, row - 1); y <= Math.min(SIDE - 1, row + 1); y += 1)
      for (let x = Math.max(0, column - 1); x <= Math.min(SIDE - 1, column + 1); x += 1)
        sum += (cells[y * SIDE + x] ?? 0) * (x === column && y === row ? 2 : 1);
    return sum;
  });
}

function normalised(cells: Float32Array): Float32Array {
  const mean = cells.reduce((sum, value) => sum + value, 0) / cells.length;
  const length = Math.sqrt(cells.reduce((sum, value) => sum + (value - mean) ** 2, 0));
  return cells.map((value) => (value - mean) / (length || 1));
}

/** How far, in ems, the same sign may be higher in another face, and how much wider for its height. */
const SAME_HEIGHT = 0.25;
const SAME_FORM = 1.8;
const SAME_SIZE = 1.7;
/** Strokes may be thinner by more. */
const THIN = 0.15;

/** 0 to 1: how alike two glyphs look; 0 if one is clearly wider or flatter than the other, or not at its place. */
export function likeness(a: GlyphShape, b: GlyphShape, where: 'in place' | 'anywhere'): number {
  const [height, other] = [a.top - a.bottom, b.top - b.bottom];
  const isAway = Math.abs((a.top + a.bottom) / 2 - (b.top + b.bottom) / 2) > SAME_HEIGHT;
  const isResized = Math.max(height, other) > THIN && Math.max(height / other, other / height) > SAME_SIZE;
  if (where === 'in place' && (isAway || isResized)) return 0;
  const form = (shape: GlyphShape): number => shape.width / (shape.top - shape.bottom);
  const ratio = form(a) / form(b);
  if (ratio > SAME_FORM || ratio < 1 / SAME_FORM) return 0;
  const product = a.cells.reduce((sum, value, at) => sum + value * (b.cells[at] ?? 0), 0);
  return Math.max(0, product);
}
