import type { Glyph } from './page-content.ts';

const DINGBATS = /wingdings|webdings|dingbat|bullet|ornament|marlett/i;

/**
 * Bullets often come from fonts of signs whose codes mean nothing: a sign without a meaning, alone before a line of text,
 * is a bullet.
 */
export function restoreBullets(glyphs: readonly Glyph[]): Glyph[] {
  const signs = new Set([...new Set(glyphs.map(({ font }) => font))].filter(({ name }) => DINGBATS.test(name)));
  return glyphs.map((glyph, index) => {
    const odd = glyph.text === '' || (signs.has(glyph.font) && /^[\p{L}\p{N}]$/u.test(glyph.text));
    if (!odd || glyph.font.math) return glyph;
    const next = glyphs[index + 1];
    const previous = glyphs[index - 1];
    if (!next || !sameLine(glyph, next) || next.text === '') return glyph;
    const gap = next.left - glyph.right;
    const alone =
      !previous ||
      !sameLine(previous, glyph) ||
      glyph.left - previous.right > 2 * glyph.size ||
      previous.left > glyph.right;
    return alone && gap > 0.25 * next.size && gap < 4 * next.size ? { ...glyph, text: '•' } : glyph;
  });
}

function sameLine(a: Glyph, b: Glyph): boolean {
  return Math.abs(a.baseline - b.baseline) < 0.4 * Math.max(a.size, b.size);
}
