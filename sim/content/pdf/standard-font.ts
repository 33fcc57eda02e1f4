import PdfKit from 'pdfkit';
import { remembered } from './font.ts';
import type { Font } from './font.ts';

// Windows-1252, 0x80 to 0x9F; 0 for unused codes.
const HIGH = [
  0x20ac, 0, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0, 0x17d, 0, 0, 0x2018,
  0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0, 0x17e, 0x178,
];

const CODES = new Map<number, number>();
for (let code = 0x20; code < 0x7f; code++) CODES.set(code, code);
for (let code = 0xa0; code < 0x100; code++) if (code !== 0xad) CODES.set(code, code);
HIGH.forEach((codePoint, index) => codePoint && CODES.set(codePoint, 0x80 + index));

export type StandardName =
  | 'Times-Roman'
  | 'Times-Bold'
  | 'Times-Italic'
  | 'Times-BoldItalic'
  | 'Helvetica'
  | 'Helvetica-Bold'
  | 'Helvetica-Oblique'
  | 'Helvetica-BoldOblique';

/** One of the standard 14 fonts. */
export function standardFont(name: StandardName): Font {
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
