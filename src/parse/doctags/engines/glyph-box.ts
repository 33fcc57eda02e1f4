import type { Box } from '../../document.ts';

/** Where the pen stood, how far it moved, and which way the text runs. */
interface Step {
  readonly x: number;
  readonly y: number;
  readonly advance: number;
  readonly turn: number;
}

/**
 * The box of a letter holds all of its ink, and that of an f or an italic letter reaches over the space after it: how far
 * the pen moves tells where the letter ends. Type that is set wider or narrower than the font says stays as it is.
 */
export function endsAtPen(length: number, advance: number): boolean {
  return !(advance <= 0.4 * length || advance >= 1.2 * length);
}

/** The box of a letter in turned text, as far as the pen moves. */
export function glyphBox(box: Box, { x, y, advance, turn }: Step): Box {
  const length = turn === 2 ? box.right - box.left : box.bottom - box.top;
  if (turn < 0 || !endsAtPen(length, advance)) return box;
  if (turn === 1) return { ...box, top: Math.max(y, box.top), bottom: Math.min(y + advance, box.bottom) };
  if (turn === 2) return { ...box, left: Math.max(x - advance, box.left), right: Math.min(x, box.right) };
  return { ...box, top: Math.max(y - advance, box.top), bottom: Math.min(y, box.bottom) };
}
