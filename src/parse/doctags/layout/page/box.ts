import type { Box } from '../../../document.ts';

export type Extent = Pick<Box, 'left' | 'right'>;

/** The smallest box around all of them; there must be at least one. */
export function unionBox(boxes: Iterable<Box>): Box {
  let left = Infinity;
  let top = Infinity;
  let right = -Infinity;
  let bottom = -Infinity;
  for (const box of boxes) {
    if (box.left < left) left = box.left;
    if (box.top < top) top = box.top;
    if (box.right > right) right = box.right;
    if (box.bottom > bottom) bottom = box.bottom;
  }
  return { left, top, right, bottom };
}

/** What two boxes share; it has no area when they are apart. */
export function intersection(a: Box, b: Box): Box {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

export function widthOf({ left, right }: Extent): number {
  return right - left;
}

export function heightOf({ top, bottom }: Pick<Box, 'top' | 'bottom'>): number {
  return bottom - top;
}

export function areaOf(box: Box): number {
  return Math.max(0, widthOf(box)) * Math.max(0, heightOf(box));
}

/** Length shared by two intervals, negative when they are apart. */
export function overlap(a0: number, a1: number, b0: number, b1: number): number {
  return Math.min(a1, b1) - Math.max(a0, b0);
}

export function overlapX(a: Extent, b: Extent): number {
  return overlap(a.left, a.right, b.left, b.right);
}

export function overlapY(a: Box, b: Box): number {
  return overlap(a.top, a.bottom, b.top, b.bottom);
}

export function shareInside(inner: Box, outer: Box): number {
  const width = overlapX(inner, outer);
  const height = overlapY(inner, outer);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / Math.max(1e-6, areaOf(inner));
}

export function touches(a: Box, b: Box, slack: number): boolean {
  return overlapX(a, b) >= -slack && overlapY(a, b) >= -slack;
}

/** The boxes around groups of boxes that touch each other, however many are between them. */
export function mergeTouching(boxes: Iterable<Box>, slack: number): Box[] {
  const groups: Box[] = [];
  for (const box of boxes) {
    let whole = box;
    // A group that has grown may touch one that was passed.
    for (let at = groups.length - 1; at >= 0; at -= 1) {
      const group = groups[at];
      if (!group || !touches(group, whole, slack)) continue;
      groups.splice(at, 1);
      whole = unionBox([group, whole]);
      at = groups.length;
    }
    groups.push(whole);
  }
  return groups;
}

/** Joins each box to those before it to which it belongs, and so these with each other. */
export function joinBoxes(boxes: readonly Box[], belongs: (host: Box, box: Box) => boolean): Box[] {
  const result: Box[] = [];
  for (const box of boxes) {
    const [first, ...more] = result.filter((host) => belongs(host, box));
    if (!first) {
      result.push(box);
      continue;
    }
    result[result.indexOf(first)] = unionBox([first, ...more, box]);
    for (const other of more) result.splice(result.indexOf(other), 1);
  }
  return result;
}
