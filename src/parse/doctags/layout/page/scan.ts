import { areaOf } from './box.ts';
import { hasLetterOrDigit } from '../text/letter.ts';
import type { Font, PageContent } from './page-content.ts';

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
  return imageShare(page) > 0.4 ? 'scan' : undefined;
}

function imageShare({ drawings, width, height }: PageContent): number {
  const images = drawings.filter((drawing) => drawing.kind === 'image');
  return images.reduce((sum, drawing) => sum + areaOf(drawing.box), 0) / (width * height);
}

/**
 * The page, without the type of its letters where they are the text layer over a scan: many programs write all of it in Courier,
 * which says nothing about the print.
 */
export function withoutLayerType(page: PageContent): PageContent {
  if (!page.glyphs.some(({ font }) => font.monospaced) || imageShare(page) < 0.7) return page;
  const plain = new Map<Font, Font>();
  const glyphs = page.glyphs.map((glyph) => {
    if (!glyph.font.monospaced) return glyph;
    const font = plain.get(glyph.font) ?? { ...glyph.font, monospaced: false };
    plain.set(glyph.font, font);
    return { ...glyph, font };
  });
  return { ...page, glyphs };
}
