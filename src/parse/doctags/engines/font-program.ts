/** The glyph names of an embedded font. */
export interface FontProgram {
  /** The names of all glyphs except the one for missing characters; empty if the font has none. */
  readonly names: readonly string[];
  /** The glyph that the font's own encoding assigns to a code. */
  readonly nameOf: ReadonlyMap<number, string>;
}

const NONE: FontProgram = { names: [], nameOf: new Map() };
/** No real font has more; a broken table may claim so. */
const MAX_GLYPHS = 65_535;

/** Reads the glyph names of a font program: CFF, Type 1, or TrueType. None if it is broken. */
export function readFontProgram(bytes: Uint8Array): FontProgram {
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

const CHARSET = 15;
const ENCODING = 16;
const CHAR_STRINGS = 17;
const ROS = 1230;

function readCff(view: DataView, start: number): FontProgram {
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
  const names = charset(view, dict.get(CHARSET)?.at(-1) ?? 0, start, count).map((id) => nameFor(id));
  const nameOf = new Map<number, string>();
  const encoding = dict.get(ENCODING)?.at(-1) ?? 0;
  // 0 and 1 are the standard encodings, whose codes need no names.
  if (encoding > 1) readEncoding(view, start + encoding, (code, glyph) => nameOf.set(code, names[glyph] ?? ''));
  return { names: names.slice(1).filter((name) => name !== ''), nameOf };
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
function readType1(bytes: Uint8Array): FontProgram {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 65_536));
  const end = head.indexOf('eexec');
  const clear = head.toString('latin1', 0, end < 0 ? head.length : end);
  const nameOf = new Map<number, string>();
  for (const match of clear.matchAll(/dup\s+(\d{1,3})\s*\/([\w.]{1,60})\s+put/g))
    nameOf.set(Number(match[1]), match[2] ?? '');
  return { names: [...new Set(nameOf.values())].filter((name) => name !== '.notdef'), nameOf };
}

/** TrueType and OpenType: names are in the table `post`, or in the CFF inside. */
function readSfnt(view: DataView): FontProgram {
  const tables = new Map<string, number>();
  const count = view.getUint16(4);
  for (let index = 0; index < count; index += 1) {
    const at = 12 + index * 16;
    const tag = String.fromCodePoint(...[0, 1, 2, 3].map((byte) => view.getUint8(at + byte)));
    tables.set(tag, view.getUint32(at + 8));
  }
  const cff = tables.get('CFF ');
  if (cff !== undefined) return readCff(view, cff);
  const post = tables.get('post');
  if (post === undefined || view.getUint32(post) !== 0x20000) return NONE;
  return { names: postNames(view, post), nameOf: new Map() };
}

function postNames(view: DataView, post: number): string[] {
  const count = Math.min(MAX_GLYPHS, view.getUint16(post + 32));
  const wanted = new Set<number>();
  for (let index = 1; index < count; index += 1) {
    const id = view.getUint16(post + 34 + index * 2);
    if (id >= 258) wanted.add(id - 258);
  }
  const names: string[] = [];
  const decoder = new TextDecoder('latin1');
  let at = post + 34 + count * 2;
  for (let index = 0; index < MAX_GLYPHS && names.length < wanted.size && at < view.byteLength; index += 1) {
    const length = view.getUint8(at);
    if (wanted.has(index) && at + 1 + length <= view.byteLength)
      names.push(decoder.decode(new Uint8Array(view.buffer, view.byteOffset + at + 1, length)));
    at += 1 + length;
  }
  return names;
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
