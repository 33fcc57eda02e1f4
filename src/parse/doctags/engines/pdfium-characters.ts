import { isOpaque, unknownText, usableText } from '../layout/text/glyph-text.ts';
import type { Ink } from '../layout/text/letter-shape.ts';
import type { Font } from '../layout/page/page-content.ts';
import type { SymbolEncoding } from '../layout/text/symbol-encoding.ts';
import { misreadSymbol, symbolEncodingOf, symbolAt } from '../layout/text/symbol-encoding.ts';
import type { FontDifferences } from './font-differences.ts';
import type { FontProgram } from './font-program.ts';
import { readFontProgram } from './font-program.ts';
import type { Library } from './pdfium-library.ts';

/** The character that a font shows for a code. */
export interface Character {
  /** Empty if nothing is visible; one private-use character if the glyph is unknown. */
  readonly text: string;
  /** Whether it differs from the file's Unicode value. */
  readonly isRenamed: boolean;
  /** How far the pen moves, in ems; 0 if the font does not say. */
  readonly advance: number;
  /** The ink relative to the pen, in ems; undefined if there is none. */
  readonly ink: Ink | undefined;
}

/** Where a character first occurred. */
interface Sighting {
  readonly textPage: number;
  readonly index: number;
  readonly size: number;
}

/** Fonts in papers are smaller. */
const LARGEST_PROGRAM = 20_000_000;

/** The characters of one font, each looked up once in a document. */
export class FontCharacters {
  readonly font: Font;
  readonly #library: Library;
  readonly #pointer: number;
  readonly #differences: () => FontDifferences;
  readonly #encoding: SymbolEncoding | undefined;
  readonly #known = new Map<number, Character>();
  #program: FontProgram | undefined;

  constructor(library: Library, pointer: number, font: Font, differences: () => FontDifferences) {
    this.font = font;
    this.#library = library;
    this.#pointer = pointer;
    this.#differences = differences;
    this.#encoding = symbolEncodingOf(font.name);
  }

  /** The shapes of the characters seen so far, by text. */
  shapes(): Map<string, Ink> {
    const shapes = new Map<string, Ink>();
    for (const { text, ink } of this.#known.values()) if (ink && text !== '') shapes.set(text, ink);
    return shapes;
  }

  /** The character of a code; its first occurrence gives its shape. */
  character(code: number, textPage: number, index: number, size: number): Character {
    return this.#known.get(code) ?? this.#meet(code, { textPage, index, size });
  }

  #meet(code: number, sighting: Sighting): Character {
    const isWrong = this.#library.call.FPDFText_HasUnicodeMapError(sighting.textPage, sighting.index) === 1;
    const text = this.#textOf(code, isWrong);
    const character = {
      text,
      isRenamed: text !== usableText(code, isWrong, this.font.name),
      // The engine looks widths up by Unicode value, which must be the glyph's own.
      advance: isWrong || isOpaque(code) ? 0 : this.#advanceOf(code),
      ink: inkOf(this.#library, sighting),
    };
    this.#known.set(code, character);
    return character;
  }

  #textOf(code: number, isWrong: boolean): string {
    if ((isOpaque(code) && code !== 9) || isWrong) {
      const named = this.#textByName(code);
      if (named !== undefined) return named;
    }
    if (this.#encoding && code < 0x200) {
      const meant = misreadSymbol(this.#encoding, String.fromCodePoint(code));
      if (meant !== undefined) return meant;
    }
    const text = usableText(code, isWrong, this.font.name);
    // Parts of large signs and empty glyphs do not count as missing text.
    if (text !== '' || this.#encoding === 'tex-extension' || !isOpaque(code) || code === 0xfeff || code === 9)
      return text;
    return this.font.math ? '' : unknownText(code);
  }

  /** The text of a code by its glyph's name, from the file or else from the font program. */
  #textByName(code: number): string | undefined {
    const listed = this.#differences().get(this.font.name)?.get(code);
    const name = listed ?? this.#fontProgram().nameOf.get(code);
    if (name === undefined || name === '') return undefined;
    if (name === 'space' || name === 'nbspace' || name === '.notdef') return '';
    return textOfName(name, this.#encoding);
  }

  #fontProgram(): FontProgram {
    this.#program ??= readFontProgram(this.#fontBytes());
    return this.#program;
  }

  #fontBytes(): Uint8Array {
    const { call, scratch, integers } = this.#library;
    if (this.#pointer === 0 || call.FPDFFont_GetFontData(this.#pointer, 0, 0, scratch) !== 1) return new Uint8Array(0);
    const length = integers[scratch >> 2] ?? 0;
    if (length <= 0 || length > LARGEST_PROGRAM) return new Uint8Array(0);
    const buffer = call.malloc(length);
    try {
      if (call.FPDFFont_GetFontData(this.#pointer, buffer, length, scratch) !== 1) return new Uint8Array(0);
      return new Uint8Array(call.memory.buffer, buffer, length).slice();
    } finally {
      call.free(buffer);
    }
  }

  #advanceOf(code: number): number {
    const place = this.#library.scratch + 32;
    const isTold =
      this.#pointer !== 0 && this.#library.call.FPDFFont_GetGlyphWidth(this.#pointer, code, 1, place) === 1;
    return isTold ? (this.#library.floats[place >> 2] ?? 0) : 0;
  }
}

function inkOf(library: Library, { textPage, index, size }: Sighting): Ink | undefined {
  const { call, scratch } = library;
  if (!(size > 0.5)) return undefined;
  // The engine writes left, right, bottom and top as doubles, then the position of the pen.
  if (call.FPDFText_GetCharBox(textPage, index, scratch, scratch + 8, scratch + 16, scratch + 24) !== 1)
    return undefined;
  call.FPDFText_GetCharOrigin(textPage, index, scratch + 32, scratch + 40);
  const at = scratch >> 3;
  const [left = 0, right = 0, bottom = 0, top = 0, x = 0, y = 0] = library.doubles.subarray(at, at + 6);
  if (!(right > left) || !(top > bottom)) return undefined;
  return { left: (left - x) / size, right: (right - x) / size, bottom: (bottom - y) / size, top: (top - y) / size };
}

/** Glyph names in papers other than letters (Adobe Glyph List). */
const NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  `alpha=α beta=β gamma=γ delta=δ epsilon=ε epsilon1=ϵ zeta=ζ eta=η theta=θ theta1=ϑ iota=ι kappa=κ lambda=λ mu=μ mu1=µ
nu=ν xi=ξ omicron=ο pi=π rho=ρ sigma=σ sigma1=ς tau=τ upsilon=υ phi=φ phi1=ϕ chi=χ psi=ψ omega=ω omega1=ϖ Alpha=Α Beta=Β
Gamma=Γ Delta=Δ increment=Δ Epsilon=Ε Zeta=Ζ Eta=Η Theta=Θ Iota=Ι Kappa=Κ Lambda=Λ Mu=Μ Nu=Ν Xi=Ξ Omicron=Ο Pi=Π Rho=Ρ
Sigma=Σ summation=∑ Tau=Τ Upsilon=Υ Phi=Φ Chi=Χ Psi=Ψ Omega=Ω ohm=Ω product=∏ plusminus=± minusplus=∓ multiply=×
divide=÷ minus=− plus=+ equal== notequal=≠ less=< greater=> lessequal=≤ greaterequal=≥ lessorequalslant=≤ greaterorequalslant=≥
approxequal=≈ similar=∼ similarequal=≃ equivalence=≡ proportional=∝ infinity=∞ partialdiff=∂ gradient=∇ integral=∫ radical=√
element=∈ notelement=∉ intersection=∩ union=∪ propersubset=⊂ propersuperset=⊃ reflexsubset=⊆ reflexsuperset=⊇ logicaland=∧
logicalor=∨ logicalnot=¬ existential=∃ universal=∀ therefore=∴ perpendicular=⊥ angle=∠ circleplus=⊕ circlemultiply=⊗
emptyset=∅ aleph=ℵ weierstrass=℘ arrowleft=← arrowright=→ arrowup=↑ arrowdown=↓ arrowboth=↔ arrowdblright=⇒
arrowdblleft=⇐ arrowdblboth=⇔ dotmath=⋅ periodcentered=· middot=· bullet=• openbullet=° degree=° ring=˚ minute=′ prime=′
second=″ asteriskmath=∗ asterisk=* dagger=† daggerdbl=‡ section=§ paragraph=¶ copyright=© copyrightserif=© copyrightsans=©
registered=® registerserif=® registersans=® trademark=™ trademarkserif=™ trademarksans=™ ellipsis=… endash=– emdash=— hyphen=-
sfthyphen=- quoteleft=‘ quoteright=’ quotedblleft=“ quotedblright=” quotesingle=' quotedbl=" quotesinglbase=‚
guillemotleft=« guillemotright=» perthousand=‰ percent=% ampersand=& numbersign=# dollar=$ at=@ slash=/ fraction=⁄
backslash=\\ bar=| brokenbar=¦ parenleft=( parenright=) bracketleft=[ bracketright=] braceleft={ braceright=} angleleft=⟨
angleright=⟩ period=. comma=, colon=: semicolon=; exclam=! question=? questiondown=¿ exclamdown=¡ underscore=_ asciitilde=~
asciicircum=^ grave=\` acute=´ circumflex=ˆ tilde=˜ macron=¯ breve=˘ dotaccent=˙ dieresis=¨ cedilla=¸ hungarumlaut=˝
ogonek=˛ caron=ˇ dotlessi=ı dotlessj=ȷ zero=0 one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 onehalf=½
onequarter=¼ threequarters=¾ onesuperior=¹ twosuperior=² threesuperior=³ AE=Æ ae=æ OE=Œ oe=œ Oslash=Ø oslash=ø Lslash=Ł
lslash=ł germandbls=ß eth=ð Eth=Ð thorn=þ Thorn=Þ Aring=Å aring=å angstrom=Å sterling=£ yen=¥ Euro=€ euro=€ cent=¢ florin=ƒ
currency=¤ ff=ff fi=fi fl=fl ffi=ffi ffl=ffl Th=Th heart=♥ club=♣ diamond=♦ spade=♠ lozenge=◊ female=♀ male=♂ checkmark=✓
filledbox=■ square=□ triangle=△ arrowhookleft=↩ star=⋆ Ifractur=ℑ Rfractur=ℜ estimated=℮ numero=№ ordfeminine=ª
ordmasculine=º`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, entry.indexOf('=', 1)), entry.slice(entry.indexOf('=', 1) + 1)]),
);

const ACCENTS: Readonly<Record<string, string>> = {
  grave: '\u0300',
  acute: '\u0301',
  circumflex: '\u0302',
  tilde: '\u0303',
  macron: '\u0304',
  breve: '\u0306',
  dotaccent: '\u0307',
  dieresis: '\u0308',
  ring: '\u030a',
  caron: '\u030c',
  cedilla: '\u0327',
  ogonek: '\u0328',
};

/** The text that a glyph's name stands for; undefined if the name is unknown. */
export function textOfName(name: string, encoding: SymbolEncoding | undefined): string | undefined {
  const numbered = /^C(\d{1,3})$/.exec(name);
  // 3B2 names glyphs by their code in the original font.
  if (numbered) {
    const code = Number(numbered[1]);
    if (encoding) return symbolAt(encoding, code);
    return code > 0xa0 && code <= 0xff ? String.fromCodePoint(code) : undefined;
  }
  // Large signs and alternative forms stand for the same letter.
  const base = (name.split('.')[0] ?? '').replace(/(?<=[a-z]{4})(?:[bB]igg?|text|display|tp)$/, '');
  const parts = base.split('_').map((part) => textOfPart(part));
  return base !== '' && parts.every((part) => part !== undefined) ? parts.join('') : undefined;
}

function textOfPart(name: string): string | undefined {
  const known = NAMES[name];
  if (known !== undefined) return known;
  if (/^[A-Za-z]$/.test(name)) return name;
  const code = /^(?:uni([0-9A-F]{4})|u([0-9A-F]{4,6}))$/.exec(name);
  if (code) {
    const value = parseInt(code[1] ?? code[2] ?? '', 16);
    return value > 0x10ffff || isOpaque(value) ? undefined : usableText(value, false, '');
  }
  const accented =
    /^([A-Za-z])(grave|acute|circumflex|tilde|macron|breve|dotaccent|dieresis|ring|caron|cedilla|ogonek)$/.exec(name);
  return accented ? `${accented[1]}${ACCENTS[accented[2] ?? ''] ?? ''}`.normalize('NFC') : undefined;
}
