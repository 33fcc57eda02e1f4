import { inflateSync } from 'node:zlib';
import { holdsLargeSigns, isOpaque, usableText } from '../layout/text/glyph-text.ts';
import { unknownText, misreadSymbol, symbolEncodingOf, symbolAt } from '../layout/text/symbol-font.ts';
import type { Ink, SymbolEncoding } from '../layout/text/symbol-font.ts';
import { combiningMark } from '../layout/text/marks.ts';
import { isLetters } from '../layout/text/script.ts';
import type { Font } from '../layout/page/page-content.ts';
import type { Library } from './pdfium-library.ts';
import type { KnownShapes } from './sign-shapes.ts';
import { shownSign } from './sign-shapes.ts';

/** By font name without its subset prefix: the glyph names of codes, from `/Differences` in the file. */
export type FontDifferences = ReadonlyMap<string, ReadonlyMap<number, string>>;

/** Object streams are small; larger ones are not unpacked. */
const MAX_UNPACKED = 16_000_000;
const MAX_TOTAL_UNPACKED = 64_000_000;
/** Font dictionaries and encodings are shorter. */
const MAX_OBJECT = 20_000;

/** The encodings of simple fonts, which the engine does not expose. Skips encrypted and broken objects. */
export function readDifferences(file: Uint8Array): FontDifferences {
  const text = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const objects = new Map<number, string>();
  let unpacked = 0;
  for (let at = text.indexOf(' obj'); at >= 0; at = text.indexOf(' obj', at + 4)) {
    const number = objectNumber(text, at);
    if (number === undefined) continue;
    const stop = Math.min(text.length, at + 4 + MAX_OBJECT);
    const end = text.subarray(at + 4, stop).indexOf('endobj');
    const head = text.toString('latin1', at + 4, end < 0 ? stop : at + 4 + end);
    if (/\/Type\s*\/ObjStm/.test(head.slice(0, 600))) {
      const stream = unpackStream(text, at + 4, head);
      unpacked += stream.length;
      if (unpacked > MAX_TOTAL_UNPACKED) break;
      addPacked(stream, head, objects);
    } else if (isWanted(head)) objects.set(number, head);
  }
  return collect(objects);
}

function isWanted(object: string): boolean {
  return object.includes('/Differences') || object.includes('/BaseFont') || /^\s*\[\s*\d{1,3}\s*\//.test(object);
}

function objectNumber(text: Buffer, at: number): number | undefined {
  const match = /(\d{1,8})\s+\d{1,5}$/.exec(text.toString('latin1', Math.max(0, at - 16), at));
  return match ? Number(match[1]) : undefined;
}

function unpackStream(text: Buffer, from: number, head: string): string {
  const start = text.indexOf('stream', from);
  if (start < 0 || start > from + 2_000 || !head.includes('/FlateDecode')) return '';
  const first = text[start + 6] === 0x0d ? start + 8 : start + 7;
  const end = text.indexOf('endstream', first);
  if (end < 0) return '';
  try {
    return inflateSync(text.subarray(first, end), { maxOutputLength: MAX_UNPACKED }).toString('latin1');
  } catch {
    // Encrypted, with a predictor, or broken: the fonts inside stay unknown.
    return '';
  }
}

function addPacked(stream: string, head: string, objects: Map<number, string>): void {
  const first = Number(/\/First\s+(\d+)/.exec(head)?.[1] ?? 0);
  const numbers = stream.slice(0, first).trim().split(/\s+/).map(Number);
  for (let index = 0; index + 1 < numbers.length; index += 2) {
    const from = first + (numbers[index + 1] ?? 0);
    const to = index + 3 < numbers.length ? first + (numbers[index + 3] ?? 0) : stream.length;
    const object = stream.slice(from, Math.min(to, from + MAX_OBJECT));
    if (isWanted(object)) objects.set(numbers[index] ?? 0, object);
  }
}

function collect(objects: ReadonlyMap<number, string>): FontDifferences {
  const found = new Map<string, ReadonlyMap<number, string>>();
  for (const object of objects.values()) {
    const base = /\/BaseFont\s*\/([^\s/[\]<>()]+)/.exec(object)?.[1];
    if (base === undefined) continue;
    const name = base.replace(/^[A-Z]{6}\+/, '');
    const direct = object.includes('/Differences') ? object : undefined;
    const reference = /\/Encoding\s+(\d+)\s+\d+\s+R/.exec(object)?.[1];
    const encoding = direct ?? (reference === undefined ? undefined : objects.get(Number(reference)));
    const differences = encoding === undefined ? new Map<number, string>() : readArray(encoding, objects);
    if (differences.size === 0) continue;
    // Two subsets with the same name but different codes cannot be distinguished: neither is used.
    const known = found.get(name);
    found.set(name, known && !agree(known, differences) ? new Map() : differences);
  }
  return found;
}

function agree(a: ReadonlyMap<number, string>, b: ReadonlyMap<number, string>): boolean {
  return [...a].every(([code, name]) => (b.get(code) ?? name) === name);
}

function readArray(encoding: string, objects: ReadonlyMap<number, string>): Map<number, string> {
  const at = encoding.indexOf('/Differences');
  const reference = /^\/Differences\s+(\d+)\s+\d+\s+R/.exec(encoding.slice(at, at + 60))?.[1];
  const array = reference === undefined ? encoding.slice(at) : (objects.get(Number(reference)) ?? '');
  const open = array.indexOf('[');
  const close = array.indexOf(']', open);
  const differences = new Map<number, string>();
  let code = 0;
  for (const [token] of array.slice(open + 1, close < 0 ? undefined : close).matchAll(/\/[^\s/[\]<>()]*|\d+/g)) {
    if (!token.startsWith('/')) code = Number(token);
    else {
      differences.set(
        code,
        token.slice(1).replaceAll(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
      );
      code += 1;
    }
  }
  return differences;
}

type FontEncoding = ReadonlyMap<number, string>;

const NONE: FontEncoding = new Map();
/** No real font has more; a broken table may claim so. */
const MAX_GLYPHS = 65_535;

/** Reads the encoding of a font program: CFF, alone or in OpenType, or Type 1. None if it has none or is broken. */
export function readFontEncoding(bytes: Uint8Array): FontEncoding {
  try {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes[0] === 0x25 || bytes[0] === 0x80) return readType1(bytes);
    if (bytes[0] === 1 && (bytes[1] ?? 9) <= 1 && (bytes[2] ?? 0) >= 4 && bytes[2] !== 0) return readCff(view, 0);
    return readSfnt(view);
  } catch (error) {
    // Every read is checked against the end of the table: wrong lengths in a font end here.
    if (error instanceof RangeError) return NONE;
    throw error;
  }
}

interface Index {
  /** The starts of the entries, and the end of the last. */
  readonly offsets: readonly number[];
  readonly end: number;
}

function readIndex(view: DataView, at: number): Index {
  const count = view.getUint16(at);
  if (count === 0) return { offsets: [], end: at + 2 };
  const size = view.getUint8(at + 2);
  const base = at + 3 + (count + 1) * size - 1;
  const offsets: number[] = [];
  for (let index = 0; index <= count; index += 1) {
    let offset = 0;
    for (let byte = 0; byte < size; byte += 1) offset = offset * 256 + view.getUint8(at + 3 + index * size + byte);
    offsets.push(base + offset);
  }
  return { offsets, end: offsets.at(-1) ?? at + 2 };
}

/** The operands of a Top DICT that are offsets, by operator. */
function readDict(view: DataView, from: number, to: number): Map<number, number[]> {
  const found = new Map<number, number[]>();
  let operands: number[] = [];
  for (let at = from; at < to; at += 1) {
    const byte = view.getUint8(at);
    if (byte <= 21) {
      const operator = byte === 12 ? 1200 + view.getUint8(at + 1) : byte;
      if (byte === 12) at += 1;
      found.set(operator, operands);
      operands = [];
    } else if (byte === 28) {
      operands.push(view.getInt16(at + 1));
      at += 2;
    } else if (byte === 29) {
      operands.push(view.getInt32(at + 1));
      at += 4;
    } else if (byte === 30) {
      // Skips a real number: half-bytes up to the end mark. No operand used here is real.
      do at += 1;
      while (at < to && (view.getUint8(at) & 0xf) !== 0xf && view.getUint8(at) >> 4 !== 0xf);
      operands.push(0);
    } else if (byte >= 32 && byte <= 246) operands.push(byte - 139);
    else if (byte >= 247 && byte <= 254) {
      const next = view.getUint8(at + 1);
      operands.push(byte <= 250 ? (byte - 247) * 256 + next + 108 : -(byte - 251) * 256 - next - 108);
      at += 1;
    }
  }
  return found;
}

/** "CFF " */
const CFF_TABLE = 0x43464620;
const CHARSET = 15;
const ENCODING = 16;
const CHAR_STRINGS = 17;
const ROS = 1230;

function readCff(view: DataView, start: number): FontEncoding {
  const fontNames = readIndex(view, start + view.getUint8(start + 2));
  const dicts = readIndex(view, fontNames.end);
  const strings = readIndex(view, dicts.end);
  const dict = readDict(view, dicts.offsets[0] ?? 0, dicts.offsets[1] ?? 0);
  // Glyphs of a CID-keyed font have no names.
  if (dict.has(ROS)) return NONE;
  const count = Math.min(MAX_GLYPHS, view.getUint16(start + (dict.get(CHAR_STRINGS)?.at(-1) ?? 0)));
  const decoder = new TextDecoder('latin1');
  const nameFor = (id: number): string => {
    if (id < STANDARD_NAMES.length) return STANDARD_NAMES[id] ?? '';
    const from = strings.offsets[id - STANDARD_NAMES.length];
    const to = strings.offsets[id - STANDARD_NAMES.length + 1];
    if (from === undefined || to === undefined || to < from || to - from > 200) return '';
    return decoder.decode(new Uint8Array(view.buffer, view.byteOffset + from, to - from));
  };
  const encoding = dict.get(ENCODING)?.at(-1) ?? 0;
  // 0 and 1 are the standard encodings, whose codes need no names.
  if (encoding <= 1) return NONE;
  const ids = charset(view, dict.get(CHARSET)?.at(-1) ?? 0, start, count);
  const nameOf = new Map<number, string>();
  readEncoding(view, start + encoding, (code, glyph) => nameOf.set(code, nameFor(ids[glyph] ?? 0)));
  return nameOf;
}

/** The number of each glyph's name. */
function charset(view: DataView, offset: number, start: number, count: number): number[] {
  const ids = [0];
  // The three predefined charsets are rare in embedded subsets; the first numbers its glyphs in order.
  if (offset <= 2) return offset === 0 ? Array.from({ length: Math.min(count, 229) }, (_, index) => index) : ids;
  let at = start + offset;
  const format = view.getUint8(at);
  at += 1;
  while (ids.length < count) {
    const first = view.getUint16(at);
    at += 2;
    const more = format === 0 ? 0 : format === 1 ? view.getUint8(at) : view.getUint16(at);
    at += format;
    for (let index = 0; index <= more && ids.length < count; index += 1) ids.push(first + index);
  }
  return ids;
}

function readEncoding(view: DataView, start: number, put: (code: number, glyph: number) => void): void {
  const format = view.getUint8(start);
  const count = view.getUint8(start + 1);
  let at = start + 2;
  let glyph = 1;
  for (let index = 0; index < count; index += 1) {
    const code = view.getUint8(at);
    const more = (format & 0x7f) === 0 ? 0 : view.getUint8(at + 1);
    at += (format & 0x7f) === 0 ? 1 : 2;
    for (let step = 0; step <= more; step += 1) {
      put(code + step, glyph);
      glyph += 1;
    }
  }
}

/** The unencrypted part of a Type 1 font contains its encoding; the rest is not needed. */
function readType1(bytes: Uint8Array): FontEncoding {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 65_536));
  const end = head.indexOf('eexec');
  const clear = head.toString('latin1', 0, end < 0 ? head.length : end);
  const nameOf = new Map<number, string>();
  for (const match of clear.matchAll(/dup\s+(\d{1,3})\s*\/([\w.]{1,60})\s+put/g))
    nameOf.set(Number(match[1]), match[2] ?? '');
  return nameOf;
}

/** OpenType: the CFF inside. TrueType has no encoding by names. */
function readSfnt(view: DataView): FontEncoding {
  const count = view.getUint16(4);
  for (let at = 12; at < 12 + count * 16; at += 16)
    if (view.getUint32(at) === CFF_TABLE) return readCff(view, view.getUint32(at + 8));
  return NONE;
}

/** The standard names of CFF fonts by number (Adobe Technical Note 5176, appendix A). */
const STANDARD_NAMES: readonly string[] = `
.notdef space exclam quotedbl numbersign dollar percent ampersand quoteright parenleft parenright asterisk plus
comma hyphen period slash zero one two three four five six seven eight nine colon semicolon less equal greater
question at A B C D E F G H I J K L M N O P Q R S T U V W X Y Z bracketleft backslash bracketright asciicircum
underscore quoteleft a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde
exclamdown cent sterling fraction yen florin section currency quotesingle quotedblleft guillemotleft
guilsinglleft guilsinglright fi fl endash dagger daggerdbl periodcentered paragraph bullet quotesinglbase
quotedblbase quotedblright guillemotright ellipsis perthousand questiondown grave acute circumflex tilde macron
breve dotaccent dieresis ring cedilla hungarumlaut ogonek caron emdash AE ordfeminine Lslash Oslash OE
ordmasculine ae dotlessi lslash oslash oe germandbls onesuperior logicalnot mu trademark Eth onehalf plusminus
Thorn onequarter divide brokenbar degree thorn threequarters twosuperior registered minus eth multiply
threesuperior copyright Aacute Acircumflex Adieresis Agrave Aring Atilde Ccedilla Eacute Ecircumflex Edieresis
Egrave Iacute Icircumflex Idieresis Igrave Ntilde Oacute Ocircumflex Odieresis Ograve Otilde Scaron Uacute
Ucircumflex Udieresis Ugrave Yacute Ydieresis Zcaron aacute acircumflex adieresis agrave aring atilde ccedilla
eacute ecircumflex edieresis egrave iacute icircumflex idieresis igrave ntilde oacute ocircumflex odieresis
ograve otilde scaron uacute ucircumflex udieresis ugrave yacute ydieresis zcaron exclamsmall Hungarumlautsmall
dollaroldstyle dollarsuperior ampersandsmall Acutesmall parenleftsuperior parenrightsuperior twodotenleader
onedotenleader zerooldstyle oneoldstyle twooldstyle threeoldstyle fouroldstyle fiveoldstyle sixoldstyle
sevenoldstyle eightoldstyle nineoldstyle commasuperior threequartersemdash periodsuperior questionsmall
asuperior bsuperior centsuperior dsuperior esuperior isuperior lsuperior msuperior nsuperior osuperior rsuperior
ssuperior tsuperior ff ffi ffl parenleftinferior parenrightinferior Circumflexsmall hyphensuperior Gravesmall
Asmall Bsmall Csmall Dsmall Esmall Fsmall Gsmall Hsmall Ismall Jsmall Ksmall Lsmall Msmall Nsmall Osmall Psmall
Qsmall Rsmall Ssmall Tsmall Usmall Vsmall Wsmall Xsmall Ysmall Zsmall colonmonetary onefitted rupiah Tildesmall
exclamdownsmall centoldstyle Lslashsmall Scaronsmall Zcaronsmall Dieresissmall Brevesmall Caronsmall
Dotaccentsmall Macronsmall figuredash hypheninferior Ogoneksmall Ringsmall Cedillasmall questiondownsmall
oneeighth threeeighths fiveeighths seveneighths onethird twothirds zerosuperior foursuperior fivesuperior
sixsuperior sevensuperior eightsuperior ninesuperior zeroinferior oneinferior twoinferior threeinferior
fourinferior fiveinferior sixinferior seveninferior eightinferior nineinferior centinferior dollarinferior
periodinferior commainferior Agravesmall Aacutesmall Acircumflexsmall Atildesmall Adieresissmall Aringsmall
AEsmall Ccedillasmall Egravesmall Eacutesmall Ecircumflexsmall Edieresissmall Igravesmall Iacutesmall
Icircumflexsmall Idieresissmall Ethsmall Ntildesmall Ogravesmall Oacutesmall Ocircumflexsmall Otildesmall
Odieresissmall OEsmall Oslashsmall Ugravesmall Uacutesmall Ucircumflexsmall Udieresissmall Yacutesmall
Thornsmall Ydieresissmall 001.000 001.001 001.002 001.003 Black Bold Book Light Medium Regular Roman Semibold
`
  .trim()
  .split(/\s+/);

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

interface Sighting {
  readonly textPage: number;
  readonly index: number;
  readonly size: number;
}

/** A font that shows more characters on its first page is one for text. */
const MOST_SIGNS = 12;
/** Fonts in papers are smaller. */
const LARGEST_PROGRAM = 20_000_000;

/** The characters of one font, each looked up once in a document. */
export class FontCharacters {
  readonly font: Font;
  /** By what the nominal size is multiplied to give the size of the letters; undefined until it is measured. */
  scale: number | undefined;
  readonly #library: Library;
  readonly #pointer: number;
  readonly #differences: () => FontDifferences;
  readonly #encoding: SymbolEncoding | undefined;
  readonly #known = new Map<number, Character>();
  /** Codes whose outlines have been looked at. */
  readonly #looked = new Set<number>();
  #embedded: FontEncoding | undefined;

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

  /**
   * Looks at the outlines of a font that shows few characters, while its page is open: some are signs with names of
   * letters.
   */
  lookAtSigns(known: () => KnownShapes): void {
    if (this.#known.size > MOST_SIGNS || this.#encoding || this.#pointer === 0 || holdsLargeSigns(this.font.name))
      return;
    for (const [code, character] of this.#known) {
      if (!character.ink || this.#looked.has(code) || character.text !== String.fromCodePoint(code)) continue;
      // Letters of formulas and italics are unlike those of the faces they are compared with.
      if ((this.font.math || this.font.italic) && isLetters(character.text)) continue;
      this.#looked.add(code);
      const shows = shownSign(this.#library, known(), { font: this.#pointer, code });
      if (shows !== undefined) this.#known.set(code, { ...character, ink: { ...character.ink, shows } });
    }
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
    if (isOpaque(code) || isWrong) {
      const named = this.#textByName(code);
      if (named !== undefined) return named;
    }
    if (this.#encoding && code < 0x200) {
      const meant = misreadSymbol(this.#encoding, String.fromCodePoint(code));
      if (meant !== undefined) return meant;
    }
    const text = usableText(code, isWrong, this.font.name);
    // Parts of large signs and empty glyphs do not count as missing text.
    if (text !== '' || this.#encoding === 'tex-extension' || !isOpaque(code) || code === 0xfeff) return text;
    return this.font.math ? '' : unknownText(code);
  }

  #textByName(code: number): string | undefined {
    const listed = this.#differences().get(this.font.name)?.get(code);
    const name = listed ?? (this.#embedded ??= readFontEncoding(this.#fontBytes())).get(code);
    if (name === undefined || name === '') return undefined;
    if (name === 'space' || name === 'nbspace' || name === '.notdef') return '';
    return textOfName(name, this.#encoding);
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
  const [, letter = '', accent = ''] = /^([A-Za-z])([a-z]{4,})$/.exec(name) ?? [];
  const mark = combiningMark(NAMES[accent] ?? '');
  return mark === undefined ? undefined : `${letter}${mark}`.normalize('NFC');
}
