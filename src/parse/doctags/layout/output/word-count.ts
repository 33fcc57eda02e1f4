import type { ShortPage, WordCounts } from '../../../document.ts';
import type { Draft } from '../draft.ts';
import type { Glyph, PageContent } from '../page/page-content.ts';
import { countLetters, lettersIn, unreadable } from '../page/scan.ts';
import { hasLetterOrDigit } from '../text/script.ts';

/** The share of a page's words that may be missing before it is named, and that may be on its pictures. */
const MOST_LOST = 0.02;
const MOST_PICTURED = 0.05;

/** Letters of a page by where they are: in text and tables, or on pictures. */
export interface HeldLetters {
  kept: number;
  pictured: number;
}

/** Compares what the pages hold with what the drafts have: letters are counted, and given as words. */
export function countWords(pages: readonly PageContent[], drafts: readonly Draft[]): WordCounts {
  const held = heldLetters(drafts);
  const sum = { found: 0, kept: 0, pictured: 0 };
  const short: ShortPage[] = [];
  for (const page of pages) {
    const letters = lettersIn([page]);
    const all = letters + page.unmapped;
    const found = Math.round((wordsOf(page.glyphs) * all) / Math.max(1, letters));
    const own = held.get(page.number) ?? { kept: 0, pictured: 0 };
    const wordsFor = (count: number): number => Math.round((found * count) / Math.max(1, all));
    const kept = Math.min(found, wordsFor(own.kept));
    const pictured = Math.min(found - kept, wordsFor(own.pictured));
    const reason = unreadable(page) ?? whyShort({ found, kept, pictured, unmapped: wordsFor(page.unmapped) });
    if (reason !== undefined) short.push({ page: page.number, found, kept, reason });
    sum.found += found;
    sum.kept += kept;
    sum.pictured += pictured;
  }
  return { ...sum, short };
}

function whyShort(words: {
  readonly found: number;
  readonly kept: number;
  readonly pictured: number;
  readonly unmapped: number;
}): ShortPage['reason'] | undefined {
  const { found, kept, pictured, unmapped } = words;
  const isMany = (count: number, most: number): boolean => count > Math.max(2, most * found);
  if (isMany(found - kept - pictured - unmapped, MOST_LOST)) return 'lost';
  if (isMany(unmapped, MOST_LOST)) return 'unmapped';
  return isMany(pictured, MOST_PICTURED) ? 'pictured' : undefined;
}

/** The letters that drafts hold, by page. */
export function heldLetters(drafts: readonly Draft[]): ReadonlyMap<number, HeldLetters> {
  const held = new Map<number, HeldLetters>();
  const hold = (page: number, letters: number, where: keyof HeldLetters): void => {
    const own = held.get(page) ?? { kept: 0, pictured: 0 };
    held.set(page, own);
    own[where] += letters;
  };
  for (const draft of drafts) {
    const where = draft.kind === 'picture' ? 'pictured' : 'kept';
    for (const line of draft.lines) hold(line.page, lettersIn([line]), where);
    for (const [page, letters] of draft.letters ?? []) hold(page, letters, where);
    if (draft.lines.length === 0 && draft.text !== undefined) hold(draft.page, countLetters(draft.text), where);
  }
  return held;
}

/** Words of a page as its glyphs follow each other: a gap, another line or a sign ends one. */
function wordsOf(glyphs: readonly Glyph[]): number {
  let count = 0;
  let previous: Glyph | undefined;
  for (const glyph of glyphs) {
    const isWord = hasLetterOrDigit(glyph.text);
    const goesOn =
      previous !== undefined &&
      !glyph.spaced &&
      Math.abs(glyph.baseline - previous.baseline) < glyph.size &&
      Math.abs(glyph.x - previous.x) < 3 * glyph.size;
    if (isWord && !goesOn) count += 1;
    previous = isWord ? glyph : undefined;
  }
  return count;
}
