import type { OcrPage } from '../../document.ts';
import type { PageImage } from '../engines/pdfium.ts';
import type { Glyph, PageContent } from '../layout/page/page-content.ts';
import { turnBack } from '../layout/page/page-view.ts';
import { detectLanguage } from '../layout/text/language.ts';
import type { OcrEngine } from './engine.ts';
import type { OcrLine } from './read-lines.ts';
import { glyphsOf, isText, linesFromTsv, meanCertainty } from './read-lines.ts';
import type { GreyImage } from './straighten.ts';
import { densestBand, level, measureSlant, toGrey, turnUpright } from './straighten.ts';

/** Tesseract's codes of the languages that texts are recognised as. */
const CODES: Readonly<Record<string, string>> = {
  en: 'eng',
  de: 'deu',
  fr: 'fra',
  es: 'spa',
  pt: 'por',
  it: 'ita',
  nl: 'nld',
  sv: 'swe',
  pl: 'pol',
  ru: 'rus',
  el: 'ell',
  ja: 'jpn',
  zh: 'chi_sim',
  ko: 'kor',
  ar: 'ara',
  he: 'heb',
  hi: 'hin',
  th: 'tha',
};

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

/** What OCR made of a page. */
export interface ReadScan {
  readonly glyphs: readonly Glyph[];
  readonly facts: OcrPage;
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
  async read(image: PageImage, page: PageContent): Promise<ReadScan | undefined> {
    const grey = toGrey(image);
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
    return {
      glyphs: glyphsOf(lines, image.width / page.width).map((glyph) => placed(glyph, page, reading.turn)),
      facts: {
        page: page.number,
        engine: this.#engine.name,
        language: reading.language,
        turn: reading.turn,
        skew: (reading.turn % 2 === 1) === slant.isSideways ? Math.round(10 * slant.degrees) / 10 : 0,
        confidence: Math.round(certainty) / 100,
        lines: lines.map((line) => Math.round(line.certainty) / 100),
        dropped: reading.lines.length - lines.length,
      },
    };
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
