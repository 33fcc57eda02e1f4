import type { Glyph } from './page-content.ts';

// Spacing accents as old TeX fonts set them, and the combining marks they stand for.
const COMBINING: Readonly<Record<string, string>> = {
  '´': '\u0301',
  '`': '\u0300',
  '¨': '\u0308',
  ˆ: '\u0302',
  '^': '\u0302',
  '˜': '\u0303',
  '~': '\u0303',
  '¸': '\u0327',
  ˇ: '\u030c',
  '˘': '\u0306',
  '˚': '\u030a',
  '¯': '\u0304',
  '˙': '\u0307',
  '˝': '\u030b',
  '˛': '\u0328',
};
const BASE: Readonly<Record<string, string>> = { ı: 'i', ȷ: 'j' };

/** Puts accents that are glyphs of their own onto the letter they are printed over. */
export function composeAccents(glyphs: readonly Glyph[]): Glyph[] {
  const result: Glyph[] = [];
  for (let index = 0; index < glyphs.length; index += 1) {
    const glyph = glyphs[index];
    if (!glyph) continue;
    const mark = COMBINING[glyph.text] ?? (isCombining(glyph.text) ? glyph.text : undefined);
    const previous = result.at(-1);
    if (mark === undefined) {
      result.push(glyph);
      continue;
    }
    const next = glyphs[index + 1];
    if (isCombining(glyph.text) && previous && !(next && covers(next, glyph) && !covers(previous, glyph))) {
      result[result.length - 1] = compose(previous, mark);
      continue;
    }
    if (next && covers(next, glyph)) {
      result.push(compose(next, mark));
      index += 1;
    } else if (previous && covers(previous, glyph)) {
      result[result.length - 1] = compose(previous, mark);
    } else {
      result.push(glyph);
    }
  }
  return result;
}

function isCombining(text: string): boolean {
  return /^\p{Mn}$/u.test(text);
}

function covers(letter: Glyph, accent: Glyph): boolean {
  if (!/^\p{L}$/u.test(letter.text) || letter.turn !== accent.turn) return false;
  const middle = (accent.left + accent.right) / 2;
  const slack = 0.08 * letter.size;
  return (
    middle > letter.left - slack &&
    middle < letter.right + slack &&
    Math.abs(letter.baseline - accent.baseline) < 0.5 * letter.size
  );
}

function compose(letter: Glyph, mark: string): Glyph {
  return { ...letter, text: ((BASE[letter.text] ?? letter.text) + mark).normalize('NFC') };
}
