import type { Box } from '../../document.ts';
import type { Drawing, Rule, Glyph } from '../layout/page/page-content.ts';
import type { Matrix, Library } from './pdfium-library.ts';
import { multiply, writtenBox, writtenMatrix, writtenPoint } from './pdfium-library.ts';
import { areaOf, intersection, heightOf, unionBox, widthOf } from '../layout/page/box.ts';

/** FPDFPageObj_GetType. */
const TEXT = 1;
const PATH = 2;
const IMAGE = 3;
const FORM = 5;
/** FPDFPageObjMark_GetParamValueType. */
const STRING = 3;
const MOVE_TO = 2;
const LINE_TO = 0;
/** A line thinner than this is a rule; tables and fractions use 0.4 to 2 points. */
const RULE_THICKNESS = 2.5;
const MIN_RULE = 4;
/** Paths with more segments are drawings, not rules; reading every segment would be slow. */
const MAX_SEGMENTS = 400;
const MAX_NESTING = 8;

/** The form that contains an object, numbered on its page, and the matrix from the form to the page. */
export interface FormPlace {
  readonly form: number;
  readonly map: Matrix;
}

interface PageObjects {
  readonly rules: Rule[];
  readonly drawings: Drawing[];
  /** The form of each text object, by the engine's pointers. */
  readonly formOf: Map<number, FormPlace>;
  /** Text objects that follow each other inside one marked content, by each of them. */
  readonly spanOf: Map<number, readonly number[]>;
  readonly truncated: boolean;
}

export function readObjects(library: Library, page: number, matrix: Matrix, maxObjects: number): PageObjects {
  const { call } = library;
  const rules: Rule[] = [];
  const drawings: Drawing[] = [];
  const formOf = new Map<number, FormPlace>();
  const spanOf = new Map<number, readonly number[]>();
  let span: { readonly mark: number; readonly members: number[] } = { mark: 0, members: [] };
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
        const mark = innermostMark(library, object);
        if (mark === 0 || mark !== span.mark) span = { mark, members: [] };
        span.members.push(object);
        if (span.members.length > 1) for (const member of span.members.slice(-2)) spanOf.set(member, span.members);
      } else if (type === PATH) {
        readPath(library, object, { map, form, rules, drawings });
      } else if (type === IMAGE || type === FORM) {
        const box = shownBox(library, object, map);
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
  return { rules, drawings: withoutImagesOfRules(drawings, rules), formOf, spanOf, truncated: left <= 0 };
}

/** How close, in points, strips of an image lie to each other. */
const STRIP_GAP = 0.3;

/**
 * Some writers draw the rules of a table as images; thin images that lie against each other are the strips of a scan.
 */
function withoutImagesOfRules(drawings: Drawing[], rules: Rule[]): Drawing[] {
  const strips = new Set<Box>();
  const images = drawings.filter(({ kind }) => kind === 'image').map(({ box }) => box);
  for (const column of Map.groupBy(images, ({ left, right }) => `${Math.round(left)} ${Math.round(right)}`).values()) {
    const sorted = column.toSorted((a, b) => a.top - b.top);
    sorted.forEach((box, index) => {
      const above = sorted[index - 1];
      if (above && Math.abs(box.top - above.bottom) < STRIP_GAP && widthOf(box) > heightOf(box))
        strips.add(above).add(box);
    });
  }
  return drawings.filter(({ kind, box }) => kind !== 'image' || strips.has(box) || !addRule(rules, box));
}

/** The engine's pointer to the innermost marked content around an object; 0 if there is none. */
function innermostMark({ call }: Library, object: number): number {
  const count = call.FPDFPageObj_CountMarks(object);
  return count > 0 ? call.FPDFPageObj_GetMark(object, count - 1) : 0;
}

/** Whether the file itself says which text the marked content around an object stands for. */
export function hasActualText(library: Library, object: number): boolean {
  const key = library.copyIn(new TextEncoder().encode('ActualText\0'));
  try {
    return library.call.FPDFPageObjMark_GetParamValueType(innermostMark(library, object), key) === STRING;
  } finally {
    library.call.free(key);
  }
}

/** Where some text objects are printed together, and the height of the line that the largest of them is on. */
export function placeTogether(library: Library, objects: readonly number[], map: Matrix): Placed | undefined {
  const placed = objects.flatMap((object) => {
    const box = bounds(library, object, map);
    return box ? [{ box, baseline: multiply(map, objectMatrix(library, object)).f }] : [];
  });
  if (placed.length < objects.length) return undefined;
  const largest = placed.reduce((best, each) => (areaOf(each.box) > areaOf(best.box) ? each : best));
  return { box: unionBox(placed.map(({ box }) => box)), baseline: largest.baseline };
}

/** A box and the height of the line it is on. */
export interface Placed {
  readonly box: Box;
  readonly baseline: number;
}

function bounds(library: Library, object: number, map: Matrix): Box | undefined {
  const { call, scratch } = library;
  const isKnown = call.FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12) === 1;
  return isKnown ? writtenBox(library, map) : undefined;
}

/** The part of an object's box that its clip shows: some writers fill the whole page through the outline of a cell. */
function shownBox(library: Library, object: number, map: Matrix): Box | undefined {
  const box = bounds(library, object, map);
  const clip = box && readClip(library, object, map);
  if (!clip) return box;
  const shown = intersection(box, clip);
  return shown.left < shown.right && shown.top < shown.bottom ? shown : undefined;
}

function objectMatrix(library: Library, object: number): Matrix {
  const { call, scratch } = library;
  const isKnown = call.FPDFPageObj_GetMatrix(object, scratch) === 1;
  return isKnown ? writtenMatrix(library) : { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 };
}

interface PathTarget {
  readonly map: Matrix;
  readonly form: number;
  readonly rules: Rule[];
  readonly drawings: Drawing[];
}

function readPath(library: Library, object: number, target: PathTarget): void {
  const box = shownBox(library, object, target.map);
  if (!box) return;
  const { call, scratch } = library;
  const width = widthOf(box);
  const height = heightOf(box);
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
  const isRectangle = segments >= 3 && segments <= 5;
  if (fill && !stroke && isRectangle) {
    if (!isWhite(library, object)) target.drawings.push({ kind: 'fill', box, form: target.form });
    return;
  }
  target.drawings.push({ kind: 'path', box, form: target.form });
}

function addRule(rules: Rule[], box: Box): boolean {
  const width = widthOf(box);
  const height = heightOf(box);
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
  let [x, y, startX, startY] = [0, 0, 0, 0];
  for (let index = 0; index < segments; index += 1) {
    const segment = call.FPDFPath_GetPathSegment(object, index);
    const type = call.FPDFPathSegment_GetType(segment);
    if (type !== MOVE_TO && type !== LINE_TO) return false;
    call.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4);
    const [nextX, nextY] = writtenPoint(library, map);
    if (type === MOVE_TO) [startX, startY] = [nextX, nextY];
    else {
      if (Math.abs(nextX - x) > 0.5 && Math.abs(nextY - y) > 0.5) return false;
      edges.push(boxAround([x, nextX], [y, nextY]));
    }
    [x, y] = [nextX, nextY];
  }
  if (segments >= 3 && Math.abs(x - startX) < 0.5 !== Math.abs(y - startY) < 0.5)
    edges.push(boxAround([x, startX], [y, startY]));
  const [only, ...others] = edges;
  const bar = only && others.length === 0 ? thickLine(library, object, only, map) : undefined;
  if (bar) target.drawings.push({ kind: 'fill', box: bar, form: target.form });
  else for (const edge of edges) addRule(target.rules, edge);
  return true;
}

/** What a line covers that is drawn so thick that it is a tinted box; undefined for other lines, and white ones. */
function thickLine(library: Library, object: number, edge: Box, { a, b, c, d }: Matrix): Box | undefined {
  const { call, scratch } = library;
  if (call.FPDFPageObj_GetStrokeWidth(object, scratch) !== 1) return undefined;
  const thickness = (library.floats[scratch >> 2] ?? 0) * Math.sqrt(Math.abs(a * d - b * c));
  if (thickness <= 2 * RULE_THICKNESS) return undefined;
  if (call.FPDFPageObj_GetStrokeColor(object, scratch, scratch + 4, scratch + 8, scratch + 12) !== 1) return undefined;
  if (isPaper(library)) return undefined;
  const [x, y] = widthOf(edge) > heightOf(edge) ? [0, thickness / 2] : [thickness / 2, 0];
  return { left: edge.left - x, right: edge.right + x, top: edge.top - y, bottom: edge.bottom + y };
}

function boxAround(xs: readonly number[], ys: readonly number[]): Box {
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

/** Paths of a clip that are read, and corners of each: the rest of a clip can only hide more. */
const MAX_PATHS = 8;
const MAX_CLIP_SEGMENTS = 100;

/** Whether an object is filled in the colour of paper or not at all. */
export function isWhite(library: Library, object: number): boolean {
  const { call, scratch } = library;
  if (call.FPDFPageObj_GetFillColor(object, scratch, scratch + 4, scratch + 8, scratch + 12) !== 1) return false;
  return isPaper(library);
}

/** Whether the colour that the engine has just written is that of paper, or transparent. */
function isPaper({ scratch, integers }: Library): boolean {
  const [red = 0, green = 0, blue = 0, alpha = 0] = integers.subarray(scratch >> 2, (scratch >> 2) + 4);
  return alpha === 0 || Math.min(red, green, blue) >= 254;
}

/** The bounding box of an object's clip paths; undefined if nothing is clipped. */
export function readClip(library: Library, object: number, matrix: Matrix): Box | undefined {
  const { call, scratch } = library;
  const path = call.FPDFPageObj_GetClipPath(object);
  if (path === 0) return undefined;
  const paths = call.FPDFClipPath_CountPaths(path);
  // A negative count means that there is no clip.
  if (paths <= 0) return undefined;
  let clip: Box = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
  for (let index = 0; index < Math.min(paths, MAX_PATHS); index += 1) {
    const segments = call.FPDFClipPath_CountPathSegments(path, index);
    if (segments < 3 || segments > MAX_CLIP_SEGMENTS) continue;
    const xs: number[] = [];
    const ys: number[] = [];
    for (let at = 0; at < segments; at += 1) {
      const segment = call.FPDFClipPath_GetPathSegment(path, index, at);
      if (call.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4) !== 1) return undefined;
      const [x, y] = writtenPoint(library, matrix);
      xs.push(x);
      ys.push(y);
    }
    clip = intersection(clip, boxAround(xs, ys));
  }
  return clip;
}

/** How text is drawn: without ink, in the colour of paper, or visibly. */
export type InkKind = 'plain' | 'white' | 'none';

/** If at least this share of a page's glyphs has no ink, they are the text layer of a scan. */
const LAYER_SHARE = 0.7;

/** Removes invisible text beside visible text, and text drawn twice. `starts`: the first glyphs of runs. */
export function withoutHidden(
  glyphs: readonly Glyph[],
  inks: readonly InkKind[] | undefined,
  drawings: readonly Drawing[],
  starts: readonly number[],
): readonly Glyph[] {
  // Whole runs are drawn twice, not letters: pages whose runs all start at different places are not searched.
  const isDouble = startsTwice(glyphs, starts);
  const seen = inks ? visible(glyphs, inks, drawings) : glyphs;
  return isDouble ? withoutCopies(seen) : seen;
}

function visible(glyphs: readonly Glyph[], inks: readonly InkKind[], drawings: readonly Drawing[]): readonly Glyph[] {
  const invisible = inks.filter((ink) => ink === 'none').length;
  const isLayer = invisible >= LAYER_SHARE * glyphs.length;
  return glyphs.filter((glyph, index) => {
    if (inks[index] === 'none') return isLayer;
    return inks[index] !== 'white' || drawings.some((drawing) => isUnder(drawing, glyph));
  });
}

/** White letters are visible on a tint, a picture or a drawing. */
function isUnder({ box }: Drawing, glyph: Glyph): boolean {
  const x = (glyph.left + glyph.right) / 2;
  const y = (glyph.top + glyph.bottom) / 2;
  return x >= box.left - 1 && x <= box.right + 1 && y >= box.top - 1 && y <= box.bottom + 1;
}

const CELL = 2;
const ROW = 65_536;

function startsTwice(glyphs: readonly Glyph[], starts: readonly number[]): boolean {
  const first = starts.map((start) => glyphs[start]).filter((glyph) => glyph !== undefined);
  return withoutCopies(first).length < first.length;
}

/** Bold is often made by drawing a letter twice; some files contain whole pages twice. */
function withoutCopies(glyphs: readonly Glyph[]): readonly Glyph[] {
  const cells = new Map<number, number>();
  let copies: Set<number> | undefined;
  glyphs.forEach((glyph, index) => {
    const row = Math.round(glyph.baseline / CELL) * ROW;
    const column = Math.round(glyph.x / CELL);
    for (let near = -1; near <= 1; near += 1) {
      const other = cells.get(row + column + near);
      if (other !== undefined && isCopy(glyphs[other], glyph)) {
        copies ??= new Set();
        copies.add(index);
        return;
      }
    }
    cells.set(row + column, index);
  });
  return copies ? glyphs.filter((_, index) => !copies?.has(index)) : glyphs;
}

function isCopy(first: Glyph | undefined, glyph: Glyph): boolean {
  return (
    first !== undefined &&
    first.text === glyph.text &&
    glyph.text !== '' &&
    Math.abs(first.x - glyph.x) < 0.08 * glyph.size &&
    Math.abs(first.baseline - glyph.baseline) < 0.08 * glyph.size &&
    Math.abs(first.size - glyph.size) < 0.1 * glyph.size
  );
}
