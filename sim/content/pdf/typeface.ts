import { embeddedFont } from './embedded-font.ts';
import type { Font } from './font.ts';
import { standardFont } from './standard-font.ts';
import type { StandardName } from './standard-font.ts';

export type PageVariant = 'roman' | 'bold' | 'italic' | 'boldItalic';
export type FamilyName = 'times' | 'helvetica' | 'gentium';

/** A piece of text in one font and size. */
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
function standardFamily(
  roman: StandardName,
  bold: StandardName,
  italic: StandardName,
  boldItalic: StandardName,
): Family {
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
