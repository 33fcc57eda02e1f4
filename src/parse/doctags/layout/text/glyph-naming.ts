import type { Ink } from './letter-shape.ts';
import { misnamedCharacters } from './letter-shape.ts';
import type { Font, Glyph, PageContent } from '../page/page-content.ts';
import { nameUnknownGlyphs } from './unknown-glyph.ts';

/** The pages with the right text for glyphs that the file names wrongly or not at all: told by shape, and by the words around. */
export function nameGlyphs(
  pages: readonly PageContent[],
  shapes: ReadonlyMap<Font, ReadonlyMap<string, Ink>>,
): readonly PageContent[] {
  const misnamed = misnamedCharacters(shapes, pages);
  const unknown = nameUnknownGlyphs(pages);
  return pages.map((page) => {
    if (misnamed.size === 0 && unknown.size === 0 && !page.glyphs.some((glyph) => isRing(glyph.text))) return page;
    let { unmapped, renamed } = page;
    const glyphs = page.glyphs.map((glyph, index): Glyph => {
      if (isRing(glyph.text)) return isDegree(page.glyphs, index) ? { ...glyph, text: '°' } : glyph;
      const found = unknown.get(glyph);
      if (found !== undefined && found !== '' && found !== '\ufffd') unmapped -= 1;
      const text = found ?? misnamed.get(glyph.font)?.get(glyph.text);
      if (text !== undefined && text !== '' && text !== '\ufffd') renamed += 1;
      return text === undefined ? glyph : { ...glyph, text };
    });
    return { ...page, glyphs, unmapped, renamed };
  });
}

function isRing(text: string): boolean {
  return text === '◦' || text === '∘';
}

/** TeX has no degree sign: a raised ring before C, F or after a number is one. */
function isDegree(glyphs: readonly Glyph[], index: number): boolean {
  const [before, ring, after] = [glyphs[index - 1], glyphs[index], glyphs[index + 1]];
  if (!ring) return false;
  const isRaised = (other: Glyph): boolean => {
    const rise = other.baseline - ring.baseline;
    return rise > 0.15 * other.size && rise < 0.6 * other.size && ring.size < 0.9 * other.size;
  };
  if (after && isRaised(after) && /^[CFKNSEW]$/.test(after.text) && after.left - ring.right < 0.4 * after.size)
    return true;
  return (
    before !== undefined && isRaised(before) && /^\d$/.test(before.text) && ring.left - before.right < 0.3 * before.size
  );
}
