import { textOfName } from '../engines/glyph-name.ts';
import type { PdfDictionary, PdfValue } from './object-reader.ts';
import { isDictionary, ObjectReader } from './object-reader.ts';
import type { PdfObjects } from './pdf-objects.ts';

/** What the codes of a font's text stand for. */
export interface FontText {
  readonly bytesPerCode: 1 | 2;
  /** Undefined where the file does not tell. */
  textOf(code: number): string | undefined;
}

/** The codes that all fonts of a page explain together; a font of a large alphabet has some thousands. */
const MAX_CODES = 65_536;
/** The codes of a range differ in their last byte. */
const MAX_RANGE = 256;
/** A ligature of a few letters. */
const MAX_TEXT_BYTES = 16;

const ALL_CODES = Uint8Array.from({ length: 256 }, (_, code) => code);
const WINDOWS = new TextDecoder('windows-1252').decode(ALL_CODES);
const MACINTOSH = new TextDecoder('macintosh').decode(ALL_CODES);

/** The fonts of a page, by what their dictionaries say of their codes. */
export class FontTexts {
  readonly #objects: PdfObjects;
  readonly #known = new Map<PdfDictionary, FontText | undefined>();
  #codesLeft = MAX_CODES;

  constructor(objects: PdfObjects) {
    this.#objects = objects;
  }

  /** Undefined where only the font itself could tell. */
  get(font: PdfDictionary): FontText | undefined {
    if (!this.#known.has(font)) this.#known.set(font, this.#read(font));
    return this.#known.get(font);
  }

  #read(font: PdfDictionary): FontText | undefined {
    const unicode = this.#readUnicode(this.#objects.stream(font.get('/ToUnicode')));
    const encoding = this.#objects.value(font.get('/Encoding'));
    if (font.get('/Subtype') === '/Type0') {
      const isPlain = encoding === '/Identity-H' || encoding === '/Identity-V';
      return unicode && isPlain ? { bytesPerCode: 2, textOf: (code) => unicode.get(code) } : undefined;
    }
    const [names, base] = isDictionary(encoding)
      ? [this.#readNames(encoding), this.#objects.value(encoding.get('/BaseEncoding'))]
      : [undefined, encoding];
    // The encodings that have a name share their letters; what differs are signs and accents.
    const plain = base === '/MacRomanEncoding' ? MACINTOSH : WINDOWS;
    return {
      bytesPerCode: 1,
      textOf: (code) => {
        const name = names?.get(code);
        return unicode?.get(code) ?? (name === undefined ? plain[code] : textOfName(name, undefined));
      },
    };
  }

  #readNames(encoding: PdfDictionary): Map<number, string> {
    const names = new Map<number, string>();
    let code = 0;
    for (const each of this.#objects.list(encoding.get('/Differences')) ?? [])
      if (typeof each === 'number') code = each;
      else if (typeof each === 'string') names.set(code++, each.slice(1));
    return names;
  }

  /** The map from codes to text that a font carries. */
  #readUnicode(bytes: Buffer | undefined): Map<number, string> | undefined {
    if (!bytes) return undefined;
    const map = new Map<number, string>();
    const reader = new ObjectReader(bytes);
    for (let word = reader.read(); word !== undefined; word = reader.read()) {
      if (word !== 'beginbfchar' && word !== 'beginbfrange') continue;
      for (let from = reader.read(); Buffer.isBuffer(from); from = reader.read()) {
        const to = word === 'beginbfchar' ? from : reader.read();
        const text = reader.read();
        if (!Buffer.isBuffer(to) || text === undefined) return map;
        this.#addRange(map, numberOf(from), numberOf(to), text);
      }
    }
    return map;
  }

  #addRange(map: Map<number, string>, from: number, to: number, text: PdfValue): void {
    const count = Math.min(to - from + 1, MAX_RANGE, this.#codesLeft);
    this.#codesLeft -= Math.max(0, count);
    const first = Buffer.isBuffer(text) ? unicodeOf(text) : '';
    const [head, last] = [first.slice(0, -1), first.charCodeAt(first.length - 1)];
    for (let at = 0; at < count; at += 1) {
      const each: PdfValue | undefined = Array.isArray(text) ? (text as readonly PdfValue[])[at] : undefined;
      if (first !== '') map.set(from + at, at === 0 ? first : head + String.fromCharCode(last + at));
      else if (Buffer.isBuffer(each)) map.set(from + at, unicodeOf(each));
    }
  }
}

function numberOf(code: Buffer): number {
  return code.length === 0 || code.length > 4 ? 0 : code.readUIntBE(0, code.length);
}

function unicodeOf(bytes: Buffer): string {
  const even = Buffer.from(bytes.subarray(0, Math.min(MAX_TEXT_BYTES, bytes.length & ~1)));
  return even.swap16().toString('utf16le');
}
