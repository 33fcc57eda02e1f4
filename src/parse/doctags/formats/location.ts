import type { Box, Page } from '../../document.ts';

/** Positions are given on a grid of this many steps in each direction, whatever the page's size. */
export const GRID = 500;

/** A position on the grid, rounded as Python rounds (half to even) and kept inside. */
export function toGrid(coordinate: number, size: number): number {
  if (!(size > 0)) return 0;
  return Math.min(GRID - 1, Math.max(0, roundHalfEven((GRID * coordinate) / size)));
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** The four tokens of a box: left, top, right, bottom. */
export function locationTokens(box: Box, page: Page): string {
  return [
    toGrid(box.left, page.width),
    toGrid(box.top, page.height),
    toGrid(box.right, page.width),
    toGrid(box.bottom, page.height),
  ]
    .map((value) => `<loc_${value}>`)
    .join('');
}

/** The box that four grid positions describe on a page. */
export function boxFromGrid(
  [left = 0, top = 0, right = 0, bottom = 0]: readonly number[],
  page: { readonly width: number; readonly height: number },
): Box {
  return {
    left: (left * page.width) / GRID,
    top: (top * page.height) / GRID,
    right: (right * page.width) / GRID,
    bottom: (bottom * page.height) / GRID,
  };
}
