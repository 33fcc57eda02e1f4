import type { Box } from '../../document.ts';
import type { Library } from './pdfium-library.ts';

/** An affine map: x' = a·x + c·y + e, y' = b·x + d·y + f. */
export interface Matrix {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  readonly e: number;
  readonly f: number;
}

/** First `inner`, then `outer`. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  return {
    a: outer.a * inner.a + outer.c * inner.b,
    b: outer.b * inner.a + outer.d * inner.b,
    c: outer.a * inner.c + outer.c * inner.d,
    d: outer.b * inner.c + outer.d * inner.d,
    e: outer.a * inner.e + outer.c * inner.f + outer.e,
    f: outer.b * inner.e + outer.d * inner.f + outer.f,
  };
}

/** The bounding box of a mapped rectangle, given by two opposite corners. */
export function mapBox(m: Matrix, x0: number, y0: number, x1: number, y1: number): Box {
  const ax = m.a * x0 + m.c * y0 + m.e;
  const ay = m.b * x0 + m.d * y0 + m.f;
  const bx = m.a * x1 + m.c * y1 + m.e;
  const by = m.b * x1 + m.d * y1 + m.f;
  // The other two corners matter only for rotations other than quarter turns.
  if ((m.b === 0 && m.c === 0) || (m.a === 0 && m.d === 0))
    return { left: Math.min(ax, bx), top: Math.min(ay, by), right: Math.max(ax, bx), bottom: Math.max(ay, by) };
  const cx = m.a * x0 + m.c * y1 + m.e;
  const cy = m.b * x0 + m.d * y1 + m.f;
  const dx = m.a * x1 + m.c * y0 + m.e;
  const dy = m.b * x1 + m.d * y0 + m.f;
  return {
    left: Math.min(ax, bx, cx, dx),
    top: Math.min(ay, by, cy, dy),
    right: Math.max(ax, bx, cx, dx),
    bottom: Math.max(ay, by, cy, dy),
  };
}

/** Like `mapBox` for many rectangles, four numbers each: left, top, right and bottom. */
export function mapBoxes(m: Matrix, corners: Float32Array): Float64Array {
  const boxes = new Float64Array(corners.length);
  for (let at = 0; at < corners.length; at += 4) {
    const [x0, y0] = [corners[at] as number, corners[at + 1] as number];
    const box = mapBox(m, x0, y0, corners[at + 2] as number, corners[at + 3] as number);
    boxes[at] = box.left;
    boxes[at + 1] = box.top;
    boxes[at + 2] = box.right;
    boxes[at + 3] = box.bottom;
  }
  return boxes;
}

/** From the file's page space (crop box, rotation) to points from the shown page's top-left corner. */
export function pageMatrix(library: Library, page: number, width: number, height: number): Matrix {
  const { call, scratch } = library;
  // The engine returns whole device units: a large device preserves precision.
  const scale = 64;
  const far = 1000;
  const at = (x: number, y: number): readonly [number, number] => {
    call.FPDF_PageToDevice(
      page,
      0,
      0,
      Math.round(width * scale),
      Math.round(height * scale),
      0,
      x,
      y,
      scratch,
      scratch + 4,
    );
    const { integers } = library;
    return [(integers[scratch >> 2] ?? 0) / scale, (integers[(scratch >> 2) + 1] ?? 0) / scale];
  };
  const [e, f] = at(0, 0);
  const [ax, ay] = at(far, 0);
  const [cx, cy] = at(0, far);
  const unit = (value: number): number => (Math.abs(value) < 1e-3 ? 0 : value);
  return {
    a: unit((ax - e) / far),
    b: unit((ay - f) / far),
    c: unit((cx - e) / far),
    d: unit((cy - f) / far),
    e,
    f,
  };
}
