import type { OcrPage } from '../../document.ts';
import type { PageImage } from '../engines/pdfium.ts';
import type { Glyph, PageContent } from '../layout/page/page-content.ts';
import { OCR_FONT } from '../layout/page/page-content.ts';
import { turnBack } from '../layout/page/page-view.ts';
import { detectLanguage, hasLetterOrDigit } from '../layout/text/script.ts';
import type { OcrEngine } from './tesseract.ts';
import type { GreyImage } from './straighten.ts';
import { densestBand, level, measureSlant, toGrey, turnUpright, whiten } from './straighten.ts';

/** Tesseract's codes of the languages that texts are recognised as. */
const CODES: Readonly<Record<string, string>> = Object.fromEntries(
  `en=eng de=deu fr=fra es=spa pt=por it=ita nl=nld sv=swe pl=pol ru=rus el=ell ja=jpn zh=chi_sim ko=kor ar=ara fa=fas
   tr=tur uk=ukr vi=vie he=heb hi=hin th=tha`
    .split(/\s+/)
    .map((pair) => pair.split('=')),
);

/** Readings with at least this mean certainty are right side up: upside down it is below 50. */
const SURE = 70;
/** A page that is read with less is no text that can be believed. */
const MIN_PAGE_CERTAINTY = 60;
/** Slants below this cost tesseract nothing. */
const LEAST_DEGREES = 0.3;

interface Reading {
  readonly lines: readonly OcrLine[];
  readonly certainty: number;
  readonly language: string;
  readonly turn: number;
}

/** Reads the scanned pages of one document; the language found on one page is tried first on the next. */
export class ScanReader {
  readonly #engine: OcrEngine;
  readonly #wanted: string;
  #found: string | undefined;

  constructor(engine: OcrEngine, languages: string) {
    this.#engine = engine;
    this.#wanted = languages;
  }

  /** Takes the language of the document from a page that has text. */
  learn(page: PageContent): void {
    if (this.#wanted !== 'auto' || this.#found !== undefined) return;
    this.#found = this.#dataFor(
      detectLanguage(page.glyphs.map(({ text, spaced }) => (spaced ? ` ${text}` : text)).join('')),
    );
  }

  /** The letters of a page image, placed on the page as it is; undefined when nothing on it can be read. */
  async read(image: PageImage, page: PageContent) {
    const grey = whiten(toGrey(image));
    const slant = measureSlant(grey);
    const straighten = (turn: number): GreyImage => {
      const upright = turnUpright(grey, turn);
      // Seen from the other direction along the lines, the slant is the same.
      const isMeasured = (turn % 2 === 1) === slant.isSideways;
      return isMeasured && Math.abs(slant.degrees) >= LEAST_DEGREES ? level(upright, slant.degrees) : upright;
    };
    const reading = await this.#bestReading(straighten, slant.isSideways);
    const lines = reading.lines.filter(isText);
    const certainty = meanCertainty(lines.flatMap(({ words }) => words));
    if (lines.length === 0 || certainty < MIN_PAGE_CERTAINTY) return undefined;
    if (certainty >= SURE) this.#found ??= reading.language;
    const facts: OcrPage = {
      page: page.number,
      engine: this.#engine.name,
      language: reading.language,
      turn: reading.turn,
      skew: (reading.turn % 2 === 1) === slant.isSideways ? Math.round(10 * slant.degrees) / 10 : 0,
      confidence: Math.round(certainty) / 100,
      lines: lines.map((line) => Math.round(line.certainty) / 100),
      dropped: reading.lines.length - lines.length,
    };
    const glyphs = glyphsOf(lines, image.width / page.width).map((glyph) => placed(glyph, page, reading.turn));
    return { glyphs, facts };
  }

  async #bestReading(straighten: (turn: number) => GreyImage, isSideways: boolean): Promise<Reading> {
    const language = this.#wanted === 'auto' ? (this.#found ?? this.#first()) : this.#wanted;
    const likely = isSideways ? await this.#bestTurn(straighten, [1, 3], language) : 0;
    let best = await this.#readAt(straighten(likely), likely, language);
    if (this.#wanted === 'auto' && this.#found === undefined) best = await this.#inItsLanguage(straighten, best);
    if (best.certainty >= SURE) return best;
    const turn = await this.#bestTurn(straighten, [0, 1, 2, 3], best.language);
    if (turn === best.turn) return best;
    let other = await this.#readAt(straighten(turn), turn, best.language);
    if (this.#wanted === 'auto' && this.#found === undefined) other = await this.#inItsLanguage(straighten, other);
    return other.certainty > best.certainty ? other : best;
  }

  /** Reads the page again when its text is in another language than it was read in, and data for that is installed. */
  async #inItsLanguage(straighten: (turn: number) => GreyImage, reading: Reading): Promise<Reading> {
    const text = reading.lines.map(({ words }) => words.map((word) => word.text).join(' ')).join(' ');
    const language =
      reading.certainty < MIN_PAGE_CERTAINTY
        ? await this.#otherScript(straighten(reading.turn), reading)
        : this.#dataFor(detectLanguage(text));
    if (language === undefined || language === reading.language) return reading;
    return this.#readAt(straighten(reading.turn), reading.turn, language);
  }

  /** The language of another script in which a part of the page can be read with certainty. */
  async #otherScript(image: GreyImage, reading: Reading): Promise<string | undefined> {
    const band = densestBand(image);
    const latin = new Set(['eng', 'deu', 'fra', 'spa', 'por', 'ita', 'nld', 'swe', 'pol', 'osd', 'equ']);
    let best: Reading | undefined;
    for (const language of this.#engine.languages) {
      if (latin.has(language)) continue;
      const tried = await this.#readAt(band, reading.turn, language);
      if (tried.certainty >= Math.max(SURE, best?.certainty ?? 0)) best = tried;
    }
    return best?.language;
  }

  async #bestTurn(
    straighten: (turn: number) => GreyImage,
    turns: readonly number[],
    language: string,
  ): Promise<number> {
    let best = { turn: turns[0] ?? 0, weight: -1 };
    for (const turn of turns) {
      const { lines } = await this.#readAt(densestBand(straighten(turn)), turn, language);
      // Upside down there are words as well, but short ones, and none of them is certain.
      const weight = lines
        .flatMap(({ words }) => words)
        .reduce(
          (sum, { text, certainty }) => sum + (text.length < 3 ? 0 : text.length * Math.max(0, certainty - 50)),
          0,
        );
      if (weight > best.weight) best = { turn, weight };
    }
    return best.turn;
  }

  async #readAt(image: GreyImage, turn: number, language: string): Promise<Reading> {
    const lines = linesFromTsv(await this.#engine.recognise(image, language));
    return { lines, certainty: meanCertainty(lines.flatMap(({ words }) => words)), language, turn };
  }

  #dataFor(language: string | undefined): string | undefined {
    const code = language === undefined ? undefined : CODES[language];
    return code !== undefined && this.#engine.languages.includes(code) ? code : undefined;
  }

  #first(): string {
    return this.#engine.languages.includes('eng') ? 'eng' : (this.#engine.languages[0] ?? 'eng');
  }
}

/** A glyph of the upright page where it is on the page as it is. */
function placed(glyph: Glyph, page: PageContent, turn: number): Glyph {
  if (turn === 0) return glyph;
  const box = turnBack(glyph, page, turn);
  const x = turn === 1 ? page.width - glyph.baseline : turn === 3 ? glyph.baseline : box.right;
  const baseline = turn === 2 ? page.height - glyph.baseline : turn === 1 ? box.top : box.bottom;
  return { ...glyph, ...box, x, baseline, turn };
}

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

interface OcrLine {
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

function meanCertainty(words: readonly OcrWord[]): number {
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

const SAME_SIZE = 0.15;
const ASCENDERS = /[\p{Lu}\p{Lo}\p{N}bdfhijklt]/u;
const DESCENDERS = /[gjpqy,;()[\]{}]|[^\0-\u024f]/u;

function textOf({ words }: OcrLine): string {
  return words.map(({ text }) => text).join(' ');
}

/** The type size of a line in pixels: its box reaches as far up and down as its letters do. */
function sizeOf(line: OcrLine): number {
  const text = textOf(line);
  const rise = ASCENDERS.test(text) ? 0.7 : 0.47;
  return line.height / (rise + (DESCENDERS.test(text) ? 0.2 : 0));
}

function medianSize(lines: readonly OcrLine[], sizes: readonly number[]): number {
  const order = lines.map((line, at) => ({ size: sizes[at] ?? 0, letters: textOf(line).length }));
  order.sort((a, b) => a.size - b.size);
  let left = order.reduce((sum, { letters }) => sum + letters, 0) / 2;
  return order.find(({ letters }) => (left -= letters) <= 0)?.size ?? 0;
}

/** Spreads each word's letters evenly over its box, in points; words of one line share a baseline. */
export function glyphsOf(lines: readonly OcrLine[], scale: number): Glyph[] {
  const sizes = lines.map(sizeOf);
  const usual = medianSize(lines, sizes);
  return lines.flatMap((line, at) => {
    const { words, top: lineTop, height: lineHeight } = line;
    const pixels = sizes[at] ?? usual;
    // Lines of one text have one size, whatever their letters are.
    const size = (Math.abs(pixels - usual) < SAME_SIZE * usual ? usual : pixels) / scale;
    const baseline = (lineTop + lineHeight) / scale - (DESCENDERS.test(textOf(line)) ? 0.2 * size : 0);
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
          baseline,
          size,
          font: OCR_FONT,
          spaced: index === 0,
          turn: 0,
          form: -1,
          artifact: false,
        };
      });
    });
  });
}
