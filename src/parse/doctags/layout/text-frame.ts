import type { Box } from '../../document.ts';
import { shareInside } from './box.ts';
import { segmentLabel } from './caption.ts';
import type { Drawing } from './page-content.ts';
import type { Segment } from './segment.ts';
import { glyphsText } from './segment-text.ts';

/** Side of a bullet or icon, in points, at most. */
const SIGN_SIDE = 18;
/** Shapes that a box with a title may be drawn of. */
const FRAME_SHAPES = 6;
/** Words of a line that is no label. */
const LINE_WORDS = 5;

/** A box round text ("Key points", a definition): drawn of a few shapes as wide as itself, with sentences in it. */
export function isFrame(box: Box, drawings: readonly Drawing[], segments: readonly Segment[]): boolean {
  const shapes = drawings.filter((drawing) => shareInside(drawing.box, box) > 0.9 && !isBulletSized(drawing.box));
  const wide = shapes.every(
    (drawing) => drawing.kind === 'path' && drawing.box.right - drawing.box.left > 0.9 * (box.right - box.left),
  );
  if (shapes.length === 0 || shapes.length > FRAME_SHAPES || !wide) return false;
  const inside = segments.filter((segment) => shareInside(segment, box) > 0.6 && segmentLabel(segment) === undefined);
  return inside.some(
    ({ glyphs, size, baseline }) => glyphsText(glyphs, size, baseline).split(/\s+/u).length >= LINE_WORDS,
  );
}

function isBulletSized(box: Box): boolean {
  return box.right - box.left < SIGN_SIDE && box.bottom - box.top < SIGN_SIDE;
}
