import type { PdfDictionary, PdfValue } from './object-reader.ts';
import { isCount, isDictionary, isReference, ObjectReader } from './object-reader.ts';
import { unpack } from './unpack.ts';

/** Where the end of a file names its cross-reference; readers look as far. */
const TAIL_BYTES = 1_024;
/** Windows in which an object without its stream is looked for, the second where the first is too small. */
const WINDOWS = [1_024, 65_536] as const;
const TABLE_ENTRY = 20;
const HEADING_BYTES = 64;
/** A line end and the word that ends a stream. */
const END_BYTES = 12;
/** Saved again and again, a file has a cross-reference for each time. */
const MAX_REFERENCES = 32;
const MAX_SECTIONS = 500;
/** What a look may cost: pieces read from the file, and bytes, packed and unpacked. Papers need about a tenth. */
const MAX_READS = 2_000;
const MAX_BYTES = 4_000_000;

/** Where an object stands: in the file, or in a stream of objects. */
type Place = { readonly at: number } | { readonly stream: number };

/** Some objects, and how to find the place of each. */
interface Section {
  readonly first: number;
  readonly count: number;
  readonly find: (index: number) => Place | undefined;
}

/** A stream of objects, unpacked, and where in it each begins. */
interface Pack {
  readonly bytes: Buffer;
  readonly places: ReadonlyMap<number, number>;
}

/** The bytes of a file, of which few are read. */
export interface FileBytes {
  readonly size: number;
  /** Fewer than asked for at the end of the file. */
  read(at: number, length: number): Buffer;
}

interface Found {
  readonly value: PdfValue;
  /** Where its stream begins, if it has one. */
  readonly streamAt: number | undefined;
}

/**
 * The objects of a PDF that is in order: found by its own cross-reference, each where it is said to be, and nothing else of
 * the file is read. It answers undefined to whatever is encrypted, broken, unusual or large: an engine knows better there.
 */
export class PdfObjects {
  readonly #file: FileBytes;
  readonly #sections: Section[] = [];
  readonly #objects = new Map<number, Found | undefined>();
  readonly #packs = new Map<number, Pack | undefined>();
  #readsLeft = MAX_READS;
  #bytesLeft = MAX_BYTES;
  /** The newest trailer; undefined where the cross-reference is not in order. */
  readonly trailer: PdfDictionary | undefined;

  constructor(file: FileBytes) {
    this.#file = file;
    // What is said about places counts from here, and this is where it has to be.
    const isPlain = this.#read(0, 5)?.toString('latin1') === '%PDF-';
    this.trailer = isPlain ? this.#readSections() : undefined;
  }

  /** What a value says, itself or by the object that it refers to. */
  value(value: PdfValue | undefined): PdfValue | undefined {
    return isReference(value) ? this.#object(value.object)?.value : value;
  }

  dictionary(value: PdfValue | undefined): PdfDictionary | undefined {
    const found = this.value(value);
    return isDictionary(found) ? found : undefined;
  }

  list(value: PdfValue | undefined): readonly PdfValue[] | undefined {
    const found = this.value(value);
    return Array.isArray(found) ? found : undefined;
  }

  /** The bytes of a stream, unpacked. */
  stream(value: PdfValue | undefined): Buffer | undefined {
    const found = isReference(value) ? this.#object(value.object) : undefined;
    return found && this.#unpack(found);
  }

  /** Undefined outside of the file, and when enough was read. */
  #read(at: number, length: number): Buffer | undefined {
    if (!Number.isSafeInteger(at) || at < 0 || at >= this.#file.size) return undefined;
    const bytes = Math.min(length, this.#file.size - at);
    this.#readsLeft -= 1;
    this.#bytesLeft -= bytes;
    return this.#readsLeft < 0 || this.#bytesLeft < 0 ? undefined : this.#file.read(at, bytes);
  }

  #readSections(): PdfDictionary | undefined {
    const tail = this.#read(Math.max(0, this.#file.size - TAIL_BYTES), TAIL_BYTES);
    const word = tail?.lastIndexOf('startxref') ?? -1;
    const start = tail && word >= 0 ? new ObjectReader(tail, word + 9).read() : undefined;
    const waiting = [start];
    const seen = new Set<number>();
    let newest: PdfDictionary | undefined;
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
      if (typeof at !== 'number' || seen.has(at) || seen.size >= MAX_REFERENCES) return undefined;
      seen.add(at);
      const trailer = this.#readTable(at) ?? this.#readIndex(at);
      if (trailer === undefined) return undefined;
      newest ??= trailer;
      // Of a file for old and new readers, the part for new ones comes before what is older.
      for (const older of [trailer.get('/XRefStm'), trailer.get('/Prev')]) if (older !== undefined) waiting.push(older);
    }
    return newest;
  }

  /** A table of lines of twenty bytes each, of which only those are read that are asked for. */
  #readTable(start: number): PdfDictionary | undefined {
    let at = start;
    for (;;) {
      const window = this.#read(at, HEADING_BYTES);
      if (!window) return undefined;
      const reader = new ObjectReader(window);
      if (at === start && reader.read() !== 'xref') return undefined;
      const first = reader.read();
      if (first === 'trailer') return this.#readTrailer(at + reader.at);
      const count = reader.read();
      // The lines begin after the numbers and the end of their own.
      let lines = at + reader.at;
      while (lines < at + window.length && (window[lines - at] as number) <= 0x20) lines += 1;
      const find = (index: number): Place | undefined => this.#readLine(lines + index * TABLE_ENTRY);
      if (!this.#addSection(first, count, find)) return undefined;
      at = lines + Number(count) * TABLE_ENTRY;
    }
  }

  /** False when it says nothing, or there are too many. */
  #addSection(first: PdfValue | undefined, count: PdfValue | undefined, find: Section['find']): boolean {
    if (!isCount(first) || !isCount(count)) return false;
    return this.#sections.push({ first, count, find }) <= MAX_SECTIONS;
  }

  #readTrailer(at: number): PdfDictionary | undefined {
    const window = this.#read(at, WINDOWS[1]);
    const trailer = window && new ObjectReader(window).read();
    return isDictionary(trailer) ? trailer : undefined;
  }

  #readLine(at: number): Place | undefined {
    const line = this.#read(at, TABLE_ENTRY)?.toString('latin1') ?? '';
    const place = /^(\d{10}) \d{5} n/.exec(line)?.[1];
    return place === undefined ? undefined : { at: Number(place) };
  }

  /** A stream of numbers, of as many bytes each as it says. */
  #readIndex(at: number): PdfDictionary | undefined {
    const found = this.#readObject(at, undefined);
    const head = found?.value;
    if (!found || !isDictionary(head) || head.get('/Type') !== '/XRef') return undefined;
    const bytes = this.#unpack(found);
    const widths = numbersOf(head.get('/W'));
    if (!bytes || widths.length !== 3 || !widths.every((width) => isCount(width) && width <= 6)) return undefined;
    const [kindWidth = 0, middle = 0, last = 0] = widths;
    const row = kindWidth + middle + last;
    const number = (from: number, width: number): number => (width === 0 ? 0 : bytes.readUIntBE(from, width));
    const pairs = numbersOf(head.get('/Index') ?? [0, head.get('/Size') ?? 0]);
    let rows = 0;
    for (let pair = 0; pair + 1 < pairs.length; pair += 2) {
      const before = rows;
      const find = (index: number): Place | undefined => {
        const from = (before + index) * row;
        if (from + row > bytes.length) return undefined;
        const kind = kindWidth === 0 ? 1 : number(from, kindWidth);
        const place = number(from + kindWidth, middle);
        return kind === 1 ? { at: place } : kind === 2 ? { stream: place } : undefined;
      };
      if (!this.#addSection(pairs[pair], pairs[pair + 1], find)) return undefined;
      rows += pairs[pair + 1] as number;
    }
    return head;
  }

  #object(number: number): Found | undefined {
    if (this.#objects.has(number)) return this.#objects.get(number);
    // An object that needs itself to be found is none.
    this.#objects.set(number, undefined);
    const place = isCount(number) ? this.#placeOf(number) : undefined;
    const found =
      place && ('at' in place ? this.#readObject(place.at, number) : this.#readPacked(place.stream, number));
    this.#objects.set(number, found);
    return found;
  }

  #placeOf(number: number): Place | undefined {
    for (const { first, count, find } of this.#sections) {
      const place = number >= first && number < first + count ? find(number - first) : undefined;
      if (place) return place;
    }
    return undefined;
  }

  /** The object that begins at a place, with its own number where that is known. */
  #readObject(at: number, number: number | undefined): Found | undefined {
    for (const length of WINDOWS) {
      const window = this.#read(at, length);
      if (!window) return undefined;
      const reader = new ObjectReader(window);
      const found = reader.read();
      reader.read();
      if (reader.read() !== 'obj' || (number !== undefined && found !== number)) return undefined;
      const value = reader.read();
      const end = value === undefined ? undefined : reader.read();
      if (value === undefined || (end !== 'endobj' && end !== 'stream')) continue;
      if (end === 'endobj') return { value, streamAt: undefined };
      const isTwo = window[reader.at] === 13 && window[reader.at + 1] === 10;
      return { value, streamAt: at + reader.at + (isTwo ? 2 : 1) };
    }
    return undefined;
  }

  /** An object of a stream of objects, which has their numbers and places first and then the objects themselves. */
  #readPacked(stream: number, number: number): Found | undefined {
    if (!this.#packs.has(stream)) this.#packs.set(stream, this.#readPack(stream));
    const pack = this.#packs.get(stream);
    const at = pack?.places.get(number);
    const value = pack && at !== undefined ? new ObjectReader(pack.bytes, at).read() : undefined;
    return value === undefined ? undefined : { value, streamAt: undefined };
  }

  #readPack(number: number): Pack | undefined {
    const found = this.#object(number);
    const head = found?.value;
    if (!found || !isDictionary(head) || head.get('/Type') !== '/ObjStm') return undefined;
    const bytes = this.#unpack(found);
    const [first, count] = [this.value(head.get('/First')), this.value(head.get('/N'))];
    if (!bytes || typeof first !== 'number' || typeof count !== 'number') return undefined;
    const places = new Map<number, number>();
    const reader = new ObjectReader(bytes.subarray(0, first));
    for (let index = 0; index < count; index += 1) {
      const [object, at] = [reader.read(), reader.read()];
      if (typeof object !== 'number' || typeof at !== 'number') break;
      places.set(object, first + at);
    }
    return { bytes, places };
  }

  /** The bytes of a stream, whole and unpacked. */
  #unpack({ value, streamAt }: Found): Buffer | undefined {
    if (!isDictionary(value) || streamAt === undefined) return undefined;
    const length = this.value(value.get('/Length'));
    if (!isCount(length)) return undefined;
    const read = this.#read(streamAt, length + END_BYTES);
    // Where it ends before its end, or goes on after it, its length or the file is wrong.
    if (!read?.subarray(length).toString('latin1').trimStart().startsWith('endstream')) return undefined;
    const [filters, forms] = [this.value(value.get('/Filter')) ?? [], this.value(value.get('/DecodeParms')) ?? []];
    const bytes = unpack(read.subarray(0, length), [filters].flat(), [forms].flat(), this.#bytesLeft);
    this.#bytesLeft -= bytes?.length ?? 0;
    return bytes;
  }
}

function numbersOf(value: PdfValue | undefined): number[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'number') : [];
}
