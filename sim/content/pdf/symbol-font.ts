import { deflateSync } from 'node:zlib';
import { embeddedFont } from './embedded-font.ts';
import type { Font, PdfObject } from './font.ts';

/**
 * A small Type 1 font without a Unicode map, as found in publishers' files: the ligature "Th" is glyph 1, and a mu is
 * named "m".
 */
interface Sign {
  readonly text: string;
  readonly code: number;
  /** The glyph name in the font. */
  readonly name: string;
  /** The letters whose outlines form the glyph. */
  readonly drawn: string;
}

const SIGNS: readonly Sign[] = [
  { text: 'Th', code: 1, name: 'T_h', drawn: 'Th' },
  { text: 'µ', code: 109, name: 'm', drawn: 'μ' },
];

interface Drawn {
  readonly width: number;
  readonly charString: readonly number[];
}

let drawn: readonly Drawn[] | undefined;

/** The font, drawn with outlines of Gentium. */
export const symbolFont: Font = {
  name: 'symbols',
  has: (codePoint) => codePoint === 0xb5,
  shape(text) {
    const index = SIGNS.findIndex((sign) => sign.text === text);
    const sign = SIGNS[index];
    if (!sign) return { width: 0, show: '()' };
    return { width: outlines()[index]?.width ?? 0, show: `<${sign.code.toString(16).padStart(2, '0')}>` };
  },
  embed,
};

/** Splits a text into parts the font covers and the rest. */
export function splitSymbols(text: string): string[] {
  return text.split(/(Th|µ)/).filter((part) => part !== '');
}

/** Whether a part is a single glyph of the font. */
export function isSymbol(text: string): boolean {
  return SIGNS.some((sign) => sign.text === text);
}

function outlines(): readonly Drawn[] {
  drawn ??= SIGNS.map(({ drawn: letters }) => {
    const charString: number[] = [];
    let width = 0;
    let [x, y] = [0, 0];
    const point = (toX: number, toY: number): number[] => {
      const [dx, dy] = [Math.round(toX) - x, Math.round(toY) - y];
      [x, y] = [Math.round(toX), Math.round(toY)];
      return [...number(dx), ...number(dy)];
    };
    for (const letter of letters) {
      const font = embeddedFont(/[A-Za-z]/.test(letter) ? 'latin' : 'greek', 400, 'normal').outlines();
      const scale = 1000 / font.unitsPerEm;
      const glyph = font.glyphForCodePoint(letter.codePointAt(0) ?? 0);
      const at = (value: number | undefined, shift = 0): number => (value ?? 0) * scale + shift;
      for (const { command, args } of glyph.path.commands) {
        if (command === 'moveTo') charString.push(...point(at(args[0], width), at(args[1])), MOVE);
        else if (command === 'lineTo') charString.push(...point(at(args[0], width), at(args[1])), LINE);
        else if (command === 'quadraticCurveTo') {
          const [startX, startY] = [x, y];
          const [cx, cy, endX, endY] = [at(args[0], width), at(args[1]), at(args[2], width), at(args[3])];
          charString.push(...point(startX + (2 * (cx - startX)) / 3, startY + (2 * (cy - startY)) / 3));
          charString.push(...point(endX + (2 * (cx - endX)) / 3, endY + (2 * (cy - endY)) / 3));
          charString.push(...point(endX, endY), CURVE);
        }
      }
      width += Math.round(glyph.advanceWidth * scale);
    }
    return { width, charString: [...charString, END] };
  });
  return drawn;
}

const MOVE = 21;
const LINE = 5;
const CURVE = 8;
const END = 14;
/** Custom names are numbered after the standard ones. */
const OWN_NAMES = 391;
const LETTER_M = 78;

function number(value: number): number[] {
  return [28, (value >> 8) & 255, value & 255];
}

/** A CFF INDEX with two-byte offsets. */
function indexOf(entries: readonly (readonly number[])[]): number[] {
  const offsets = [1];
  for (const entry of entries) offsets.push((offsets.at(-1) ?? 1) + entry.length);
  return [
    entries.length >> 8,
    entries.length & 255,
    2,
    ...offsets.flatMap((offset) => [offset >> 8, offset & 255]),
    ...entries.flat(),
  ];
}

/** The font program: CFF with a custom encoding. */
function program(): Buffer {
  const latin = (text: string): number[] => [...Buffer.from(text, 'latin1')];
  const names = indexOf([latin('SimulatedSymbols')]);
  const strings = indexOf([latin('T_h')]);
  const charset = [0, OWN_NAMES >> 8, OWN_NAMES & 255, 0, LETTER_M];
  const encoding = [0, SIGNS.length, ...SIGNS.map(({ code }) => code)];
  const glyphs = indexOf([[END], ...outlines().map(({ charString }) => charString)]);
  const dict = (offset: number): number[] => [
    ...number(offset),
    15,
    ...number(offset + charset.length),
    16,
    ...number(offset + charset.length + encoding.length),
    17,
    ...number(0),
    ...number(offset + charset.length + encoding.length + glyphs.length),
    18,
  ];
  const head = [1, 0, 4, 2];
  const before = head.length + names.length + indexOf([dict(0)]).length + strings.length + 2;
  return Buffer.from([
    ...head,
    ...names,
    ...indexOf([dict(before)]),
    ...strings,
    0,
    0,
    ...charset,
    ...encoding,
    ...glyphs,
  ]);
}

function embed(document: PDFKit.PDFDocument): PdfObject {
  const file = document.ref({ Subtype: 'Type1C', Filter: 'FlateDecode' });
  file.end(deflateSync(program()));
  const name = 'SIMDOC+SimulatedSymbols';
  const descriptor = document.ref({
    Type: 'FontDescriptor',
    FontName: name,
    Flags: 4,
    FontBBox: [-100, -300, 1500, 1000],
    ItalicAngle: 0,
    Ascent: 900,
    Descent: -300,
    CapHeight: 700,
    StemV: 80,
    FontFile3: file,
  });
  descriptor.end(undefined);
  const [first, last] = [Math.min(...SIGNS.map(({ code }) => code)), Math.max(...SIGNS.map(({ code }) => code))];
  const font = document.ref({
    Type: 'Font',
    Subtype: 'Type1',
    BaseFont: name,
    FirstChar: first,
    LastChar: last,
    Widths: Array.from({ length: last - first + 1 }, (_unused, index) => {
      const at = SIGNS.findIndex(({ code }) => code === first + index);
      return outlines()[at]?.width ?? 0;
    }),
    FontDescriptor: descriptor,
  });
  font.end(undefined);
  return font;
}
