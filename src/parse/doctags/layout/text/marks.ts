import type { Box } from '../../../document.ts';
import type { Drawing, Glyph } from '../page/page-content.ts';
import { touches, heightOf, widthOf } from '../page/box.ts';
import { hasLetterOrDigit, isRightToLeft } from './script.ts';

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
/** A letter that has marks already, or a ligature. */
const MARKED = /^\p{L}[\p{L}\p{M}]*$/u;
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
    const reach = isCombining(accent.text) ? Math.ceil((RISE * accent.size) / ROW) : 1;
    const near = Array.from({ length: reach + 2 }, (_, step) => rows.get(rowOf(accent) + step - 1) ?? []).flat();
    steps -= near.length;
    if (steps < 0) break;
    const distance = (index: number): number => Math.abs((glyphs[index] ?? accent).baseline - accent.baseline);
    const [host] = near
      .filter((index) => index !== at && covers(glyphs[index] ?? accent, accent))
      .sort((a, b) => distance(a) - distance(b));
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

/** More small drawings are the marks of a chart. */
const MOST_BULLETS = 200;

/** Browsers and slides draw bullets: squarish shapes of one size below each other, alone in front of a line. */
export function withDrawnBullets(glyphs: readonly Glyph[], drawings: readonly Drawing[]): readonly Glyph[] {
  const shapes = drawings.filter(({ kind }) => kind !== 'fill');
  const small = drawings.map(({ box }) => box).filter((box) => sizeOf(box) > 1 && sizeOf(box) < 12 && isSquarish(box));
  if (small.length < 2 || small.length > MOST_BULLETS) return glyphs;
  const bullets = new Map<Glyph, Box>();
  for (const box of small) {
    const middle = (box.top + box.bottom) / 2;
    const row = glyphs.filter(
      ({ baseline, size }) => baseline > middle - 0.05 * size && baseline < middle + 0.65 * size,
    );
    const [first] = row.filter(({ left }) => left > box.left).sort((a, b) => a.left - b.left);
    if (!first || !hasLetterOrDigit(first.text) || sizeOf(box) > 0.75 * first.size) continue;
    const gap = (first.left - box.right) / first.size;
    const isFirst = row.every(({ left, right }) => left > box.left || right < box.left - 2 * first.size);
    const line = { ...box, right: first.right + 10 * first.size };
    const isAlone = shapes.every((shape) => shape.box === box || !touches(shape.box, line, 0));
    if (gap > 0.15 && gap < 2.5 && isFirst && isAlone) bullets.set(first, box);
  }
  const alike = Map.groupBy(bullets.values(), (box) => `${Math.round(box.left)} ${Math.round(sizeOf(box))}`);
  const listed = new Set([...alike.values()].filter((boxes) => boxes.length > 1).flat());
  return glyphs.flatMap((glyph) => {
    const box = bullets.get(glyph);
    if (!box || !listed.has(box)) return [glyph];
    return [
      { ...glyph, ...box, x: box.left, text: '•' },
      { ...glyph, spaced: true },
    ];
  });
}

function sizeOf({ left, right, top, bottom }: Box): number {
  return Math.max(right - left, bottom - top);
}

function isSquarish(box: Box): boolean {
  return sizeOf(box) < 1.5 * Math.min(widthOf(box), heightOf(box));
}

export function combiningMark(accent: string): string | undefined {
  return COMBINING.get(accent);
}

function markOf(text: string): string | undefined {
  if (isPlain(text)) return undefined;
  return COMBINING.get(text) ?? (isCombining(text) ? text : undefined);
}

function isCombining(text: string): boolean {
  return COMBINING_MARK.test(text);
}

/** How far, in ems, a mark of Arabic or Hebrew may be raised above its letter, and lowered below it. */
const RISE = 0.95;
const FALL = 0.35;

function covers(letter: Glyph, accent: Glyph): boolean {
  const isMark = isCombining(accent.text) && accent.text !== STROKE;
  // A stroke through a sign negates it; the other accents are over letters.
  const host = accent.text === STROKE ? RELATION : isMark ? MARKED : LETTER;
  if (!host.test(letter.text) || letter.turn !== accent.turn) return false;
  const middle = (accent.left + accent.right) / 2;
  const slack = 0.08 * letter.size;
  return (
    middle > letter.left - slack &&
    middle < letter.right + slack &&
    (isMark ? isAtHeight(letter, accent) : Math.abs(letter.baseline - accent.baseline) < 0.5 * letter.size)
  );
}

function isAtHeight(letter: Glyph, mark: Glyph): boolean {
  const rise = (letter.baseline - mark.baseline) / letter.size;
  return isRightToLeft(letter.text) ? rise > -FALL && rise < RISE : Math.abs(rise) < 0.5;
}

function compose(letter: Glyph, mark: string): Glyph {
  return { ...letter, text: ((BASE[letter.text] ?? letter.text) + mark).normalize('NFC') };
}

const DINGBATS = /wingdings|webdings|dingbat|bullet|ornament|marlett|commpi/i;
/** Signs that begin items as they are. */
const BULLET = /^[•●○◦▪■□‣∙►▶▸✓✔–—-]$/u;

/** A sign without meaning alone before a line of text is a bullet: fonts of signs have arbitrary codes. */
export function restoreBullets(glyphs: readonly Glyph[]): readonly Glyph[] {
  const signs = new Set([...new Set(glyphs.map(({ font }) => font))].filter(({ name }) => DINGBATS.test(name)));
  const isOdd = ({ text, font }: Glyph): boolean =>
    text === '' || (signs.has(font) && /^\S$/u.test(text) && !BULLET.test(text));
  if (signs.size === 0 && !glyphs.some(isOdd)) return glyphs;
  return glyphs.map((glyph, index) => {
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

function sameLine(a: Glyph, b: Glyph): boolean {
  return Math.abs(a.baseline - b.baseline) < 0.4 * Math.max(a.size, b.size);
}
