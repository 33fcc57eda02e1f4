import type { Box } from '../../../document.ts';
import type { Glyph } from './page-content.ts';
import { glyphsText } from '../text/glyph-text.ts';
import { overlap, unionBox, overlapX, widthOf } from './box.ts';
import { NUMBER_GAP, readingGlyphs, isDigit, isRightToLeft } from '../text/script.ts';
import type { GlyphType } from '../text/symbol-font.ts';
import { typeOf } from '../text/symbol-font.ts';
import { quantile } from '../statistics.ts';

export interface Line extends Segment {
  readonly column: Box;
  readonly segments: readonly Segment[];
}

/** How the running text of a document is set. */
export interface Setting {
  readonly size: number;
  /** The font of most of the text. */
  readonly font: string;
  /** The distance of two lines by their size. */
  readonly pitches: ReadonlyMap<number, number>;
  /** Whether the first line of a paragraph is indented. */
  readonly indented: boolean;
}

export function buildLines(segments: readonly Segment[], column: Box): Line[] {
  const sorted = [...segments].sort((a, b) => a.baseline - b.baseline || a.left - b.left);
  const rows: Segment[][] = [];
  for (const segment of sorted) {
    const row = rows.slice(-3).findLast((candidate) => candidate.every((other) => joins(other, segment)));
    if (row) row.push(segment);
    else rows.push([segment]);
  }
  const lines = rows.map((row) => lineOf(row, column)).sort((a, b) => a.baseline - b.baseline);
  const edges = fitColumn(lines, column);
  return lines.map((line) => ({ ...line, column: edges }));
}

/** The column's edges as running text shows them: formulas stick out, and the given box may be too wide. */
function fitColumn(lines: readonly Line[], box: Box): Box {
  const text = lines.filter((line) => line.glyphs.length >= 15);
  if (text.length < 2) return box;
  const lefts = text.map((line) => line.left);
  const rights = text.map((line) => line.right).sort((a, b) => a - b);
  const usual = commonEdge(rights) ?? (text.length < 4 ? undefined : quantile(rights, 0.95));
  return { ...box, left: quantile(lefts, 0.03) ?? box.left, right: usual ?? box.right };
}

/** The value that at least a third of the edges share, within a point. */
function commonEdge(sorted: readonly number[]): number | undefined {
  let best = 0;
  let edge: number | undefined;
  let start = 0;
  sorted.forEach((value, end) => {
    while (value - (sorted[start] ?? 0) > 1.2) start += 1;
    // The outermost of equally frequent edges.
    if (end - start + 1 >= best) {
      best = end - start + 1;
      edge = value;
    }
  });
  return best >= Math.max(2, sorted.length / 3) ? edge : undefined;
}

function joins(a: Segment, b: Segment): boolean {
  return (
    a.float === undefined &&
    b.float === undefined &&
    sameRow(a, b) &&
    !isSetApart(a, b) &&
    (a.right <= b.left + 0.5 * b.size || b.right <= a.left + 0.5 * a.size)
  );
}

/** Words of another size on another baseline: a label beside a title, dates in the margin. */
function isSetApart(a: Segment, b: Segment): boolean {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  return (
    large.size > 1.25 * small.size &&
    Math.abs(a.baseline - b.baseline) > 0.2 * small.size &&
    Math.min(a.text.length, b.text.length) > 3 &&
    Math.max(b.left - a.right, a.left - b.right) > 0.5 * small.size
  );
}

function lineOf(row: readonly Segment[], column: Box): Line {
  const segments = [...row].sort((a, b) => a.left - b.left);
  const widest = segments.reduce((best, each) => (each.glyphs.length > best.glyphs.length ? each : best));
  if (segments.length === 1) return { ...widest, column, segments };
  const glyphs: readonly Glyph[] = segments.flatMap((segment) => [...segment.glyphs]);
  const whole = segmentOf(widest.page, glyphs, widest.baseline) ?? widest;
  // Scripts are identified by the size of the whole line.
  const text = segments.map((segment) => glyphsText(segment.glyphs, whole.size, segment.baseline)).join(' ');
  return { ...whole, text, column, segments };
}

/** Some glyphs of a line as a separate line; nothing where nothing is printed. */
export function linePart(line: Line, glyphs: readonly Glyph[]): Line[] {
  const segment = segmentOf(line.page, glyphs, line.baseline);
  if (!segment) return [];
  const text = glyphsText(glyphs, line.size, line.baseline);
  return text.trim() === '' ? [] : [{ ...segment, text, column: line.column, segments: [segment] }];
}

/** Glyphs that are side by side on one baseline, with their scripts: a line, or a piece of one. */
export interface Segment extends Box, GlyphType {
  readonly page: number;
  readonly glyphs: readonly Glyph[];
  /** What is printed, with spaces where there are gaps. */
  readonly text: string;
  readonly baseline: number;
  /** A table or picture that takes part in the reading order; it has no glyphs. */
  readonly float?: number;
}

/** Gap, in ems, at which a row of glyphs is cut into segments: wider than a justified space, narrower than a gutter. */
const CUT = 0.95;

/** Marks where a line may be broken: nothing is printed. */
const INVISIBLE = /^[\u200B\u2060\uFEFF]+$/u;
const FIRST_INVISIBLE = 0x200b;

/** A script is no smaller than this share of the line's size: scripts of scripts are half as large. */
const SMALLEST_SCRIPT = 0.42;

/** Letters of this size, in points, and smaller are in no line: nobody can read them. */
export const UNREADABLE_SIZE = 0.5;

interface Run {
  left: number;
  right: number;
  top: number;
  bottom: number;
  glyphs: Glyph[];
  baseline: number;
  size: number;
}

/** Cuts a page's upright glyphs into segments, scripts attached to the line they belong to. */
export function buildSegments(page: number, glyphs: readonly Glyph[], mirrorImage = false): Segment[] {
  const runs = joinRows(contentRuns(glyphs, mirrorImage));
  const hosts = attachScripts(runs);
  return joinRows(hosts)
    .map((run) => finish(page, run, mirrorImage))
    .filter((segment): segment is Segment => segment !== undefined);
}

function contentRuns(glyphs: readonly Glyph[], mirrorImage: boolean): Run[] {
  const runs: Run[] = [];
  let run: Run | undefined;
  for (const glyph of glyphs) {
    if (glyph.text === '' || !(glyph.size > UNREADABLE_SIZE) || isInvisible(glyph.text)) continue;
    if (run) {
      // In text that runs the other way the next glyph is on the left.
      const gap = glyph.left < run.left ? run.left - glyph.right : glyph.left - run.right;
      const em = run.size;
      if (
        Math.abs(glyph.baseline - run.baseline) <= 0.08 * em &&
        Math.abs(glyph.size - run.size) <= 0.12 * em &&
        gap < CUT * em &&
        (gap > -0.5 * em || (mirrorImage && touches(run.glyphs.at(-1), glyph))) &&
        !isOverprint(run, glyph, gap)
      ) {
        run.glyphs.push(glyph);
        widen(run, glyph);
        continue;
      }
    }
    const { left, right, top, bottom, baseline, size } = glyph;
    run = { glyphs: [glyph], left, right, top, bottom, baseline, size };
    runs.push(run);
  }
  return runs;
}

/**
 * From right to left, digits go back into the gap in front of their number, and Arabic letters are above each other.
 */
function touches(last: Glyph | undefined, glyph: Glyph): boolean {
  return last !== undefined && Math.max(glyph.left - last.right, last.left - glyph.right) < NUMBER_GAP * glyph.size;
}

function isInvisible(text: string): boolean {
  return text.charCodeAt(0) >= FIRST_INVISIBLE && INVISIBLE.test(text);
}

function joinRows(runs: readonly Run[]): Run[] {
  const sorted = [...runs].sort((a, b) => a.baseline - b.baseline || a.left - b.left);
  const result: Run[] = [];
  let start = 0;
  while (start < sorted.length) {
    const first = sorted[start];
    if (!first) break;
    let end = start + 1;
    while (end < sorted.length) {
      const next = sorted[end];
      if (!next || next.baseline - first.baseline > 0.2 * Math.max(first.size, next.size)) break;
      end += 1;
    }
    joinOneRow(sorted.slice(start, end), result);
    start = end;
  }
  return result;
}

function joinOneRow(row: Run[], into: Run[]): void {
  row.sort((a, b) => a.left - b.left);
  const open: Run[] = [];
  for (const run of row) {
    const host = open.findLast((other) => {
      const em = Math.max(other.size, run.size);
      const gap = run.left - other.right;
      return gap < cutBetween(other, run) && gap > -0.6 * em && sameLine(other, run) && !isOverprint(other, run, gap);
    });
    if (host) absorb(host, run);
    else {
      const copy = { ...run, glyphs: [...run.glyphs] };
      open.push(copy);
    }
  }
  into.push(...open);
}

/**
 * Runs of clearly different size with more than a space between them belong to different columns: a note in the margin,
 * say.
 */
function cutBetween(a: Run, b: Run): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  const numbered = small.glyphs.every((glyph) => isDigit(glyph.text));
  // The number of a line in the margin, also before the number of a heading.
  if (numbered && small.size < (large.glyphs.length > 4 ? 0.8 : 0.62) * large.size)
    return Math.min(CUT * large.size, 0.9 * small.size);
  const apart = small.size < 0.8 * large.size && large.glyphs.length > 4 && small.glyphs.length > 4;
  // Between words of one line is no more than a space of the larger type.
  return apart ? Math.min(0.7 * large.size, Math.max(0.35 * large.size, CUT * small.size)) : CUT * large.size;
}

/** Text that runs into other text on nearly the same baseline was set independently of it (a page number, a mark). */
function isOverprint(a: Run, b: Run | Glyph, gap: number): boolean {
  return (
    gap < -0.12 * a.size &&
    Math.abs(a.baseline - b.baseline) > 0.03 * a.size &&
    Math.abs(a.size - b.size) < 0.1 * a.size
  );
}

function sameLine(a: Run, b: Run): boolean {
  const [small, large] = a.size < b.size ? [a.size, b.size] : [b.size, a.size];
  // Small text beside a title is not part of it.
  return Math.abs(a.baseline - b.baseline) <= 0.2 * (small < SMALLEST_SCRIPT * large ? small : large);
}

function absorb(host: Run, run: Run): void {
  if (run.glyphs.length >= 0.33 * host.glyphs.length) {
    // Names of code in smaller letters do not make a line of text smaller.
    const small = Math.min(run.size, host.size);
    const large = Math.max(run.size, host.size);
    host.size = host.glyphs.length > 3 * run.glyphs.length && small === run.size ? host.size : large;
  }
  if (run.glyphs.length > host.glyphs.length) host.baseline = run.baseline;
  host.glyphs.push(...run.glyphs);
  widen(host, run);
}

function widen(run: Run, box: Box): void {
  run.left = Math.min(run.left, box.left);
  run.right = Math.max(run.right, box.right);
  run.top = Math.min(run.top, box.top);
  run.bottom = Math.max(run.bottom, box.bottom);
}

function attachScripts(runs: readonly Run[]): Run[] {
  const bySize = [...runs].sort((a, b) => a.size - b.size);
  const rows = [...runs].sort((a, b) => a.baseline - b.baseline);
  const baselines = rows.map((run) => run.baseline);
  const taken = new Set<Run>();
  for (const script of bySize) {
    if (script.glyphs.length > 24) continue;
    const host = findHost(script, rows, baselines, taken);
    if (!host) continue;
    taken.add(script);
    const { baseline, size } = host;
    absorb(host, script);
    host.baseline = baseline;
    host.size = size;
  }
  return runs.filter((run) => !taken.has(run));
}

function findHost(
  script: Run,
  rows: readonly Run[],
  baselines: readonly number[],
  taken: ReadonlySet<Run>,
): Run | undefined {
  const reach = 24;
  let low = 0;
  let high = baselines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((baselines[middle] ?? 0) < script.baseline - reach) low = middle + 1;
    else high = middle;
  }
  let best: Run | undefined;
  let bestDistance = Infinity;
  for (let index = low; index < rows.length; index += 1) {
    const host = rows[index];
    if (!host || host.baseline > script.baseline + reach) break;
    if (host === script || taken.has(host) || script.size > 0.95 * host.size) continue;
    if (script.size < SMALLEST_SCRIPT * host.size) continue;
    const rise = (host.baseline - script.baseline) / host.size;
    // Hardly smaller: only a mark that clearly is higher is a script.
    if (script.size > 0.87 * host.size && (rise < 0.25 || script.glyphs.length > 3)) continue;
    if (rise > 0.75 || rise < -0.4 || Math.abs(rise) < 0.03) continue;
    const gap = Math.max(script.left - host.right, host.left - script.right);
    if (gap > 0.45 * host.size) continue;
    const distance = Math.max(0, gap) + Math.abs(rise - 0.2) * host.size;
    if (distance < bestDistance) {
      best = host;
      bestDistance = distance;
    }
  }
  return best;
}

function finish(page: number, run: Run, mirrorImage: boolean): Segment | undefined {
  const glyphs = readingGlyphs(mirrorImage ? fromRightToLeft(run.glyphs) : fromLeftToRight(run.glyphs), mirrorImage);
  return segmentOf(page, glyphs, run.baseline);
}

/** Most runs are drawn from left to right; those are not sorted. */
function fromLeftToRight(glyphs: readonly Glyph[]): readonly Glyph[] {
  for (let index = 1; index < glyphs.length; index += 1)
    if (!((glyphs[index - 1] as Glyph).left <= (glyphs[index] as Glyph).left))
      return glyphs.toSorted((a, b) => a.left - b.left);
  return glyphs;
}

/** The glyphs of a mirrored page from left to right; letters that are above each other keep the order of the file. */
function fromRightToLeft(glyphs: readonly Glyph[]): readonly Glyph[] {
  const places = new Map<Glyph, number>();
  glyphs.forEach((glyph, index) => {
    const last = glyphs[index - 1];
    const shared = last && isRightToLeft(glyph.text) ? overlapX(last, glyph) : 0;
    const isAbove = last && shared > 0.5 * Math.min(widthOf(last), widthOf(glyph));
    places.set(glyph, (isAbove ? places.get(last) : undefined) ?? glyph.left);
  });
  return glyphs.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}

/** A segment from glyphs that are already in order of writing. */
export function segmentOf(page: number, glyphs: readonly Glyph[], baseline: number): Segment | undefined {
  const [first] = glyphs;
  if (!first) return undefined;
  const type = typeOf(glyphs, first);
  const text = glyphsText(glyphs, type.size, baseline);
  return { page, glyphs, text, ...unionBox(glyphs), baseline, ...type };
}

export function sameRow(a: Segment, b: Segment): boolean {
  const height = Math.min(a.size, b.size);
  return overlap(a.baseline - a.size * 0.7, a.baseline, b.baseline - b.size * 0.7, b.baseline) > 0.5 * 0.7 * height;
}
