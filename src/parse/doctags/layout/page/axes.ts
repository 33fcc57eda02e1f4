import type { Box } from '../../../document.ts';
import { unionBox } from './box.ts';
import type { Rule } from './page-content.ts';

/** The least length of an axis and the greatest of a tick, in points. */
const AXIS = 30;
const TICK = 9;
/** How far apart lines that meet may end. */
const MEETS = 2.5;
/** Pages with more long rules than this are forms or drawings of another kind. */
const MANY = 300;

/** Plots whose axes are plain rules: two that meet at a corner, with ticks along them. Tables have corners, but no ticks. */
export function findAxes(rules: readonly Rule[]): Box[] {
  const long = (direction: Rule['direction']): Box[] =>
    rules.filter((rule) => rule.direction === direction && lengthOf(rule) >= AXIS).map(({ box }) => box);
  const vertical = long('vertical');
  const horizontal = long('horizontal');
  if (vertical.length + horizontal.length > MANY) return [];
  const ticks = rules.filter((rule) => lengthOf(rule) <= TICK);
  const found: Box[] = [];
  for (const upright of vertical)
    for (const level of horizontal) {
      if (!isCorner(upright, level)) continue;
      const own = ticks.filter(({ direction, box }) =>
        direction === 'horizontal' ? sitsOnUpright(box, upright) : sitsOnLevel(box, level),
      );
      if (own.length >= 3) found.push(unionBox([upright, level, ...own.map(({ box }) => box)]));
    }
  return found;
}

function lengthOf({ direction, box }: Rule): number {
  return direction === 'horizontal' ? box.right - box.left : box.bottom - box.top;
}

function isCorner(upright: Box, level: Box): boolean {
  const x = Math.min(Math.abs(level.left - upright.left), Math.abs(level.right - upright.left));
  const y = Math.min(Math.abs(upright.bottom - level.top), Math.abs(upright.top - level.top));
  return x < MEETS && y < MEETS;
}

function sitsOnUpright(tick: Box, axis: Box): boolean {
  const touching = Math.min(Math.abs(tick.left - axis.left), Math.abs(tick.right - axis.left)) < MEETS;
  return touching && tick.top > axis.top - MEETS && tick.bottom < axis.bottom + MEETS;
}

function sitsOnLevel(tick: Box, axis: Box): boolean {
  const touching = Math.min(Math.abs(tick.top - axis.top), Math.abs(tick.bottom - axis.top)) < MEETS;
  return touching && tick.left > axis.left - MEETS && tick.right < axis.right + MEETS;
}
