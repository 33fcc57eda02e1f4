import type { ShortPage, WordCounts } from '../../../document.ts';
import type { Draft } from '../draft.ts';
import { hasLetterOrDigit } from '../text/letter.ts';
import type { Glyph, PageContent } from '../page/page-content.ts';
import { countLetters, lettersIn } from '../page/safety.ts';
import { unreadable } from '../page/scan.ts';

/** The share of a page's words that may be missing before it is named. */
const MOST_LOST = 0.02;

/** Compares what the pages hold with what the drafts have: letters are counted, and given as words. */
export function countWords(pages: readonly PageContent[], drafts: readonly Draft[]): WordCounts {
  const held = new Map<number, number>();
  const hold = (page: number, letters: number): void => void held.set(page, (held.get(page) ?? 0) + letters);
  for (const draft of drafts) {
    for (const line of draft.lines) hold(line.page, lettersIn([line]));
    for (const [page, letters] of draft.letters ?? []) hold(page, letters);
    if (draft.lines.length === 0 && draft.text !== undefined) hold(draft.page, countLetters(draft.text));
  }
  let [found, kept] = [0, 0];
  const short: ShortPage[] = [];
  for (const page of pages) {
    const letters = lettersIn([page]);
    const all = letters + page.unmapped;
    const words = Math.round((wordsOf(page.glyphs) * all) / Math.max(1, letters));
    const share = Math.min(1, (held.get(page.number) ?? 0) / Math.max(1, all));
    const have = Math.min(words, Math.round(words * share));
    const reason = unreadable(page) ?? (words - have > Math.max(2, MOST_LOST * words) ? 'lost' : undefined);
    if (reason !== undefined) short.push({ page: page.number, found: words, kept: have, reason });
    found += words;
    kept += have;
  }
  return { found, kept, short };
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
