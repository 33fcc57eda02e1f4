import type { Font, Glyph } from '../page/page-content.ts';

/** How most of some glyphs are set. */
export interface GlyphType {
  readonly size: number;
  readonly font: Font;
  /** Shares of the glyphs that are not set in a font for formulas. */
  readonly bold: number;
  readonly italic: number;
  /** Shares of all glyphs. */
  readonly math: number;
  readonly monospaced: number;
}

/** The type of glyphs, of which `first` is one. */
export function typeOf(glyphs: readonly Glyph[], first: Glyph): GlyphType {
  const isOne = glyphs.every(({ size, font }) => size === first.size && font === first.font);
  return isOne ? typeOfOne(first) : typeOfMost(glyphs, first);
}

function typeOfMost(glyphs: readonly Glyph[], first: Glyph): GlyphType {
  const bySize = new Map<number, number>();
  const byFont = new Map<Font, number>();
  // Neighbours mostly share size and font: those are counted together.
  let { size, font } = first;
  let sized = 0;
  let set = 0;
  let bold = 0;
  let italic = 0;
  let math = 0;
  let monospaced = 0;
  for (const glyph of glyphs) {
    if (glyph.size !== size) {
      countMore(bySize, roundSize(size), sized);
      size = glyph.size;
      sized = 0;
    }
    if (glyph.font !== font) {
      countMore(byFont, font, set);
      font = glyph.font;
      set = 0;
    }
    sized += 1;
    set += 1;
    if (font.math) math += 1;
    else {
      if (font.bold) bold += 1;
      if (font.italic) italic += 1;
    }
    if (font.monospaced) monospaced += 1;
  }
  countMore(bySize, roundSize(size), sized);
  countMore(byFont, font, set);
  const count = glyphs.length;
  return {
    size: mainSize(bySize, count) ?? first.size,
    font: mostFrequent(byFont) ?? first.font,
    bold: bold / Math.max(1, count - math),
    italic: italic / Math.max(1, count - math),
    math: math / count,
    monospaced: monospaced / count,
  };
}

function typeOfOne({ size, font }: Glyph): GlyphType {
  return {
    size: roundSize(size),
    font,
    bold: font.bold && !font.math ? 1 : 0,
    italic: font.italic && !font.math ? 1 : 0,
    math: font.math ? 1 : 0,
    monospaced: font.monospaced ? 1 : 0,
  };
}

const roundSize = (size: number): number => Math.round(size * 10) / 10;

function countMore<K>(counts: Map<K, number>, key: K, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more);
}

/** The largest size that at least a quarter of the glyphs have, else the most frequent. */
function mainSize(bySize: ReadonlyMap<number, number>, count: number): number | undefined {
  const common = [...bySize].filter(([, share]) => share >= 0.25 * count).map(([size]) => size);
  return common.length > 0 ? Math.max(...common) : mostFrequent(bySize);
}

/** The key with the largest count. */
export function mostFrequent<K>(counts: ReadonlyMap<K, number>): K | undefined {
  let best: K | undefined;
  let bestCount = -1;
  for (const [key, count] of counts)
    if (count > bestCount) {
      best = key;
      bestCount = count;
    }
  return best;
}
