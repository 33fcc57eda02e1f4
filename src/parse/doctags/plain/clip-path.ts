import type { Matrix } from '../engines/pdfium-geometry.ts';
import { mapBox } from '../engines/pdfium-geometry.ts';
import type { PdfValue } from './object-reader.ts';

/** A part of a page, of which y grows upwards. */
export interface Area {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

/** What text may reach beyond an area and still be seen, in points. */
const SLACK = 1;
const NOTHING: Area = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity };

/** Follows the paths that are drawn, by their bounds: some clip what comes after them. */
export class ClipPath {
  #bounds = NOTHING;
  #isClip = false;

  /** Takes an operator; answers the bounds of what is left to be seen, where a path ends that clips. */
  trace(operator: string, operands: readonly PdfValue[]): Area | undefined {
    switch (operator) {
      case 're': {
        const [x, y] = [numberAt(operands, 0), numberAt(operands, 1)];
        this.#reach([x, y, x + numberAt(operands, 2), y + numberAt(operands, 3)]);
        return undefined;
      }
      case 'm':
      case 'l':
      case 'c':
      case 'v':
      case 'y':
        this.#reach(operands);
        return undefined;
      case 'W':
      case 'W*':
        this.#isClip = true;
        return undefined;
      case 'n':
      case 'f':
      case 'F':
      case 'f*':
      case 'S':
      case 's':
      case 'B':
      case 'B*':
      case 'b':
      case 'b*':
        return this.#end();
      default:
        return undefined;
    }
  }

  #reach(points: readonly PdfValue[]): void {
    let { left, bottom, right, top } = this.#bounds;
    for (let at = 0; at + 1 < points.length; at += 2) {
      const [x, y] = [numberAt(points, at), numberAt(points, at + 1)];
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [bottom, top] = [Math.min(bottom, y), Math.max(top, y)];
    }
    this.#bounds = { left, bottom, right, top };
  }

  #end(): Area | undefined {
    const clip = this.#isClip ? this.#bounds : undefined;
    this.#bounds = NOTHING;
    this.#isClip = false;
    return clip;
  }
}

/** Where an area is seen, with a little more on each side. */
export function mapArea(map: Matrix, area: Area): Area {
  const { left, top, right, bottom } = mapBox(map, area.left, area.bottom, area.right, area.top);
  // Of a box y grows downwards.
  return { left: left - SLACK, bottom: top - SLACK, right: right + SLACK, top: bottom + SLACK };
}

export function cut(a: Area, b: Area): Area {
  return {
    left: Math.max(a.left, b.left),
    bottom: Math.max(a.bottom, b.bottom),
    right: Math.min(a.right, b.right),
    top: Math.min(a.top, b.top),
  };
}

export function numberAt(operands: readonly PdfValue[], at: number): number {
  const value = operands[at];
  return typeof value === 'number' ? value : 0;
}
