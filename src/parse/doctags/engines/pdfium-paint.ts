import type { Matrix } from './pdfium-geometry.ts';
import type { Library } from './pdfium-library.ts';

/** The part of the page in which an object is visible, in points from the page's top-left corner. */
export interface Clip {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A clip with more paths or corners cannot be approximated by a box. */
const MAX_PATHS = 4;
const MAX_SEGMENTS = 8;

/** Whether an object is filled in the colour of paper or not at all. */
export function isWhite(library: Library, object: number): boolean {
  const { call, scratch } = library;
  if (call.FPDFPageObj_GetFillColor(object, scratch, scratch + 4, scratch + 8, scratch + 12) !== 1) return false;
  const at = scratch >> 2;
  const { integers } = library;
  const isOpaque = integers[at + 3] !== 0;
  return !isOpaque || (isPale(integers[at]) && isPale(integers[at + 1]) && isPale(integers[at + 2]));
}

function isPale(part = 0): boolean {
  return part >= 254;
}

/** The bounding box of an object's clip paths; undefined if nothing is clipped. */
export function readClip(library: Library, object: number, matrix: Matrix): Clip | undefined {
  const { call, scratch } = library;
  const path = call.FPDFPageObj_GetClipPath(object);
  if (path === 0) return undefined;
  const paths = call.FPDFClipPath_CountPaths(path);
  // A negative count means that there is no clip.
  if (paths <= 0 || paths > MAX_PATHS) return undefined;
  let clip: Clip = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
  for (let index = 0; index < paths; index += 1) {
    const segments = call.FPDFClipPath_CountPathSegments(path, index);
    if (segments < 3 || segments > MAX_SEGMENTS) return undefined;
    const xs: number[] = [];
    const ys: number[] = [];
    for (let at = 0; at < segments; at += 1) {
      const segment = call.FPDFClipPath_GetPathSegment(path, index, at);
      if (call.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4) !== 1) return undefined;
      const x = library.floats[scratch >> 2] ?? 0;
      const y = library.floats[(scratch >> 2) + 1] ?? 0;
      xs.push(matrix.a * x + matrix.c * y + matrix.e);
      ys.push(matrix.b * x + matrix.d * y + matrix.f);
    }
    clip = {
      left: Math.max(clip.left, Math.min(...xs)),
      top: Math.max(clip.top, Math.min(...ys)),
      right: Math.min(clip.right, Math.max(...xs)),
      bottom: Math.min(clip.bottom, Math.max(...ys)),
    };
  }
  return clip;
}
