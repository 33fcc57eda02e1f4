import type { Box } from '../../document.ts';
import type { Matrix, Library } from './pdfium-library.ts';
import { multiply } from './pdfium-library.ts';
import { bounds, FORM, MAX_NESTING, objectMatrix, TEXT, readClip } from './pdfium-objects.ts';
import { inkOf } from './pdfium-glyphs.ts';

/** A page in the engine, and limits on reading it. */
interface Source {
  readonly library: Library;
  readonly page: number;
  readonly matrix: Matrix;
  readonly width: number;
  readonly height: number;
  readonly maxCharacters: number;
  readonly maxObjects: number;
}

/** How far visible text may extend beyond its page or clip, in points. */
const SLACK = 1;

/**
 * The engine's words of a page, without positions; undefined if some may be invisible (no ink, white, clipped, rotated
 * page).
 */
export function readWords(source: Source): string | undefined {
  const { library, page, matrix, width, height, maxCharacters } = source;
  const reach = reachOf(source);
  const isUpright = matrix.b === 0 && matrix.c === 0;
  if (reach === 'unclear' || (reach === 'beyond' && !isUpright)) return undefined;
  const { call } = library;
  const textPage = call.FPDFText_LoadPage(page);
  if (textPage === 0) return '';
  try {
    const count = Math.min(maxCharacters, Math.max(0, call.FPDFText_CountChars(textPage)));
    // UTF-16, with a zero at the end.
    const buffer = call.malloc(2 * count + 2);
    if (buffer === 0) return undefined;
    try {
      const x = (shown: number): number => (shown - matrix.e) / matrix.a;
      const y = (shown: number): number => (shown - matrix.f) / matrix.d;
      const written =
        reach === 'inside'
          ? call.FPDFText_GetText(textPage, 0, count, buffer)
          : call.FPDFText_GetBoundedText(textPage, x(0), y(0), x(width), y(height), buffer, count + 1);
      const units = Math.max(0, Math.min(written, count));
      return Buffer.from(call.memory.buffer, buffer, 2 * units)
        .toString('utf16le')
        .replace(/\0$/, '');
    } finally {
      call.free(buffer);
    }
  } finally {
    call.FPDFText_ClosePage(textPage);
  }
}

/** Whether all text is visible and on the page, extends beyond the page, or this is unclear. */
type Reach = 'inside' | 'beyond' | 'unclear';

function reachOf({ library, page, matrix, width, height, maxObjects }: Source): Reach {
  const { call } = library;
  const whole: Box = { left: 0, top: 0, right: width, bottom: height };
  let left = maxObjects;
  let reach: Reach = 'inside';
  const walk = (count: number, get: (index: number) => number, map: Matrix, depth: number): void => {
    left -= count;
    if (left < 0 || depth > MAX_NESTING) reach = 'unclear';
    for (let index = 0; index < count && reach !== 'unclear'; index += 1) {
      const object = get(index);
      const type = object === 0 ? 0 : call.FPDFPageObj_GetType(object);
      if (type === TEXT) reach = farther(reach, reachOfText(library, object, map, whole));
      else if (type === FORM)
        walk(
          call.FPDFFormObj_CountObjects(object),
          (at) => call.FPDFFormObj_GetObject(object, at),
          multiply(map, objectMatrix(library, object)),
          depth + 1,
        );
    }
  };
  walk(call.FPDFPage_CountObjects(page), (at) => call.FPDFPage_GetObject(page, at), matrix, 0);
  return reach;
}

function reachOfText(library: Library, object: number, map: Matrix, whole: Box): Reach {
  const box = bounds(library, object, map);
  if (!box || inkOf(library, object) !== 'plain') return 'unclear';
  const clip = readClip(library, object, map);
  // Text beside the page is not visible anyway.
  if (clip && !isInside(cut(box, whole), clip)) return 'unclear';
  return isInside(box, whole) ? 'inside' : 'beyond';
}

function farther(a: Reach, b: Reach): Reach {
  return a === 'unclear' || b === 'unclear' ? 'unclear' : a === 'beyond' ? a : b;
}

function cut(box: Box, outer: Box): Box {
  return {
    left: Math.max(box.left, outer.left),
    top: Math.max(box.top, outer.top),
    right: Math.min(box.right, outer.right),
    bottom: Math.min(box.bottom, outer.bottom),
  };
}

function isInside(box: Box, outer: Box): boolean {
  return (
    box.left >= outer.left - SLACK &&
    box.right <= outer.right + SLACK &&
    box.top >= outer.top - SLACK &&
    box.bottom <= outer.bottom + SLACK
  );
}
