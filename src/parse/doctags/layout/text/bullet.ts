import type { Drawing, Glyph } from '../page/page-content.ts';

const DINGBATS = /wingdings|webdings|dingbat|bullet|ornament|marlett|commpi/i;
/** Signs that begin items as they are. */
const BULLET = /^[•●○◦▪■□‣∙►▶▸✓✔–—-]$/u;

/**
 * Bullets often come from fonts of signs whose codes mean nothing: a sign without a meaning, alone before a line of text,
 * is a bullet.
 */
export function restoreBullets(glyphs: readonly Glyph[]): readonly Glyph[] {
  const signs = new Set([...new Set(glyphs.map(({ font }) => font))].filter(({ name }) => DINGBATS.test(name)));
  const letters = repeatedLetters(glyphs);
  const isOdd = ({ text, font }: Glyph): boolean =>
    text === '' || (signs.has(font) && /^\S$/u.test(text) && !BULLET.test(text));
  if (signs.size === 0 && letters.size === 0 && !glyphs.some(isOdd)) return glyphs;
  return glyphs.map((glyph, index) => {
    if (letters.has(glyph)) return { ...glyph, text: letters.get(glyph) ?? '' };
    if (!isOdd(glyph) || glyph.font.math) return glyph;
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

const LETTER = /^\p{L}$/u;
const MEANINGLESS = /^(?:|\uFFFD|\p{Co}|\p{Cn})$/u;
/** Lines that begin with one and the same small letter, from which on it is a bullet. */
const FEWEST_LETTERS = 3;

/** A font may call its bullet a letter: one small letter before several lines, each time in the same place. */
function repeatedLetters(glyphs: readonly Glyph[]): ReadonlyMap<Glyph, string> {
  const starts: { readonly glyph: Glyph; readonly skipped: Glyph | undefined; readonly level: boolean }[] = [];
  let previous: Glyph | undefined;
  for (let index = 0; index < glyphs.length; index += 1) {
    const glyph = glyphs[index] as Glyph;
    const isFirst = !previous || !sameLine(previous, glyph) || previous.left >= glyph.left;
    previous = glyph;
    if (!isFirst || !LETTER.test(glyph.text)) continue;
    // A sign without meaning may follow it.
    const unknown = glyphs[index + 1];
    const skipped = unknown && MEANINGLESS.test(unknown.text) ? unknown : undefined;
    const next = skipped ? glyphs[index + 2] : unknown;
    if (!next || !sameLine(glyph, next) || glyph.size > 0.8 * next.size) continue;
    if (next.left - glyph.right > 0.3 * next.size)
      starts.push({ glyph, skipped, level: Math.abs(glyph.baseline - next.baseline) < 0.1 * next.size });
  }
  const groups = Map.groupBy(starts, ({ glyph }) => `${glyph.text} ${glyph.font.name} ${Math.round(glyph.left)}`);
  const result = new Map<Glyph, string>();
  for (const group of groups.values()) {
    // A raised letter is the mark of a note.
    if (group.length < FEWEST_LETTERS || group.some(({ level }) => !level)) continue;
    for (const { glyph, skipped } of group) {
      result.set(glyph, '•');
      if (skipped) result.set(skipped, '');
    }
  }
  return result;
}

function sameLine(a: Glyph, b: Glyph): boolean {
  return Math.abs(a.baseline - b.baseline) < 0.4 * Math.max(a.size, b.size);
}

/** Drawings on a page beyond which it holds a plot rather than a list. */
const MOST_DRAWINGS = 2_000;

/**
 * Bullets may be drawn, not set: small signs of one size below each other, each alone before a line of text. They are put
 * before that line as bullets.
 */
export function drawnBullets(
  pages: readonly { readonly drawings: readonly Drawing[]; readonly glyphs: readonly Glyph[] }[],
): (readonly Glyph[])[] {
  const found = pages.map(({ drawings, glyphs }) => signsBefore(drawings, glyphs));
  const counts = new Map<string, number>();
  for (const signs of found)
    for (const sign of signs.values()) counts.set(placeOf(sign), (counts.get(placeOf(sign)) ?? 0) + 1);
  return pages.map(({ glyphs }, index) => {
    const signs = found[index];
    if (!signs || signs.size === 0) return glyphs;
    return glyphs.flatMap((glyph) => {
      const sign = signs.get(glyph);
      if (!sign || (counts.get(placeOf(sign)) ?? 0) < 2) return [glyph];
      const { left, right } = sign.box;
      return [{ ...glyph, text: '•', left, right, x: left, spaced: false }, glyph];
    });
  });
}

/** Small drawings alone before a line, by the first glyph of that line. */
function signsBefore(drawings: readonly Drawing[], glyphs: readonly Glyph[]): ReadonlyMap<Glyph, Drawing> {
  const found = new Map<Glyph, Drawing>();
  const small = drawings.length > MOST_DRAWINGS ? [] : drawings.filter(isSmall);
  if (small.length === 0) return found;
  const starts = glyphs.filter((glyph, index) => {
    const previous = glyphs[index - 1];
    return !previous || !sameLine(previous, glyph) || glyph.left - previous.right > 2 * glyph.size;
  });
  for (const drawing of small) {
    const next = starts.find((glyph) => standsBefore(drawing, glyph));
    if (next && !glyphs.some((glyph) => isNearLeft(glyph, drawing, next))) found.set(next, drawing);
  }
  return found;
}

/** Where a sign is across the page, and how large it is. */
function placeOf({ box }: Drawing): string {
  return [box.left, box.right, box.bottom - box.top].map((value) => Math.round(value)).join(' ');
}

function isSmall({ box }: Drawing): boolean {
  const width = box.right - box.left;
  const height = box.bottom - box.top;
  return (
    width > 1 && height > 1 && width < 12 && height < 12 && Math.abs(width - height) < 0.4 * Math.max(width, height)
  );
}

function standsBefore({ box }: Drawing, glyph: Glyph): boolean {
  const gap = glyph.left - box.right;
  const middle = (box.top + box.bottom) / 2;
  return (
    gap > 0.15 * glyph.size &&
    gap < 2 * glyph.size &&
    box.bottom - box.top < 0.8 * glyph.size &&
    middle < glyph.baseline &&
    middle > glyph.baseline - 0.8 * glyph.size
  );
}

/** Text right before the sign: it belongs to that text. */
function isNearLeft(glyph: Glyph, { box }: Drawing, next: Glyph): boolean {
  return sameLine(glyph, next) && glyph.left < box.right && box.left - glyph.right < 3 * next.size;
}
