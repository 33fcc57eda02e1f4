import type { Drawing, Glyph } from '../layout/page/page-content.ts';

/** How text is drawn: without ink, in the colour of paper, or visibly. */
export type InkKind = 'plain' | 'white' | 'none';

/** If at least this share of a page's glyphs has no ink, they are the text layer of a scan. */
const LAYER_SHARE = 0.7;

/**
 * Removes text that readers do not see: text without ink or white on white beside visible text, and letters drawn again
 * at the same place. `starts` are the first glyphs of the text runs.
 */
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
