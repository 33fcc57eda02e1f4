import type { Box } from '../../document.ts';
import type { Drawing, Rule } from '../layout/page/page-content.ts';
import type { Matrix } from './pdfium-geometry.ts';
import { mapBox, multiply } from './pdfium-geometry.ts';
import type { Library } from './pdfium-library.ts';
import { isWhite } from './pdfium-paint.ts';

/** FPDFPageObj_GetType. */
export const TEXT = 1;
const PATH = 2;
const IMAGE = 3;
export const FORM = 5;
const MOVE_TO = 2;
const LINE_TO = 0;
/** A line thinner than this is a rule; tables and fractions use 0.4 to 2 points. */
const RULE_THICKNESS = 2.5;
const MIN_RULE = 4;
/** Paths with more segments are drawings, not rules; reading every segment would be slow. */
const MAX_SEGMENTS = 400;
/** Depth of nested forms that are read. */
export const MAX_NESTING = 8;

/** The form that contains an object, numbered on its page, and the matrix from the form to the page. */
export interface FormPlace {
  readonly form: number;
  readonly map: Matrix;
}

/** What is drawn on a page other than text. */
export interface PageObjects {
  readonly rules: Rule[];
  readonly drawings: Drawing[];
  /** The form of each text object, by the engine's pointers. */
  readonly formOf: Map<number, FormPlace>;
  readonly truncated: boolean;
}

/** Reads the objects of a page, including those in forms. */
export function readObjects(library: Library, page: number, matrix: Matrix, maxObjects: number): PageObjects {
  const { call } = library;
  const rules: Rule[] = [];
  const drawings: Drawing[] = [];
  const formOf = new Map<number, FormPlace>();
  let left = maxObjects;
  let forms = 0;

  const walk = (count: number, get: (index: number) => number, map: Matrix, form: number, depth: number): void => {
    const place = form >= 0 ? { form, map } : undefined;
    for (let index = 0; index < count && left > 0; index += 1) {
      left -= 1;
      const object = get(index);
      if (object === 0) continue;
      const type = call.FPDFPageObj_GetType(object);
      if (type === TEXT) {
        if (place) formOf.set(object, place);
      } else if (type === PATH) {
        readPath(library, object, { map, form, rules, drawings });
      } else if (type === IMAGE || type === FORM) {
        const box = bounds(library, object, map);
        if (!box) continue;
        const inside = type === FORM && form < 0 ? forms++ : form;
        drawings.push({ kind: type === FORM ? 'form' : 'image', box, form: inside });
        if (type === FORM && depth < MAX_NESTING)
          walk(
            call.FPDFFormObj_CountObjects(object),
            (at) => call.FPDFFormObj_GetObject(object, at),
            multiply(map, objectMatrix(library, object)),
            inside,
            depth + 1,
          );
      }
    }
  };
  walk(call.FPDFPage_CountObjects(page), (at) => call.FPDFPage_GetObject(page, at), matrix, -1, 0);
  return { rules, drawings, formOf, truncated: left <= 0 };
}

/** The box of an object on its page. */
export function bounds(library: Library, object: number, map: Matrix): Box | undefined {
  const { call, scratch } = library;
  if (call.FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12) !== 1) return undefined;
  const at = scratch >> 2;
  const { floats } = library;
  return mapBox(map, floats[at] ?? 0, floats[at + 1] ?? 0, floats[at + 2] ?? 0, floats[at + 3] ?? 0);
}

/** From an object's space to that of its container. */
export function objectMatrix(library: Library, object: number): Matrix {
  const { call, scratch } = library;
  if (call.FPDFPageObj_GetMatrix(object, scratch) !== 1) return { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 };
  const { floats } = library;
  const at = scratch >> 2;
  return {
    a: floats[at] as number,
    b: floats[at + 1] as number,
    c: floats[at + 2] as number,
    d: floats[at + 3] as number,
    e: floats[at + 4] as number,
    f: floats[at + 5] as number,
  };
}

interface PathTarget {
  readonly map: Matrix;
  readonly form: number;
  readonly rules: Rule[];
  readonly drawings: Drawing[];
}

function readPath(library: Library, object: number, target: PathTarget): void {
  const box = bounds(library, object, target.map);
  if (!box) return;
  const { call, scratch } = library;
  const width = box.right - box.left;
  const height = box.bottom - box.top;
  if (addRule(target.rules, box)) return;
  if (width < MIN_RULE && height < MIN_RULE) {
    target.drawings.push({ kind: 'path', box, form: target.form });
    return;
  }
  call.FPDFPath_GetDrawMode(object, scratch, scratch + 4);
  const fill = library.integers[scratch >> 2] !== 0;
  const stroke = library.integers[(scratch >> 2) + 1] !== 0;
  if (!fill && !stroke) return;
  const segments = call.FPDFPath_CountSegments(object);
  if (stroke && segments <= MAX_SEGMENTS && addEdges(library, object, segments, target)) return;
  if (fill && !stroke && isRectangle(segments)) {
    if (!isWhite(library, object)) target.drawings.push({ kind: 'fill', box, form: target.form });
    return;
  }
  target.drawings.push({ kind: 'path', box, form: target.form });
}

function isRectangle(segments: number): boolean {
  return segments >= 3 && segments <= 5;
}

function addRule(rules: Rule[], box: Box): boolean {
  const width = box.right - box.left;
  const height = box.bottom - box.top;
  if (height <= RULE_THICKNESS && width >= MIN_RULE && width > 2 * height) {
    rules.push({ direction: 'horizontal', box });
    return true;
  }
  if (width <= RULE_THICKNESS && height >= MIN_RULE && height > 2 * width) {
    rules.push({ direction: 'vertical', box });
    return true;
  }
  return false;
}

/** Adds the edges of a stroked path as rules; false if it has other than horizontal and vertical lines. */
function addEdges(library: Library, object: number, segments: number, target: PathTarget): boolean {
  const { call, scratch } = library;
  const map = multiply(target.map, objectMatrix(library, object));
  const edges: Box[] = [];
  let x = 0;
  let y = 0;
  let startX = 0;
  let startY = 0;
  for (let index = 0; index < segments; index += 1) {
    const segment = call.FPDFPath_GetPathSegment(object, index);
    const type = call.FPDFPathSegment_GetType(segment);
    if (type !== MOVE_TO && type !== LINE_TO) return false;
    call.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4);
    const rawX = library.floats[scratch >> 2] ?? 0;
    const rawY = library.floats[(scratch >> 2) + 1] ?? 0;
    const nextX = map.a * rawX + map.c * rawY + map.e;
    const nextY = map.b * rawX + map.d * rawY + map.f;
    if (type === MOVE_TO) {
      startX = nextX;
      startY = nextY;
    } else {
      if (Math.abs(nextX - x) > 0.5 && Math.abs(nextY - y) > 0.5) return false;
      edges.push({
        left: Math.min(x, nextX),
        right: Math.max(x, nextX),
        top: Math.min(y, nextY),
        bottom: Math.max(y, nextY),
      });
    }
    x = nextX;
    y = nextY;
  }
  if (segments >= 3 && Math.abs(x - startX) < 0.5 !== Math.abs(y - startY) < 0.5)
    edges.push({
      left: Math.min(x, startX),
      right: Math.max(x, startX),
      top: Math.min(y, startY),
      bottom: Math.max(y, startY),
    });
  for (const edge of edges) addRule(target.rules, edge);
  return true;
}
