const LIGATURES: Readonly<Record<string, string>> = {
  ﬀ: 'ff',
  ﬁ: 'fi',
  ﬂ: 'fl',
  ﬃ: 'ffi',
  ﬄ: 'ffl',
  ﬅ: 'st',
  ﬆ: 'st',
};

// Symbol and Wingdings put their glyphs at F000 + code; these are the ones that carry meaning in running text.
const PRIVATE_USE: Readonly<Record<number, string>> = {
  0xf0b7: '•',
  0xf0a7: '▪',
  0xf0d8: '➢',
  0xf0fc: '✓',
  0xf02d: '−',
  0xf02b: '+',
  0xf03d: '=',
  0xf0b1: '±',
  0xf0b4: '×',
  0xf0a3: '≤',
  0xf0b3: '≥',
  0xf0ae: '→',
  0xf061: 'α',
  0xf062: 'β',
  0xf067: 'γ',
  0xf064: 'δ',
  0xf06c: 'λ',
  0xf06d: 'μ',
  0xf06e: 'ν',
  0xf070: 'π',
  0xf072: 'ρ',
  0xf073: 'σ',
  0xf074: 'τ',
  0xf06a: 'φ',
  0xf063: 'χ',
  0xf077: 'ω',
};

const EXTENSION = /^(?:cmex|txex|mtex|euex|stixsize|lmmathextension|ntxexx|pxex|rtxex|yhcmex)/i;

/** The text of a glyph from its Unicode value, ligatures spelled out; empty when the value means nothing. */
export function usableText(code: number, mapError: boolean, font: string): string {
  // Fonts of large delimiters hold no letters: a letter there is the raw code of a radical, brace or hat.
  if (code < 0x80 && EXTENSION.test(font) && !/[()[\]{}|]/.test(String.fromCodePoint(code))) return '';
  if (code === 0 || (code < 0x20 && code !== 9) || (code >= 0x7f && code < 0xa0)) return '';
  if (code >= 0xe000 && code <= 0xf8ff) return PRIVATE_USE[code] ?? '';
  if (code === 0xfffd || code === 0xfeff || code === 0xad || code > 0x10ffff) return code === 0xad ? '-' : '';
  if (code >= 0xd800 && code <= 0xdfff) return '';
  // A wrong map for a letter still gives the letter in most fonts; for anything exotic it gives noise.
  if (mapError && code > 0x2ff) return '';
  const text = String.fromCodePoint(code);
  return LIGATURES[text] ?? text;
}
