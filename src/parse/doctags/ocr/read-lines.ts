import type { Glyph } from '../layout/page/page-content.ts';
import { OCR_FONT } from '../layout/page/page-content.ts';
import { hasLetterOrDigit } from '../layout/text/letter.ts';

/** A word that OCR found, in pixels. */
interface OcrWord {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** 0 to 100. */
  readonly certainty: number;
}

/** A line that OCR found. */
export interface OcrLine {
  readonly words: readonly OcrWord[];
  readonly top: number;
  readonly height: number;
  /** 0 to 100: the mean of its words, by letters. */
  readonly certainty: number;
}

/** Words with less certainty than this (in percent) are noise: specks, rules, pictures. */
const MIN_WORD_CERTAINTY = 30;
/** A whole line below this is no text: print of another script, a drawing, a texture. */
const MIN_LINE_CERTAINTY = 50;

/** The lines of tesseract's table, without words that are noise. */
export function linesFromTsv(table: string): OcrLine[] {
  const lines: { top: number; height: number; words: OcrWord[] }[] = [];
  for (const row of table.split('\n')) {
    const fields = row.split('\t');
    const [left = 0, top = 0, width = 0, height = 0, certainty = -1] = fields.slice(6, 11).map(Number);
    if (fields[0] === '4') lines.push({ top, height, words: [] });
    const text = fields[11]?.trim() ?? '';
    if (fields[0] === '5' && text !== '' && certainty >= MIN_WORD_CERTAINTY)
      lines.at(-1)?.words.push({ text, left, top, width, height, certainty });
  }
  return lines
    .map((line) => ({ ...line, certainty: meanCertainty(line.words) }))
    .filter(({ words }) => words.length > 0);
}

/** Mean certainty of words, by letters. */
export function meanCertainty(words: readonly OcrWord[]): number {
  let [sum, letters] = [0, 0];
  for (const { text, certainty } of words) {
    sum += certainty * text.length;
    letters += text.length;
  }
  return letters === 0 ? 0 : sum / letters;
}

/** Whether a line is text rather than marks that look like letters. */
export function isText({ words, certainty }: OcrLine): boolean {
  return certainty >= MIN_LINE_CERTAINTY && words.some(({ text }) => hasLetterOrDigit(text));
}

/** Spreads each word's letters evenly over its box, in points; words of one line share a baseline. */
export function glyphsOf(lines: readonly OcrLine[], scale: number): Glyph[] {
  return lines.flatMap(({ words, top: lineTop, height: lineHeight }) => {
    const bottom = (lineTop + lineHeight) / scale;
    // The box of a line reaches from the ascenders to the descenders: about nine tenths of the type size.
    const size = lineHeight / scale / 0.9;
    return words.flatMap(({ text, left, top, width, height }) => {
      const letters = Array.from(text);
      // Tesseract gives words as they are read; letters of these scripts are from right to left.
      if (/[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text)) letters.reverse();
      const step = width / scale / letters.length;
      return letters.map((letter, index): Glyph => {
        const x = left / scale + index * step;
        return {
          text: letter,
          left: x,
          right: x + step,
          top: top / scale,
          bottom: (top + height) / scale,
          x,
          baseline: bottom - 0.2 * size,
          size,
          font: OCR_FONT,
          spaced: index === 0,
          turn: 0,
          mark: -1,
          form: -1,
          artifact: false,
        };
      });
    });
  });
}
