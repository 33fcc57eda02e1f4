import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { deflateSync, inflateSync } from 'node:zlib';
import { create } from 'fontkit';
import type { Font as Outlines } from 'fontkit';

type PdfObject = ReturnType<PDFKit.PDFDocument['ref']>;

/** A shaped word: its width in thousandths of the size, and its TJ content. */
interface Shaped {
  readonly width: number;
  readonly show: string;
}

/** A font. Shaped words are cached for the life of the process, which makes rendering fast. */
export interface Font {
  readonly name: string;
  has(codePoint: number): boolean;
  shape(text: string): Shaped;
  embed(document: PDFKit.PDFDocument): PdfObject;
}

/** Caches shaped words; bounded, because every nonce is a new word. */
export function remembered<T extends object>(shape: (text: string) => T, most = 20_000): (text: string) => T {
  const cache = new Map<string, T>();
  return (text) => {
    let shaped = cache.get(text);
    if (!shaped) {
      shaped = shape(text);
      if (cache.size >= most) cache.clear();
      cache.set(text, shaped);
    }
    return shaped;
  };
}

interface Loaded {
  readonly outlines: Outlines;
  readonly program: Buffer;
  readonly programLength: number;
  readonly toUnicode: Buffer;
  readonly widths: readonly number[];
}

const LIGATURES = ['ff', 'fi', 'fl', 'ffi', 'ffl'];

const require = createRequire(import.meta.url);

/** One file of the Gentium Book Plus package (OFL), by script, weight and style. Loaded on first use. */
export function embeddedFont(script: string, weight: 400 | 700, slant: 'normal' | 'italic'): Font {
  const file = `gentium-book-plus-${script}-${String(weight)}-${slant}.woff`;
  let loaded: Loaded | undefined;
  const load = (): Loaded => (loaded ??= read(require.resolve(`@fontsource/gentium-book-plus/files/${file}`)));
  return {
    name: file,
    has: (codePoint) => load().outlines.hasGlyphForCodePoint(codePoint),
    shape: remembered((text) => {
      const { outlines } = load();
      const scale = 1000 / outlines.unitsPerEm;
      const { glyphs, positions } = outlines.layout(text);
      let width = 0;
      let show = '<';
      glyphs.forEach((glyph, index) => {
        const advance = positions[index]?.xAdvance ?? glyph.advanceWidth;
        width += advance * scale;
        show += glyph.id.toString(16).padStart(4, '0');
        const kern = Math.round((glyph.advanceWidth - advance) * scale);
        if (kern !== 0) show += `>${String(kern)}<`;
      });
      return { width, show: `${show}>` };
    }),
    embed: (document) => embed(document, load()),
  };
}

function read(path: string): Loaded {
  const woff = readFileSync(path);
  // fontkit also reads WOFF, but a hundred times slower than zlib, and decompresses again for every table.
  const opened = create(trueTypeOf(woff, 'all'));
  if (!('layout' in opened)) throw new TypeError(`${path} holds more than one font`);
  const program = trueTypeOf(woff, 'for-pdf');
  const scale = 1000 / opened.unitsPerEm;
  return {
    outlines: opened,
    program: deflateSync(program, { level: 9 }),
    programLength: program.length,
    toUnicode: deflateSync(Buffer.from(toUnicode(opened), 'latin1')),
    widths: Array.from({ length: opened.numGlyphs }, (_unused, id) =>
      Math.round(opened.getGlyph(id).advanceWidth * scale),
    ),
  };
}

function embed(
  document: PDFKit.PDFDocument,
  { outlines, program, programLength, toUnicode, widths }: Loaded,
): PdfObject {
  const scale = 1000 / outlines.unitsPerEm;
  const thousandths = (value: number): number => Math.round(value * scale);
  const stream = (data: object, bytes: Buffer): PdfObject => {
    const reference = document.ref({ ...data, Filter: 'FlateDecode' });
    reference.end(bytes);
    return reference;
  };
  const { bbox } = outlines;
  // Subset tag: six letters and a plus sign.
  const name = `SIMDOC+${outlines.postscriptName}`;
  const descriptor = document.ref({
    Type: 'FontDescriptor',
    FontName: name,
    Flags: outlines.italicAngle === 0 ? 4 : 68,
    FontBBox: [bbox.minX, bbox.minY, bbox.maxX, bbox.maxY].map(thousandths),
    ItalicAngle: outlines.italicAngle,
    Ascent: thousandths(outlines.ascent),
    Descent: thousandths(outlines.descent),
    CapHeight: thousandths(outlines.capHeight),
    StemV: 80,
    FontFile2: stream({ Length1: programLength }, program),
  });
  descriptor.end(undefined);
  const descendant = document.ref({
    Type: 'Font',
    Subtype: 'CIDFontType2',
    BaseFont: name,
    CIDSystemInfo: { Registry: new String('Adobe'), Ordering: new String('Identity'), Supplement: 0 },
    FontDescriptor: descriptor,
    CIDToGIDMap: 'Identity',
    W: [0, widths],
  });
  descendant.end(undefined);
  const font = document.ref({
    Type: 'Font',
    Subtype: 'Type0',
    BaseFont: name,
    Encoding: 'Identity-H',
    DescendantFonts: [descendant],
    ToUnicode: stream({}, toUnicode),
  });
  font.end(undefined);
  return font;
}

/** Maps glyphs to text; ligatures to all their letters. */
function toUnicode(font: Outlines): string {
  const texts = new Map<number, string>();
  for (const codePoint of font.characterSet) {
    const { id } = font.glyphForCodePoint(codePoint);
    if (!texts.has(id)) texts.set(id, String.fromCodePoint(codePoint));
  }
  for (const text of LIGATURES) {
    const [glyph, ...more] = font.layout(text).glyphs;
    if (glyph && more.length === 0) texts.set(glyph.id, text);
  }
  const hex = (text: string): string => Buffer.from(text, 'utf16le').swap16().toString('hex');
  const lines = [...texts].map(([id, text]) => `<${id.toString(16).padStart(4, '0')}> <${hex(text)}>`);
  const blocks: string[] = [];
  for (let index = 0; index < lines.length; index += 100) {
    const block = lines.slice(index, index + 100);
    blocks.push(`${String(block.length)} beginbfchar`, ...block, 'endbfchar');
  }
  return [
    '/CIDInit /ProcSet findresource begin',
    '12 dict begin',
    'begincmap',
    '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def',
    '/CMapName /Adobe-Identity-UCS def',
    '/CMapType 2 def',
    '1 begincodespacerange',
    '<0000> <ffff>',
    'endcodespacerange',
    ...blocks,
    'endcmap',
    'CMapName currentdict /CMap defineresource pop',
    'end',
    'end',
  ].join('\n');
}

/** Tables of a TrueType font that a PDF needs; layout tables are dropped because text is shaped before writing. */
const KEPT = new Set(['cvt ', 'fpgm', 'prep', 'glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp']);

/** Extracts the TrueType font from a WOFF 1.0 file, complete or reduced to these tables. */
function trueTypeOf(woff: Buffer, tablesKept: 'all' | 'for-pdf'): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new TypeError('not a WOFF 1.0 file');
  const tables: { tag: string; data: Buffer; checksum: number }[] = [];
  for (let index = 0, entry = 44; index < woff.readUInt16BE(12); index++, entry += 20) {
    const tag = woff.toString('latin1', entry, entry + 4);
    if (tablesKept === 'for-pdf' && !KEPT.has(tag)) continue;
    const offset = woff.readUInt32BE(entry + 4);
    const packed = woff.subarray(offset, offset + woff.readUInt32BE(entry + 8));
    const length = woff.readUInt32BE(entry + 12);
    tables.push({
      tag,
      data: packed.length < length ? inflateSync(packed) : packed,
      checksum: woff.readUInt32BE(entry + 16),
    });
  }
  const power = 2 ** Math.floor(Math.log2(tables.length));
  const head = Buffer.alloc(12 + 16 * tables.length);
  head.writeUInt32BE(woff.readUInt32BE(4), 0);
  head.writeUInt16BE(tables.length, 4);
  head.writeUInt16BE(power * 16, 6);
  head.writeUInt16BE(Math.log2(power), 8);
  head.writeUInt16BE((tables.length - power) * 16, 10);
  const parts: Buffer[] = [head];
  let offset = head.length;
  tables.forEach(({ tag, data, checksum }, index) => {
    const entry = 12 + index * 16;
    head.write(tag, entry, 'latin1');
    head.writeUInt32BE(checksum, entry + 4);
    head.writeUInt32BE(offset, entry + 8);
    head.writeUInt32BE(data.length, entry + 12);
    const padding = (4 - (data.length % 4)) % 4;
    parts.push(data, Buffer.alloc(padding));
    offset += data.length + padding;
  });
  return Buffer.concat(parts);
}
