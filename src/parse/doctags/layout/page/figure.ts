import type { Box } from '../../../document.ts';
import type { BodyType } from './column.ts';
import { segmentLabel } from '../role/caption.ts';
import { proseSegments, mainType, typeKey } from './page-view.ts';
import type { Extent } from './box.ts';
import {
  areaOf,
  mergeTouching,
  shareInside,
  touches,
  unionBox,
  overlap,
  heightOf,
  overlapX,
  overlapY,
  widthOf,
} from './box.ts';
import type { Glyph, PageContent, Rule, Drawing } from './page-content.ts';
import { holdsCells } from '../table/table-region.ts';
import { isNear, swallowsText } from './scan.ts';
import { countBy } from '../statistics.ts';
import type { Segment } from './segment.ts';
import { buildSegments } from './segment.ts';
import type { TurnedLine } from './furniture.ts';

const MIN_SIDE = 18;
/** The least width and height of a tint behind a row of cells, in points. */
const MIN_TINT = { width: 80, height: 6 };
/** Smaller drawings are icons. */
const ICON = 40;
/** Smaller type, relative to the body, is not used for captions. */
const SMALL = 0.8;
/** Type larger than this share of the body's is a title's. */
const LARGE = 1.25;
/** A drawing larger than this share of the page is a background or a scan. */
const BACKGROUND = 0.8;

export function findFigures(
  page: PageContent,
  segments: readonly Segment[],
  prose: ReadonlySet<Segment> = proseSegments(segments),
): Box[] {
  const pageArea = page.width * page.height;
  const drawings = page.drawings.filter(
    (drawing) =>
      drawing.kind !== 'fill' &&
      // A form's box may be far larger than what is drawn in it.
      drawing.kind !== 'form' &&
      areaOf(drawing.box) < BACKGROUND * pageArea &&
      drawing.box.right > 0 &&
      drawing.box.left < page.width,
  );
  for (const box of findAxes(page.rules)) drawings.push({ kind: 'path', box, form: -1 });
  if (page.drawings.length === 0 && drawings.length === 0) return [];
  const boxes = growTogether(drawings).filter((box) => widthOf(box) >= MIN_SIDE && heightOf(box) >= MIN_SIDE);
  const running = [...prose];
  const images = drawings.filter(({ kind }) => kind === 'image').map(({ box }) => box);
  const pictures = boxes.filter(
    (box) =>
      !isBackground(box, running) &&
      !isOfIcons(box, drawings, segments) &&
      !isFrame(box, drawings, segments) &&
      (images.some((image) => shareInside(image, box) > 0.9) || !isTableBackground(box, segments)),
  );
  const untinted = page.drawings.filter(
    ({ kind, box }) => kind !== 'path' || !isTint(box, segments) || !isTableBackground(box, segments),
  );
  return mergeTouching(
    [...pictures, ...captionedFigures({ ...page, drawings: untinted }, segments, pictures, prose)],
    1,
  );
}

/** As large as the tint behind a row, with several words printed on it. */
function isTint(box: Box, segments: readonly Segment[]): boolean {
  if (widthOf(box) < MIN_TINT.width || heightOf(box) < MIN_TINT.height) return false;
  let inside = 0;
  for (const segment of segments) if (shareInside(segment, box) > 0.6) inside += 1;
  return inside >= 2;
}

/** Running text is printed on it: a box or a tint behind text, a frame round the page. */
function isBackground(box: Box, prose: readonly Segment[]): boolean {
  return prose.filter((segment) => shareInside(segment, box) > 0.6).length >= 4;
}

/** Icons after words, such as ORCID's after names, merged only because their lines are close. */
function isOfIcons(box: Box, drawings: readonly Drawing[], segments: readonly Segment[]): boolean {
  const isAfter = (icon: Box, segment: Segment): boolean =>
    heightOf(icon) < 1.6 * segment.size &&
    heightOf(box) > 1.6 * segment.size &&
    icon.left > segment.right - 1 &&
    icon.left < segment.right + 1.5 * segment.size &&
    overlapY(icon, segment) > 0.5 * heightOf(icon);
  return drawings.every(
    ({ box: icon }) => shareInside(icon, box) < 0.9 || segments.some((segment) => isAfter(icon, segment)),
  );
}

/**
 * Tints and frames behind the rows of a table: its caption is next to it, or it holds rows of cells on a page of
 * tables.
 */
function isTableBackground(box: Box, segments: readonly Segment[]): boolean {
  const labels = segments.filter((segment) => segmentLabel(segment) !== undefined);
  const beside = labels.filter((segment) => isNear(segment, box));
  if (beside.length > 0) return beside.every((segment) => segmentLabel(segment) === 'table');
  // A caption may also be beside its table.
  const over = labels.filter((segment) => segment.right > box.left && segment.left < box.right);
  const nearest = (over.length > 0 ? over : labels).toSorted((a, b) => distanceTo(a, box) - distanceTo(b, box))[0];
  if (!nearest) return holdsTable(box, segments);
  if (segmentLabel(nearest) !== 'table') return false;
  return holdsCells(box, segments) || (distanceTo(nearest, box) === 0 && isTint(box, segments));
}

/**
 * Rows, cells in most of them, and the share of the box that words cover, from which on a drawing without a caption is
 * a table.
 */
const FEWEST_ROWS = 6;
const FEWEST_CELLS = 3;
const COVERED = 0.1;

/** On a page without captions: many rows of several cells that fill the drawing, where labels of a plot are sparse. */
function holdsTable(box: Box, segments: readonly Segment[]): boolean {
  const inside = segments.filter((segment) => shareInside(segment, box) > 0.6);
  const rows = [...Map.groupBy(inside, (segment) => Math.round(segment.baseline / 2)).values()];
  const cut = rows.filter((row) => row.length >= FEWEST_CELLS).length;
  const ink = inside.reduce((sum, segment) => sum + widthOf(segment) * segment.size, 0);
  return cut >= FEWEST_ROWS && cut >= 0.7 * rows.length && ink > COVERED * areaOf(box);
}

function distanceTo(segment: Segment, box: Box): number {
  return Math.max(0, box.top - segment.bottom, segment.top - box.bottom);
}

/** Glyphs that the file itself puts into a drawn form: they belong to the picture even where they stick out of it. */
export function figureGlyphs(page: PageContent): Set<Glyph> {
  const drawn = new Set(
    page.drawings.filter((drawing) => drawing.kind !== 'form' && drawing.form >= 0).map((drawing) => drawing.form),
  );
  if (drawn.size === 0 || formsHoldTheText(page)) return new Set();
  const byForm = Map.groupBy(page.glyphs, ({ form }) => (drawn.has(form) ? form : -1));
  const outside = byForm.get(-1) ?? [];
  byForm.delete(-1);
  return new Set([...byForm.values()].filter((glyphs) => !holdsText(page.number, glyphs, outside)).flat());
}

/** Fewer letters are no page of text. */
const FEWEST_LETTERS = 300;
/** The share of a form's letters in lines of running text from which on it holds a part of the page, not a drawing. */
const RUNNING = 0.4;

/**
 * Whether a form has the running text of its page: most of its own letters are in such lines, and more than outside it.
 */
function holdsText(page: number, glyphs: readonly Glyph[], outside: readonly Glyph[]): boolean {
  if (glyphs.length < FEWEST_LETTERS) return false;
  const running = runningLetters(page, glyphs);
  return running > RUNNING * glyphs.length && running > runningLetters(page, outside);
}

function runningLetters(page: number, glyphs: readonly Glyph[]): number {
  const upright = glyphs.filter(({ turn }) => turn === 0);
  const lines = [...proseSegments(buildSegments(page, upright))].filter(
    ({ text }) => text.split(/\s+/u).length >= LINE_WORDS,
  );
  return lines.reduce((sum, line) => sum + line.glyphs.length, 0);
}

/** Leaves out the labels printed on pictures; a caption or running text that lies on one's box `stays`. */
export function withoutLabels(
  segments: readonly Segment[],
  figures: readonly Box[],
  bodySize: number,
  stays: (segment: Segment) => boolean,
): Segment[] {
  if (figures.length === 0) return [...segments];
  const kept: Segment[] = [];
  for (const segment of segments) {
    const inside = figures.some((figure) => shareInside(segment, figure) > 0.5);
    const tiny = segment.size < SMALL * bodySize && !startsLabel(segment);
    if (!inside || stays(segment) || isDisplay(segment, bodySize) || (isRunningText(segment) && !tiny))
      kept.push(segment);
  }
  return kept;
}

/** The pictures of a page with the words printed on each, and what is drawn with pictures but lies on none. */
export interface PictureLabels {
  readonly texts: ReadonlyMap<Box, string>;
  readonly loose: readonly Segment[];
  readonly turned: readonly TurnedLine[];
}

/** How far, in ems, the name of an axis is from its picture. */
const LABEL_REACH = 2.5;

/** Assigns labels taken out of the text to pictures, so that no word is lost. */
export function labelPictures(
  pictures: readonly Box[],
  {
    text,
    labels,
    drawn,
    turned,
  }: {
    readonly text: readonly Segment[];
    readonly labels: readonly Segment[];
    readonly drawn: readonly Segment[];
    readonly turned: readonly TurnedLine[];
  },
): PictureLabels {
  const own = new Map<Box, (Box & { readonly text: string })[]>(pictures.map((picture) => [picture, []]));
  const give = (box: Box, text: string, reach: number): boolean => {
    const near = pictures.filter((picture) => touches(picture, box, reach));
    const best = near.toSorted((a, b) => shareInside(box, b) - shareInside(box, a))[0];
    if (best) own.get(best)?.push({ ...box, text });
    return best !== undefined;
  };
  for (const segment of labels) give(segment, segment.text, 0);
  const free = drawn.filter((segment) => !give(segment, segment.text, LABEL_REACH * segment.size));
  // A form of words and rules only is a picture too, unless it holds running text.
  const loose: Segment[] = [];
  for (const group of Map.groupBy(free, ({ glyphs }) => glyphs[0]?.form).values()) {
    const box = unionBox(group);
    if (swallowsText(box, [...group, ...text])) loose.push(...group);
    else own.set(box, [...group]);
  }
  const rest = turned.filter((line) => !give(line.box, line.text, LABEL_REACH * line.size));
  const texts = new Map(
    [...own].map(([picture, parts]) => [
      picture,
      parts
        .toSorted((a, b) => a.top - b.top || a.left - b.left)
        .map(({ text }) => text.trim())
        .join(' '),
    ]),
  );
  return { texts, loose, turned: rest };
}

/** A logo with the name of the journal is in the same place of several pages: its words are a running head. */
export function withoutRunningHeads(labels: ReadonlyMap<number, PictureLabels>): Map<number, PictureLabels> {
  const placeOf = (box: Box, text: string): string =>
    `${Math.round(box.top / 6)} ${Math.round(box.left / 6)} ${text.replace(/\d+/gu, '#')}`;
  const all = [...labels.values()].flatMap(({ texts }) => [...texts]).filter(([, text]) => text !== '');
  const pages = countBy(all, ([box, text]) => placeOf(box, text));
  return new Map(
    [...labels].map(([page, own]) => {
      const heads = [...own.texts].filter(([box, text]) => (pages.get(placeOf(box, text)) ?? 0) > 1);
      if (heads.length === 0) return [page, own];
      const texts = new Map(own.texts);
      for (const [box] of heads) texts.set(box, '');
      const turned = heads.map(([box, text]) => ({ text, box, size: heightOf(box), isStamp: true }));
      return [page, { ...own, texts, turned: [...own.turned, ...turned] }];
    }),
  );
}

/** Pictures together with the labels around them: axis numbers, legends, short text in another type than the body's. */
export function withSurroundings(
  figures: readonly Box[],
  segments: readonly Segment[],
  body: BodyType,
  rules: readonly Rule[],
): Box[] {
  const short = segments.filter(
    (segment) => widthOf(segment) < 14 * segment.size && !isRunningText(segment) && !isDisplay(segment, body.size),
  );
  const known = new Set(short);
  const small = segments.filter(
    (segment) => segment.size < SMALL * body.size && !known.has(segment) && !startsLabel(segment),
  );
  return figures.map((figure) => {
    let box = figure;
    // An icon or a logo has no labels round it.
    if (widthOf(figure) < ICON || heightOf(figure) < ICON) return box;
    // A long name of an axis: in smaller type than any caption, no wider than the drawing.
    const names = small.filter((segment) => segment.left > figure.left - 2 && segment.right < figure.right + 2);
    const free = new Set([...short, ...names]);
    for (let round = 0; round < 4; round += 1) {
      const near = [...free].filter((segment) => {
        const numeric = segment.glyphs.every((glyph) => /^[\p{N}.,−+×%–-]+$/u.test(glyph.text));
        const own = segment.font.name === body.font && Math.abs(segment.size - body.size) < 0.3;
        return (
          touches(segment, box, (numeric ? 1.5 : own ? -1 : 0.9) * segment.size) && !isRuledOff(segment, box, rules)
        );
      });
      if (near.length === 0) break;
      for (const segment of near) free.delete(segment);
      box = unionBox([box, ...near]);
    }
    return box;
  });
}

/**
 * Larger than the running text and longer than the letters and words on a drawing: a title that a logo or a banner
 * touches.
 */
function isDisplay(segment: Segment, bodySize: number): boolean {
  return segment.size > LARGE * bodySize && widthOf(segment) > 8 * segment.size;
}

function isRunningText(segment: Segment): boolean {
  return widthOf(segment) > 20 * segment.size || startsLabel(segment);
}

function startsLabel(segment: Segment): boolean {
  return segmentLabel(segment) !== undefined;
}

/** Some writers wrap the whole page into a form; then forms say nothing about pictures. */
function formsHoldTheText(page: PageContent): boolean {
  const forms = page.drawings.filter((drawing) => drawing.kind === 'form');
  const holding = new Set<number>();
  for (const glyph of page.glyphs) if (glyph.form >= 0) holding.add(glyph.form);
  const boxes = forms.filter((drawing) => holding.has(drawing.form)).map(({ box }) => box);
  return boxes.length > 0 && areaOf(unionBox(boxes)) > 0.65 * page.width * page.height;
}

/** Side of a bullet or icon, in points, at most. */
const SIGN_SIDE = 18;
/** Words of a line that is no label. */
const LINE_WORDS = 5;

/** A box round text ("Key points", a definition): drawn of shapes as wide as itself, with sentences in it. */
function isFrame(box: Box, drawings: readonly Drawing[], segments: readonly Segment[]): boolean {
  // Few boxes hold a line of words; only these are compared with all that is drawn.
  const holdsLine = segments.some(
    (segment) =>
      shareInside(segment, box) > 0.6 &&
      segmentLabel(segment) === undefined &&
      segment.text.split(/\s+/u).length >= LINE_WORDS,
  );
  if (!holdsLine) return false;
  const shapes = drawings.filter((drawing) => shareInside(drawing.box, box) > 0.9 && !isBulletSized(drawing.box));
  return shapes.length > 0 && shapes.every((drawing) => widthOf(drawing.box) > 0.9 * widthOf(box));
}

function isBulletSized(box: Box): boolean {
  return widthOf(box) < SIGN_SIDE && heightOf(box) < SIGN_SIDE;
}

/** The least length of an axis and the greatest of a tick, in points. */
const AXIS = 30;
const TICK = 9;
/** How far apart lines that meet may end. */
const MEETS = 2.5;
/** Pages with more long rules than this are forms or drawings of another kind. */
const MANY = 300;

/**
 * Plots whose axes are plain rules: two that meet at a corner, with ticks along them. Tables have corners, but no
 * ticks.
 */
function findAxes(rules: readonly Rule[]): Box[] {
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
  return direction === 'horizontal' ? widthOf(box) : heightOf(box);
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

/** Drawings that are closer than this, in points, are parts of one. */
const NEAR = 6;

function growTogether(drawings: readonly Drawing[]): Box[] {
  // A plot may have thousands of dots: those at one place are compared as one.
  const places = Map.groupBy(
    drawings.map(({ box }) => box),
    ({ left, top, right, bottom }) => [left, top, right, bottom].map((at) => Math.round(at / NEAR)).join(' '),
  );
  return mergeTouching(
    [...places.values()].map((boxes) => unionBox(boxes)),
    NEAR,
  );
}

/** The least height of a figure, in points. */
const MIN_HEIGHT = 30;
/** How far, in points, a caption is from its figure. */
const MAX_DISTANCE = 60;

/** Figures above their captions: all parts of a plot between the caption and the text above. */
function captionedFigures(
  page: PageContent,
  segments: readonly Segment[],
  pictures: readonly Box[],
  prose: ReadonlySet<Segment>,
): Box[] {
  const captions = segments.filter((segment) => segmentLabel(segment) === 'figure');
  if (captions.length === 0) return [];
  const isEnd = (segment: Segment): boolean => prose.has(segment) || segmentLabel(segment) !== undefined;
  const tinted = tints(page, segments);
  const drawn = drawnBoxes(page, tinted, pictures);
  const body = mainType(prose);
  const largest = Math.max(...[...prose].map(({ size }) => size));
  return captions.flatMap((caption) => {
    const column = captionWidth(caption, segments);
    const inColumn = (box: Box): boolean => overlapX(box, column) > 0.5 * widthOf(box);
    const isAbove = (box: Box): boolean => box.bottom < caption.top && overlapX(box, column) > 0;
    // A title ends it too: what is over it is a logo.
    const above = segments.filter(
      (segment) => isAbove(segment) && (isEnd(segment) || (prose.size > 0 && isDisplay(segment, largest))),
    );
    // Below the caption of a table come its rows, up to the last one with a tint.
    const rows = above.some((segment) => segmentLabel(segment) === 'table') ? tinted.filter(isAbove) : [];
    const top = Math.max(0, ...[...above, ...rows].map(({ bottom }) => bottom));
    const isOwn = (box: Box): boolean => box.top > top - 1 && box.bottom < caption.top + 2 && inColumn(box);
    const parts = drawn.filter(isOwn);
    if (parts.length === 0) return [];
    const box = unionBox(parts);
    if (heightOf(box) < MIN_HEIGHT || caption.top - box.bottom > MAX_DISTANCE) return [];
    const labels = segments.filter(
      (segment) =>
        segment.bottom < caption.top &&
        segment.top > top &&
        inColumn(segment) &&
        segment.bottom > box.top - 2.5 * segment.size &&
        !(typeKey(segment) === body && isLine(segment, prose)) &&
        widthOf(segment) < 20 * segment.size &&
        !isRuledOff(segment, box, page.rules),
    );
    return [unionBox([box, ...labels])];
  });
}

/** A rule over most of the figure is between: what is beyond it is the last row of a table, no label. */
function isRuledOff(segment: Segment, figure: Box, rules: readonly Rule[]): boolean {
  // Boxes of letters reach below and above what is printed.
  const from = Math.min(segment.baseline, figure.bottom - 1);
  const to = Math.max(segment.baseline - 0.6 * segment.size, figure.top + 1);
  if (to - from < 2) return false;
  return rules.some(
    ({ direction, box }) =>
      direction === 'horizontal' &&
      box.top > from &&
      box.bottom < to &&
      overlapX(box, figure) > 0.5 * widthOf(figure) &&
      overlapX(box, segment) > 0,
  );
}

/** Wider than the letter of a panel, and begins at an edge of the running text: the last line of a paragraph. */
function isLine(segment: Segment, prose: ReadonlySet<Segment>): boolean {
  return (
    widthOf(segment) > 5 * segment.size &&
    [...prose].some(({ left }) => Math.abs(left - segment.left) < 0.5 * segment.size)
  );
}

function tints(page: PageContent, segments: readonly Segment[]): Box[] {
  return page.drawings
    .filter(({ kind, box }) => kind === 'fill' && segments.some((segment) => shareInside(segment, box) > 0.5))
    .map(({ box }) => box);
}

/** What is drawn and no rule of a table or tint behind words. */
function drawnBoxes(page: PageContent, behindWords: readonly Box[], pictures: readonly Box[]): Box[] {
  const tinted = new Set(behindWords);
  const fills = page.drawings.filter(({ kind, box }) => kind === 'fill' && !tinted.has(box)).map(({ box }) => box);
  const paths = page.drawings.filter(({ kind }) => kind === 'path').map(({ box }) => box);
  return [...pictures, ...fills, ...paths];
}

function captionWidth(caption: Segment, segments: readonly Segment[]): Extent {
  let { left, right, baseline } = caption;
  const below = segments
    .filter((segment) => segment.baseline > caption.baseline)
    .sort((a, b) => a.baseline - b.baseline);
  for (const segment of below) {
    if (segment.baseline - baseline > 1.7 * caption.size) break;
    if (overlap(segment.left, segment.right, left, right) <= 0) continue;
    if (Math.abs(segment.size - caption.size) > 0.2 * caption.size) continue;
    left = Math.min(left, segment.left);
    right = Math.max(right, segment.right);
    baseline = segment.baseline;
  }
  // A short caption may be centred under a wide figure.
  const centre = (left + right) / 2;
  const half = Math.max((right - left) / 2, 110);
  return { left: centre - half, right: centre + half };
}
