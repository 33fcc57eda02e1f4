import { areaOf } from './box.ts';
import { hasLetterOrDigit } from '../text/letter.ts';
import type { PageContent } from './page-content.ts';

/** Letters and digits from which on a page has text of its own. */
const FEWEST_LETTERS = 30;
/** The share of a page's glyphs without a meaning from which on the rest cannot be read either. */
const MOST_UNMAPPED = 0.3;

/** Why a page cannot be read without OCR: it is an image, or its fonts do not say what their glyphs are. */
export function unreadable(page: PageContent): 'scan' | 'unmapped' | undefined {
  if (page.unmapped >= FEWEST_LETTERS && page.unmapped > MOST_UNMAPPED * (page.glyphs.length || 1)) return 'unmapped';
  let readable = 0;
  for (const glyph of page.glyphs) {
    if (hasLetterOrDigit(glyph.text)) readable += 1;
    if (readable >= FEWEST_LETTERS) return undefined;
  }
  const images = page.drawings.filter((drawing) => drawing.kind === 'image');
  const covered = images.reduce((sum, drawing) => sum + areaOf(drawing.box), 0);
  return covered > 0.4 * page.width * page.height ? 'scan' : undefined;
}
