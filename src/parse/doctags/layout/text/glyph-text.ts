import { symbolAt } from './symbol-encoding.ts';

const LIGATURES: Readonly<Record<string, string>> = {
  ﬀ: 'ff',
  ﬁ: 'fi',
  ﬂ: 'fl',
  ﬃ: 'ffi',
  ﬄ: 'ffl',
  ﬅ: 'st',
  ﬆ: 'st',
};

// Wingdings and its like put their glyphs at F000 + code; these are the ones that carry meaning in running text.
const DINGBATS: Readonly<Record<number, string>> = {
  0xf0b7: '•',
  0xf0a7: '▪',
  0xf0d8: '➢',
  0xf0fc: '✓',
  0xf06c: '●',
  0xf06e: '■',
  0xf071: '❑',
  0xf0a8: '◻',
  0xf0e0: '→',
};

/** Figures and small capitals of Adobe's fonts (Myriad, Minion) have private codes: their first code, and what they are. */
const ADOBE_PRIVATE: readonly (readonly [number, string])[] = [
  [0xf639, '0'],
  [0xf63a, '23456789'],
  [0xf6dc, '1'],
  [0xf730, '0123456789'],
  [0xf761, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
];

const EXTENSION =
  /^(?:cmex|txex|mtex|euex|stixsize|lmmathextension|ntxexx|pxex|rtxex|yhcmex|TeX_CM_Maths_Ext|AdvP4C4E46)/i;
const DINGBAT_FONT = /dings|zapf|marlett/i;

/** Whether a font is one of TeX's for large signs: sums, roots, tall brackets. */
export function holdsLargeSigns(font: string): boolean {
  return EXTENSION.test(font);
}

/** The text of a glyph from its Unicode value, ligatures spelled out; empty when the value means nothing. */
export function usableText(code: number, mapError: boolean, font: string): string {
  // Fonts of large delimiters hold no letters: a letter there is the raw code of a radical, brace or hat.
  if (code < 0x80 && holdsLargeSigns(font) && !/[()[\]{}|]/.test(String.fromCodePoint(code))) return '';
  if (isControl(code)) return '';
  if (isPrivate(code)) return privateText(code, font);
  if (code === 0xfffd || code === 0xfeff || code === 0xfffe || code === 0xffff) return '';
  if (code === 0xad) return '-';
  // A wrong map for a letter still gives the letter in most fonts; for anything exotic it gives noise.
  if (mapError && code > 0x2ff) return '';
  const text = String.fromCodePoint(code);
  // Letters drawn for formulas (𝜇, 𝑝) are the letters; the font says how they look.
  if (code >= 0x1d400 && code <= 0x1d7ff) return text.normalize('NFKC');
  return LIGATURES[text] ?? text;
}

function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/** Codes that mean something to one font alone, and halves of pairs. */
function isPrivate(code: number): boolean {
  return (code >= 0xe000 && code <= 0xf8ff) || code >= 0xf0000 || (code >= 0xd800 && code < 0xe000);
}

/** Whether a value says nothing by itself, so that the glyph's name or its neighbours must tell. */
export function isOpaque(code: number): boolean {
  return isControl(code) || isPrivate(code) || code === 0xfffd;
}

function privateText(code: number, font: string): string {
  if (code < 0xf021 || code > 0xf0ff)
    return (
      ADOBE_PRIVATE.map(([first, characters]) => characters[code - first]).find((each) => each !== undefined) ?? ''
    );
  if (DINGBAT_FONT.test(font)) return DINGBATS[code] ?? '';
  // Fonts without an encoding of their own are numbered as Symbol is; Word puts its bullets there.
  return code === 0xf0b7 ? '•' : (symbolAt('symbol', code - 0xf000) ?? '');
}

/** Glyphs of unknown meaning are distinguished by characters from here on, until the words around them have been read. */
const FIRST_UNKNOWN = 0x100000;

/** A stand-in for a glyph that nobody could name. */
export function unknownText(code: number): string {
  return String.fromCodePoint(FIRST_UNKNOWN + (code & 0xffff));
}

/** Whether a text is such a stand-in. */
export function isUnknown(text: string): boolean {
  return (text.codePointAt(0) ?? 0) >= FIRST_UNKNOWN;
}
