import { quantile } from '../layout/statistics.ts';
import { hasLetterOrDigit, isWide } from '../layout/text/script.ts';

/** A character as it lies on the page, measured in the nominal size of its font. */
export interface SetCharacter {
  readonly text: string;
  /** How far its ink rises above the baseline. */
  readonly rise: number;
  /** How far the pen moves. */
  readonly advance: number;
}

/** How far letters rise above the baseline, in ems: in all faces for running text this differs by less than a tenth. */
const TALL = 0.68;
const LOW = 0.45;
const IDEOGRAPH = 0.82;
const RISING = /^[\p{Lu}\p{N}bdfhklßþđħłƒбёй]$/u;
/** Mean advance of letters in ems, for signs without a known height. */
const USUAL_ADVANCE = 0.5;
/** Sizes closer to the letters than this are believed. */
const BELIEVED = { least: 0.7, most: 1.5 };

/**
 * By what the nominal size of a font is multiplied to give the size of its letters. A Type 3 font has units of its own:
 * in those that dvips and Ghostscript write, a unit is a dot of the printer and the size of the font is that of the
 * dot.
 */
export function emScale(characters: readonly SetCharacter[]): number {
  const heights = characters.flatMap(({ text, rise }) =>
    hasLetterOrDigit(text) && rise > 0 ? [rise / heightOf(text)] : [],
  );
  const advances = characters.flatMap(({ advance }) => (advance > 0 ? [advance / USUAL_ADVANCE] : []));
  const scale = quantile(heights, 0.5) ?? quantile(advances, 0.5) ?? 1;
  return scale >= BELIEVED.least && scale <= BELIEVED.most ? 1 : scale;
}

function heightOf(text: string): number {
  if (isWide(text)) return IDEOGRAPH;
  return RISING.test(text) ? TALL : LOW;
}
