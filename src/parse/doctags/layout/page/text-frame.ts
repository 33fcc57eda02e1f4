import type { Box } from '../../../document.ts';
import { shareInside } from './box.ts';
import { segmentLabel } from '../role/caption.ts';
import type { Drawing } from './page-content.ts';
import type { Segment } from './segment.ts';

/** Side of a bullet or icon, in points, at most. */
const SIGN_SIDE = 18;
/** Shapes that a box with a title may be drawn of. */
const FRAME_SHAPES = 6;
/** Words of a line that is no label. */
const LINE_WORDS = 5;

/** A box round text ("Key points", a definition): drawn of a few shapes as wide as itself, with sentences in it. */
export function isFrame(box: Box, drawings: readonly Drawing[], segments: readonly Segment[]): boolean {
  // Few boxes hold a line of words; only these are compared with all that is drawn.
  const holdsLine = segments.some(
    (segment) =>
      shareInside(segment, box) > 0.6 &&
      segmentLabel(segment) === undefined &&
      segment.text.split(/\s+/u).length >= LINE_WORDS,
  );
  if (!holdsLine) return false;
  const shapes = drawings.filter((drawing) => shareInside(drawing.box, box) > 0.9 && !isBulletSized(drawing.box));
  return (
    shapes.length > 0 &&
    shapes.length <= FRAME_SHAPES &&
    shapes.every(
      (drawing) => drawing.kind === 'path' && drawing.box.right - drawing.box.left > 0.9 * (box.right - box.left),
    )
  );
}

function isBulletSized(box: Box): boolean {
  return box.right - box.left < SIGN_SIDE && box.bottom - box.top < SIGN_SIDE;
}
