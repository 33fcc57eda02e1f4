import type { Band } from './band.ts';
import { medianSize } from './band.ts';
import type { Segment } from './segment.ts';

/** Lines over the gutter with a narrow column of notes beside them. */
export interface Sided {
  readonly main: readonly Segment[];
  readonly side: readonly Segment[];
}

/** Lines on both sides from which on they are two columns, and not a line with a label. */
const FEWEST_LINES = 3;
/** Ems that labels of entries do not exceed. */
const LABEL = 4;

/**
 * Puts bands together that alternate because a narrow column is beside lines over the gutter (editors and dates
 * beside an abstract): the lines are read first, then the column.
 */
export function besideSpanning(bands: readonly Band[]): (Band | Sided)[] {
  const result: (Band | Sided)[] = [];
  let rest = [...bands];
  while (rest.length > 0) {
    const found = sidedRun(rest);
    if (found) {
      result.push(found.sided);
      rest = found.rest;
      continue;
    }
    const [first, ...others] = rest;
    if (first) result.push(first);
    rest = others;
  }
  return result;
}

function sidedRun(bands: readonly Band[]): { sided: Sided; rest: Band[] } | undefined {
  const start = bands[0]?.spanning === true ? 0 : 1;
  const [lines] = bands.slice(start, start + 1);
  const size = medianSize(bands[1 - start]?.segments ?? []);
  if (!lines?.spanning || size === 0) return undefined;
  for (const left of [true, false]) {
    const edge = left
      ? Math.min(...lines.segments.map((segment) => segment.left))
      : Math.max(...lines.segments.map((segment) => segment.right));
    const isSide = (segment: Segment): boolean =>
      segment.glyphs.length > 0 &&
      Math.abs(segment.size - size) < 0.15 * size &&
      (left ? segment.right < edge - 0.5 * size : segment.left > edge + 0.5 * size);
    const start = Math.min(...lines.segments.map((segment) => segment.left));
    // A short last line begins where the others do.
    const isMain = (segment: Segment, spanning: boolean): boolean =>
      segment.glyphs.length > 0 &&
      (left ? segment.left > edge - 2 : segment.right < edge + 2) &&
      (spanning || Math.abs(segment.left - start) < 2.5 * segment.size);
    const found = take(bands, isSide, isMain);
    if (found && isBeside(found.sided)) return found;
  }
  return undefined;
}

/** As many bands from the start as hold nothing but lines and notes; of the last one what still does. */
function take(
  bands: readonly Band[],
  isSide: (segment: Segment) => boolean,
  isMain: (segment: Segment, spanning: boolean) => boolean,
): { sided: Sided; rest: Band[] } | undefined {
  const main: Segment[] = [];
  const side: Segment[] = [];
  for (const [index, band] of bands.entries()) {
    const end = band.segments.findIndex(
      (segment) => !isMain(segment, band.spanning) && (band.spanning || !isSide(segment)),
    );
    const own = end < 0 ? band.segments : band.segments.slice(0, end);
    for (const segment of own) (isMain(segment, band.spanning) ? main : side).push(segment);
    if (end < 0) continue;
    const left = { ...band, segments: band.segments.slice(end) };
    return { sided: { main, side }, rest: [left, ...bands.slice(index + 1)] };
  }
  return { sided: { main, side }, rest: [] };
}

/** Both have several lines at one height; at the side they are in smaller type, or more than labels. */
function isBeside({ main, side }: Sided): boolean {
  if (main.length < FEWEST_LINES || side.length < FEWEST_LINES) return false;
  const top = Math.min(...main.map((segment) => segment.top));
  const bottom = Math.max(...main.map((segment) => segment.bottom));
  const facing = side.filter((segment) => segment.bottom > top && segment.top < bottom);
  const words = facing.filter((segment) => segment.right - segment.left > LABEL * segment.size);
  const small = medianSize(side) < 0.97 * medianSize(main);
  return facing.length >= FEWEST_LINES && (small || words.length >= FEWEST_LINES + 1);
}
