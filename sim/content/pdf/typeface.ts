import PdfKit from 'pdfkit';

import { embeddedFont, remembered } from './embedded-font.ts';
import type { Font } from './embedded-font.ts';

export type PageVariant = 'roman' | 'bold' | 'italic' | 'boldItalic';
export type FamilyName = 'times' | 'helvetica' | 'gentium';

export interface Piece {
  readonly font: Font;
  readonly size: number;
  readonly rise: number;
  readonly text: string;
  readonly width: number;
}

type Chain = readonly Font[];
type Family = Readonly<Record<PageVariant, Chain>>;

const SCRIPTS = ['latin', 'greek', 'cyrillic', 'latin-ext', 'vietnamese'] as const;

function gentium(weight: 400 | 700, slant: 'normal' | 'italic'): Chain {
  return SCRIPTS.map((script) => embeddedFont(script, weight, slant));
}

const GENTIUM = {
  roman: gentium(400, 'normal'),
  bold: gentium(700, 'normal'),
  italic: gentium(400, 'italic'),
  boldItalic: gentium(700, 'italic'),
};

/** A standard family; missing characters (Greek, Cyrillic, the minus sign) use the embedded font. */
function standardFamily(roman: string, bold: string, italic: string, boldItalic: string): Family {
  return {
    roman: [standardFont(roman), ...GENTIUM.roman],
    bold: [standardFont(bold), ...GENTIUM.bold],
    italic: [standardFont(italic), ...GENTIUM.italic],
    boldItalic: [standardFont(boldItalic), ...GENTIUM.boldItalic],
  };
}

const FAMILIES: Readonly<Record<FamilyName, Family>> = {
  times: standardFamily('Times-Roman', 'Times-Bold', 'Times-Italic', 'Times-BoldItalic'),
  helvetica: standardFamily('Helvetica', 'Helvetica-Bold', 'Helvetica-Oblique', 'Helvetica-BoldOblique'),
  gentium: GENTIUM,
};

const PLAIN = /^[\u0020-\u007e]*$/;

/** Sets text in one line, with as many fonts as needed. Characters that no font has become their base letter or `?`. */
export function setPieces(text: string, family: FamilyName, face: PageVariant, size: number, rise = 0): Piece[] {
  const chain = FAMILIES[family][face];
  const [first] = chain;
  if (!first) throw new RangeError(`no font for ${family} ${face}`);
  if (PLAIN.test(text)) return [piece(first, text, size, rise)];
  const pieces: Piece[] = [];
  let run = '';
  let font = first;
  for (const character of Array.from(text.normalize('NFC')).flatMap((letter) => readable(letter, chain))) {
    const codePoint = character.codePointAt(0) ?? 0x3f;
    // Prefer the current font, so that digits and punctuation inside a Cyrillic word stay in it.
    const next = font.has(codePoint) ? font : (chain.find((candidate) => candidate.has(codePoint)) ?? first);
    if (next !== font && run !== '') {
      pieces.push(piece(font, run, size, rise));
      run = '';
    }
    font = next;
    run += character;
  }
  if (run !== '') pieces.push(piece(font, run, size, rise));
  return pieces;
}

function readable(letter: string, chain: Chain): string[] {
  const known = (text: string): boolean => chain.some((font) => font.has(text.codePointAt(0) ?? 0));
  if (known(letter)) return [letter];
  const base = Array.from(letter.normalize('NFKD')).filter(known);
  return base.length > 0 ? base : ['?'];
}

function piece(font: Font, text: string, size: number, rise: number): Piece {
  return { font, size, rise, text, width: (font.shape(text).width * size) / 1000 };
}

// Windows-1252, 0x80 to 0x9F; 0 for unused codes.
const HIGH = [
  0x20ac, 0, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0, 0x17d, 0, 0, 0x2018,
  0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0, 0x17e, 0x178,
];

const CODES = new Map<number, number>();
for (let code = 0x20; code < 0x7f; code++) CODES.set(code, code);
for (let code = 0xa0; code < 0x100; code++) if (code !== 0xad) CODES.set(code, code);
HIGH.forEach((codePoint, index) => codePoint && CODES.set(codePoint, 0x80 + index));

/** One of the standard 14 fonts. */
function standardFont(name: string): Font {
  const widths = new Map<number, number>();
  const measure = (): void => {
    const ruler = new PdfKit({ autoFirstPage: false }).font(name).fontSize(1000);
    for (const codePoint of CODES.keys()) {
      widths.set(codePoint, ruler.widthOfString(String.fromCodePoint(codePoint)));
    }
  };
  return {
    name,
    has: (codePoint) => CODES.has(codePoint),
    shape: remembered((text) => {
      if (widths.size === 0) measure();
      let width = 0;
      let bytes = '';
      for (const character of text) {
        const codePoint = character.codePointAt(0) ?? 0x20;
        width += widths.get(codePoint) ?? 0;
        const code = CODES.get(codePoint) ?? 0x3f;
        bytes +=
          code === 0x28 || code === 0x29 || code === 0x5c
            ? `\\${String.fromCharCode(code)}`
            : String.fromCharCode(code);
      }
      return { width, show: `(${bytes})` };
    }),
    embed(document) {
      const reference = document.ref({ Type: 'Font', Subtype: 'Type1', BaseFont: name, Encoding: 'WinAnsiEncoding' });
      reference.end(undefined);
      return reference;
    },
  };
}
