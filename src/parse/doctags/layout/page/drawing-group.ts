import type { Box } from '../../../document.ts';
import { unionBox } from './box.ts';
import type { Drawing, PageContent } from './page-content.ts';

/** Side of a raster cell, in points: parts of one drawing are closer than this. */
export const CELL = 6;

/** A page in cells: 1 where something is drawn. */
interface Raster {
  readonly columns: number;
  readonly rows: number;
  readonly cells: Uint8Array;
}

/** The boxes of drawings that touch each other or nearly do, each group as one. */
export function growTogether(page: PageContent, drawings: readonly Drawing[]): Box[] {
  const columns = Math.max(1, Math.ceil(page.width / CELL));
  const rows = Math.max(1, Math.ceil(page.height / CELL));
  if (columns * rows > 4_000_000) return [];
  const raster = { columns, rows, cells: new Uint8Array(columns * rows) };
  for (const { box } of drawings) paint(raster, box);
  const boxes: Box[] = [];
  for (let start = raster.cells.indexOf(1); start >= 0; start = raster.cells.indexOf(1, start + 1))
    boxes.push(exactBox(takeComponent(raster, start), drawings));
  return boxes;
}

function paint({ columns, rows, cells }: Raster, box: Box): void {
  const left = Math.max(0, Math.floor(box.left / CELL));
  const right = Math.min(columns - 1, Math.floor(box.right / CELL));
  const bottom = Math.min(rows - 1, Math.floor(box.bottom / CELL));
  if (left > right) return;
  for (let y = Math.max(0, Math.floor(box.top / CELL)); y <= bottom; y += 1)
    cells.fill(1, y * columns + left, y * columns + right + 1);
}

/** Empties a cell and all that are connected with it; the box around them, in cells. */
function takeComponent({ columns, rows, cells }: Raster, start: number): Box {
  const around = { left: columns, top: rows, right: 0, bottom: 0 };
  const stack = [start];
  cells[start] = 0;
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const x = at % columns;
    const y = (at - x) / columns;
    around.left = Math.min(around.left, x);
    around.top = Math.min(around.top, y);
    around.right = Math.max(around.right, x + 1);
    around.bottom = Math.max(around.bottom, y + 1);
    for (let ny = Math.max(0, y - 1); ny <= Math.min(rows - 1, y + 1); ny += 1)
      for (let nx = Math.max(0, x - 1); nx <= Math.min(columns - 1, x + 1); nx += 1) {
        if (cells[ny * columns + nx] !== 1) continue;
        cells[ny * columns + nx] = 0;
        stack.push(ny * columns + nx);
      }
  }
  return around;
}

/** The true extent of the drawings inside a raster component. */
function exactBox(cells: Box, drawings: readonly Drawing[]): Box {
  const coarse = {
    left: cells.left * CELL,
    top: cells.top * CELL,
    right: cells.right * CELL,
    bottom: cells.bottom * CELL,
  };
  const inside = drawings
    .filter(
      ({ box }) =>
        box.left >= coarse.left - 0.1 &&
        box.right <= coarse.right + 0.1 &&
        box.top >= coarse.top - 0.1 &&
        box.bottom <= coarse.bottom + 0.1,
    )
    .map(({ box }) => box);
  return inside.length > 0 ? unionBox(inside) : coarse;
}
