import type { Draft } from '../draft.ts';
import { regionsOf } from '../draft.ts';
import { unionBox } from '../page/box.ts';
import type { Box } from '../../../document.ts';
import type { Glyph, PageContent } from '../page/page-content.ts';
import { lettersIn } from '../page/scan.ts';
import { UNREADABLE_SIZE } from '../page/segment.ts';
import { hasLetterOrDigit } from '../text/script.ts';
import { heldLetters } from './word-count.ts';

/** The share of a page's letters that may be in no block; formulas lose some of their signs. */
const MOST_UNPLACED = 0.02;
const FEWEST_LETTERS = 8;

/**
 * Adds what a page shows and no draft holds, as the file gives it: text that the layout cannot place loses its order,
 * not its words.
 */
export function withUnplaced(drafts: readonly Draft[], pages: readonly PageContent[]): Draft[] {
  const held = heldLetters(drafts);
  const added = pages.flatMap((page): Draft[] => {
    const { kept = 0, pictured = 0 } = held.get(page.number) ?? {};
    const all = lettersIn([page]);
    const least = Math.max(FEWEST_LETTERS, MOST_UNPLACED * all);
    if (all - kept - pictured < least) return [];
    labelWithSmallest(page, drafts);
    const rest = unplacedGlyphs(page, drafts);
    if (lettersIn([{ glyphs: rest }]) < least) return [];
    return [{ kind: 'text', lines: [], page: page.number, piece: -1, box: unionBox(rest), text: plainText(rest) }];
  });
  if (added.length === 0) return [...drafts];
  let page = 0;
  const flow = drafts.map((draft) => ({ draft, page: (page = Math.max(page, draft.page)), rank: 0 }));
  const rest = added.map((draft) => ({ draft, page: draft.page, rank: 1 }));
  return [...flow, ...rest].sort((a, b) => a.page - b.page || a.rank - b.rank).map(({ draft }) => draft);
}

/** Gives a picture the letters on it that are too small for any line. */
function labelWithSmallest(page: PageContent, drafts: readonly Draft[]): void {
  const smallest = page.glyphs.filter(({ size }) => size <= UNREADABLE_SIZE);
  for (const draft of drafts) {
    if (draft.kind !== 'picture' || draft.page !== page.number) continue;
    const own = smallest.filter((glyph) => holds(draft.box, glyph));
    if (own.length > 0) draft.text = `${draft.text ?? ''} ${plainText(own)}`.trim();
  }
}

function unplacedGlyphs(page: PageContent, drafts: readonly Draft[]): Glyph[] {
  const lines = drafts.flatMap((draft) => draft.lines.filter((line) => line.page === page.number));
  const places = new Set(lines.flatMap(({ glyphs }) => glyphs.map(placeOf)));
  // The words of tables, of pictures and of lines that are not upright are known by their place only.
  const boxes = drafts.filter((draft) => draft.lines.length === 0).flatMap((draft) => boxesOn(draft, page.number));
  return page.glyphs.filter(
    (glyph) => hasLetterOrDigit(glyph.text) && !places.has(placeOf(glyph)) && !boxes.some((box) => holds(box, glyph)),
  );
}

function boxesOn(draft: Draft, page: number): Box[] {
  return regionsOf(draft).flatMap((region) => (region.page === page ? [region.box] : []));
}

/** An accent that was joined to its letter has the letter's place. */
function placeOf({ x, baseline }: Glyph): string {
  return `${Math.round(2 * x)} ${Math.round(2 * baseline)}`;
}

function holds({ left, top, right, bottom }: Box, glyph: Glyph): boolean {
  const [x, y] = [(glyph.left + glyph.right) / 2, (glyph.top + glyph.bottom) / 2];
  return x > left - 3 && x < right + 3 && y > top - 3 && y < bottom + 3;
}

function plainText(glyphs: readonly Glyph[]): string {
  let text = '';
  let before: Glyph | undefined;
  for (const glyph of glyphs) {
    const isNext =
      before !== undefined &&
      glyph.spaced === false &&
      Math.abs(glyph.baseline - before.baseline) < 0.5 * glyph.size &&
      Math.abs(glyph.left - before.right) < 0.3 * glyph.size;
    text += before === undefined || isNext ? glyph.text : ` ${glyph.text}`;
    before = glyph;
  }
  return text;
}
