import type { Glyph, Drawing } from '../page/page-content.ts';

// Spacing accents as old TeX fonts set them, and the combining marks they stand for.
const COMBINING = new Map(
  Array.from('´`¨ˆ^˜~¸ˇ˘˚¯˙˝˛', (accent, index) => [
    accent,
    '\u0301\u0300\u0308\u0302\u0302\u0303\u0303\u0327\u030c\u0306\u030a\u0304\u0307\u030b\u0328'[index] ?? '',
  ]),
);
/** TeX's slash for \\neq and its like. */
const STROKE = '\u0338';
const BASE: Readonly<Record<string, string>> = { ı: 'i', ȷ: 'j' };

const COMBINING_MARK = /^\p{Mn}$/u;
const LETTER = /^\p{L}$/u;
/** What TeX strokes through. */
const RELATION = /^[=<>≡∼≈≤≥∈∋⊂⊃⊆⊇∃|∥]$/u;
const HOST = /^[\p{L}\p{Sm}]/u;

/** Height of a row of letters, in points, among which an accent looks for its own. */
const ROW = 4;
/** A page full of accents is no text. */
const MOST_STEPS = 5_000_000;

/** Puts accents that are glyphs of their own onto the letter they are printed over, wherever in the file they are. */
export function composeAccents(glyphs: readonly Glyph[]): readonly Glyph[] {
  return glyphs.some(({ text }) => markOf(text) !== undefined) ? composeMarks(glyphs) : glyphs;
}

function composeMarks(glyphs: readonly Glyph[]): Glyph[] {
  const result: Glyph[] = [];
  const loose: { readonly accent: Glyph; readonly mark: string; readonly at: number }[] = [];
  for (let index = 0; index < glyphs.length; index += 1) {
    const glyph = glyphs[index];
    if (!glyph) continue;
    const mark = markOf(glyph.text);
    if (mark === undefined) {
      result.push(glyph);
      continue;
    }
    const previous = result.at(-1);
    const next = glyphs[index + 1];
    if (isCombining(glyph.text) && previous && covers(previous, glyph) && !(next && covers(next, glyph))) {
      result[result.length - 1] = compose(previous, mark);
    } else if (next && covers(next, glyph)) {
      result.push(compose(next, mark));
      index += 1;
    } else if (previous && covers(previous, glyph)) {
      result[result.length - 1] = compose(previous, mark);
    } else {
      loose.push({ accent: glyph, mark, at: result.length });
      result.push(glyph);
    }
  }
  return loose.length === 0 ? result : composeLoose(result, loose);
}

/** Some programs draw the accents of a line after its letters: their letter is found by place. */
function composeLoose(
  glyphs: Glyph[],
  loose: readonly { readonly accent: Glyph; readonly mark: string; readonly at: number }[],
): Glyph[] {
  const rows = new Map<number, number[]>();
  const rowOf = (glyph: Glyph): number => Math.round(glyph.baseline / ROW);
  glyphs.forEach((glyph, index) => {
    if (!HOST.test(glyph.text)) return;
    const row = rows.get(rowOf(glyph)) ?? [];
    rows.set(rowOf(glyph), row);
    row.push(index);
  });
  const gone = new Set<number>();
  let steps = MOST_STEPS;
  for (const { accent, mark, at } of loose) {
    const near = [-1, 0, 1].flatMap((step) => rows.get(rowOf(accent) + step) ?? []);
    steps -= near.length;
    if (steps < 0) break;
    const host = near.find((index) => index !== at && covers(glyphs[index] ?? accent, accent));
    const letter = host === undefined ? undefined : glyphs[host];
    if (host === undefined || !letter) continue;
    glyphs[host] = compose(letter, mark);
    gone.add(at);
  }
  return glyphs.filter((_, index) => !gone.has(index));
}

/** Letters, digits and stops of English: most of any page, and no accents. */
function isPlain(text: string): boolean {
  const code = text.charCodeAt(0);
  return code < 0xa8 && code !== 0x5e && code !== 0x60 && code !== 0x7e;
}

function markOf(text: string): string | undefined {
  if (isPlain(text)) return undefined;
  return COMBINING.get(text) ?? (isCombining(text) ? text : undefined);
}

function isCombining(text: string): boolean {
  return COMBINING_MARK.test(text);
}

function covers(letter: Glyph, accent: Glyph): boolean {
  // A stroke through a sign negates it; the other accents are over letters.
  const host = accent.text === STROKE ? RELATION : LETTER;
  if (!host.test(letter.text) || letter.turn !== accent.turn) return false;
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
