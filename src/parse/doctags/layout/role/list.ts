import type { Line } from '../page/line.ts';

const BULLET = /^(?<marker>[•●○◦⦁⚫⚪◉◎▪▫■□◾◽◼◻❑❒❏☐☑‣⁃∙·➢➣➤➔➜➥►▶▷▻▸▹◆◇◊♦❖✓✔✗✘★☆✦✧✱→⇒»*–—-])\k<marker>?(?=\s|\p{L})/u;
/** Signs that also are in sentences: they begin an item only with a space after them and others like it. */
const USUAL_SIGN = /[→⇒»*–—·-]/u;
const NUMBER = /^(?<marker>\(?(?:\d{1,3}|[a-z]|[ivx]{1,5}|[A-Z])[.)]|\[\d{1,3}\])(?=\s)/u;

/** True for a marker that is no bullet when it is alone. */
export function isUsualSign(marker: string): boolean {
  return USUAL_SIGN.test(marker);
}

/** A bullet or number that begins a list item. */
export interface ListMarker {
  readonly marker: string;
  readonly ordered: boolean;
}

/** The marker at the start of a line, if a list item may begin with it. */
export function listMarker(line: Line): ListMarker | undefined {
  // Most lines begin with a word: a letter and another letter.
  if (/^\p{L}\p{L}\p{L}/u.test(line.text) && !/^[ivx]{1,5}[.)]/u.test(line.text)) return undefined;
  // Some files hold a bullet twice.
  const bullet = BULLET.exec(line.text)?.[0];
  if (bullet !== undefined) {
    // A dash or asterisk needs a space after it, or it is a word or an operator.
    if (USUAL_SIGN.test(bullet) && !/^\S{1,2}\s/u.test(line.text)) return undefined;
    return { marker: bullet, ordered: false };
  }
  const number = NUMBER.exec(line.text)?.groups?.marker;
  return number === undefined ? undefined : { marker: number, ordered: true };
}

/** True when a line begins where the text after the first line's marker begins: it belongs to that item. */
export function hangsUnder(first: Line, line: Line): boolean {
  const marker = listMarker(first)?.marker;
  if (marker === undefined) return false;
  let length = 0;
  for (const glyph of first.glyphs) {
    if (length >= marker.length) return Math.abs(line.left - glyph.left) < 0.35 * line.size;
    length += glyph.text.length;
  }
  return false;
}
