import { closeSync, fsync, openSync, read, writeFile } from 'node:fs';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';

import { AppError } from '../../base/index.ts';
import { quantiseVector } from '../../parse/index.ts';
import type { IndexedRow } from '../../store/index.ts';
import type { Section } from '../section.ts';
import { SECTIONS } from '../section.ts';
import type { LexicalParts } from './lexical.ts';
import { LexicalSegment } from './lexical.ts';
import type { SectionName, SectionPlace, SegmentFooter } from './segment-file.ts';
import { footerBytes, SegmentFile } from './segment-file.ts';
import { codeBytes, denseSizes, VectorIndex, writeCode } from './vectors.ts';

/** The storage format of vectors. */
export interface DenseKind {
  readonly dimensions: number;
  readonly dtype: 'float32' | 'int8';
}

/** The properties of a passage used by filters, in one byte: its section, and whether it has a table or a figure. */
export function facetOf(section: Section, hasTable: boolean, hasFigure: boolean): number {
  return SECTIONS.indexOf(section) | (hasTable ? 0x40 : 0) | (hasFigure ? 0x80 : 0);
}

export function readFacet(facet: number) {
  return {
    section: SECTIONS[facet & 0x3f] ?? 'body',
    hasTable: (facet & 0x40) !== 0,
    hasFigure: (facet & 0x80) !== 0,
  };
}

/**
 * Writes a segment: passages and vectors as they arrive, the rest at the end. The file is valid only once the catalogue
 * names it.
 */
export class SegmentWriter implements AsyncDisposable {
  readonly #path: string;
  readonly #file: BufferedFile;
  readonly #rows: DenseRows | undefined;
  readonly #offsets: number[] = [0];
  readonly #facets: number[] = [];

  constructor(path: string, dense: DenseKind | undefined) {
    this.#path = path;
    this.#file = new BufferedFile(path);
    this.#rows = dense && new DenseRows(new BufferedFile(rowsPath(path)), dense);
  }

  get passages(): number {
    return this.#facets.length;
  }

  async add(record: Uint8Array, facet: number, vectors: readonly Float32Array[]): Promise<void> {
    await this.#file.write(record);
    this.#offsets.push(this.#file.size);
    this.#facets.push(facet);
    await this.#rows?.add(vectors);
  }

  /** Completes and syncs the file. Postings may arrive in pieces, so that a merge need not hold them all. */
  async finish(
    lexical: Omit<LexicalParts, 'postings' | 'repeats'> & {
      readonly postings: Iterable<Uint32Array>;
      readonly repeats: Iterable<Uint16Array>;
    },
  ): Promise<SegmentFooter> {
    const sections: Partial<Record<SectionName, SectionPlace>> = { passages: [0, this.#file.size] };
    const put = async (name: SectionName, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> => {
      const from = this.#file.size;
      let crc = 0;
      for await (const piece of pieces) {
        crc = crc32(piece, crc);
        await this.#file.write(piece);
      }
      sections[name] = [from, this.#file.size - from, crc];
    };
    await put('offsets', [bytesOf(Float64Array.from(this.#offsets))]);
    await put('facets', [Uint8Array.from(this.#facets)]);
    await put('lengths', [bytesOf(lexical.lengths)]);
    await put('terms', [lexical.terms]);
    await put('term-offsets', [bytesOf(lexical.termOffsets)]);
    await put('posting-offsets', [bytesOf(lexical.postingOffsets)]);
    await put('postings', eachBytes(lexical.postings));
    await put('repeats', eachBytes(lexical.repeats));
    if (this.#rows) {
      await put('dense', this.#rows.dense());
      await put('codes', this.#rows.codes());
    }
    let length = 0;
    for (const each of lexical.lengths) length += each;
    const footer = { passages: this.passages, length, dense: this.#rows?.layout ?? null, sections };
    await this.#file.write(footerBytes(footer));
    await this.#file.sync();
    return footer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]();
    await this.#rows?.[Symbol.asyncDispose]();
    await rm(rowsPath(this.#path), { force: true });
  }
}

function rowsPath(path: string): string {
  return `${path}.rows`;
}

function bytesOf(array: Float64Array | Uint32Array | Uint16Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function* eachBytes(arrays: Iterable<Uint32Array | Uint16Array>): Generator<Uint8Array> {
  for (const array of arrays) yield bytesOf(array);
}

/** Buffers vectors on disk: their position depends on their number, which is known only at the end. */
class DenseRows implements AsyncDisposable {
  readonly #file: BufferedFile;
  readonly #kind: DenseKind;
  readonly #starts: number[] = [0];
  readonly #scales: number[] = [];
  readonly #sum: Float64Array;
  readonly #rowBytes: number;
  #rows = 0;

  constructor(file: BufferedFile, kind: DenseKind) {
    this.#file = file;
    this.#kind = kind;
    this.#sum = new Float64Array(kind.dimensions);
    this.#rowBytes = denseSizes({ ...kind, passages: 0, rows: 0 }).rowBytes;
  }

  get layout(): { readonly rows: number } & DenseKind {
    return { rows: this.#rows, ...this.#kind };
  }

  async add(vectors: readonly Float32Array[]): Promise<void> {
    const { dimensions, dtype } = this.#kind;
    for (const vector of vectors) {
      if (vector.length !== dimensions) {
        throw new AppError('INDEX_DIMENSIONS', `a vector has ${vector.length} numbers, the index ${dimensions}`, {
          hint: 'embed everything with the same model',
        });
      }
      for (let at = 0; at < dimensions; at += 1) this.#sum[at] = (this.#sum[at] ?? 0) + (vector[at] ?? 0);
      const row = new Uint8Array(this.#rowBytes);
      if (dtype === 'float32') new Float32Array(row.buffer).set(vector);
      else {
        const { data, scale } = quantiseVector(vector);
        new Int8Array(row.buffer).set(data);
        this.#scales.push(scale);
      }
      await this.#file.write(row);
      this.#rows += 1;
    }
    this.#starts.push(this.#rows);
  }

  get #centroid(): Float32Array {
    return Float32Array.from(this.#sum, (value) => value / Math.max(1, this.#rows));
  }

  /** The vectors in the format that a scan reads. */
  async *dense(): AsyncGenerator<Uint8Array> {
    const layout = { passages: this.#starts.length - 1, ...this.layout };
    const sizes = denseSizes(layout);
    const head = new ArrayBuffer(sizes.centroid + sizes.starts + sizes.scales);
    new Float32Array(head).set(this.#centroid);
    new Uint32Array(head, sizes.centroid).set(this.#starts);
    if (layout.dtype === 'int8') new Float32Array(head, sizes.centroid + sizes.starts).set(this.#scales);
    yield new Uint8Array(head);
    yield* this.#file.readBack();
  }

  /** One bit per dimension, which a large index holds in memory. */
  async *codes(): AsyncGenerator<Uint8Array> {
    const { dimensions, dtype } = this.#kind;
    const bytes = codeBytes(dimensions);
    const centre = this.#centroid;
    const [rowBytes, vector] = [this.#rowBytes, new Float32Array(dimensions)];
    let rest = Buffer.alloc(0);
    let row = 0;
    for await (const piece of this.#file.readBack()) {
      // A row may be split between two pieces.
      const both = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
      const whole = Math.floor(both.length / rowBytes);
      const codes = new Uint8Array(whole * bytes);
      for (let at = 0; at < whole; at += 1) {
        const own = Uint8Array.prototype.slice.call(both, at * rowBytes, (at + 1) * rowBytes);
        const scale = dtype === 'int8' ? (this.#scales[row] as number) : 1;
        const numbers = dtype === 'int8' ? new Int8Array(own.buffer) : new Float32Array(own.buffer);
        for (let each = 0; each < dimensions; each += 1) vector[each] = (numbers[each] as number) * scale;
        writeCode(vector, centre, codes.subarray(at * bytes, (at + 1) * bytes));
        row += 1;
      }
      yield codes;
      rest = Buffer.from(both.subarray(whole * rowBytes));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]();
  }
}

const BUFFER_BYTES = 1 << 20;
const [appendBytes, readBytes, syncFile] = [promisify(writeFile), promisify(read), promisify(fsync)];

/** A file written sequentially in large pieces. */
class BufferedFile implements AsyncDisposable {
  readonly #descriptor: number;
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #used = 0;
  size = 0;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'w+');
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.size += bytes.length;
    if (this.#used + bytes.length > BUFFER_BYTES) await this.#flush();
    if (bytes.length > BUFFER_BYTES) await appendBytes(this.#descriptor, bytes);
    else {
      this.#buffer.set(bytes, this.#used);
      this.#used += bytes.length;
    }
  }

  async sync(): Promise<void> {
    await this.#flush();
    await syncFile(this.#descriptor);
  }

  async *readBack(): AsyncGenerator<Uint8Array> {
    await this.#flush();
    const block = Buffer.allocUnsafe(BUFFER_BYTES);
    for (let at = 0; at < this.size;) {
      const { bytesRead } = await readBytes(this.#descriptor, block, 0, block.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield block.subarray(0, bytesRead);
    }
  }

  async #flush(): Promise<void> {
    if (this.#used > 0) await appendBytes(this.#descriptor, this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    closeSync(this.#descriptor);
  }
}

/** A segment to merge: its file and its valid documents. */
export interface MergedSegment {
  readonly path: string;
  readonly documents: readonly IndexedRow[];
}

interface Moved {
  readonly document: IndexedRow;
  readonly first: number;
}

const GONE = 0xff_ff_ff_ff;

/** Writes the valid passages of several segments into one. */
export async function mergeSegments(
  path: string,
  sources: readonly MergedSegment[],
  dense: DenseKind | undefined,
): Promise<{ readonly footer: SegmentFooter; readonly moved: readonly Moved[] }> {
  using files = new DisposableStack();
  await using writer = new SegmentWriter(path, dense);
  const moved: Moved[] = [];
  const opened: { readonly lexical: LexicalSegment; readonly targets: Uint32Array }[] = [];
  const lengths: number[] = [];
  for (const { path: from, documents } of sources) {
    const file = files.use(new SegmentFile(from));
    const targets = new Uint32Array(file.footer.passages).fill(GONE);
    const lexical = new LexicalSegment(file);
    const offsets = new Float64Array(file.section('offsets'));
    const facets = new Uint8Array(file.section('facets'));
    const { dense: layout, passages } = file.footer;
    const vectors = layout && new VectorIndex(file, { ...layout, passages });
    for (const document of documents) {
      moved.push({ document, first: writer.passages });
      for (let place = document.first; place < document.first + document.count; place += 1) {
        targets[place] = writer.passages;
        const record = new Uint8Array((offsets[place + 1] as number) - (offsets[place] as number));
        file.into('passages', record, offsets[place]);
        await writer.add(record, facets[place] as number, vectors?.vectors(place) ?? []);
        lengths.push(lexical.length(place));
      }
    }
    opened.push({ lexical, targets });
  }
  const merged = mergeTerms(opened);
  const footer = await writer.finish({ lengths: Uint32Array.from(lengths), ...merged });
  return { footer, moved };
}

/** The sorted terms of all segments, with renumbered postings. */
function mergeTerms(sources: readonly { readonly lexical: LexicalSegment; readonly targets: Uint32Array }[]) {
  const cursors = sources.map(() => 0);
  const terms: Buffer[] = [];
  const [termOffsets, postingOffsets] = [[0], [0]];
  const [postings, repeats]: [Uint32Array[], Uint16Array[]] = [[], []];
  let [termBytes, count] = [0, 0];
  for (;;) {
    const next = lowest(sources, cursors);
    if (!next) break;
    let found = 0;
    for (const [at, { lexical, targets }] of sources.entries()) {
      const cursor = cursors[at] as number;
      if (cursor >= lexical.size || !lexical.term(cursor).equals(next)) continue;
      cursors[at] = cursor + 1;
      const kept = move(lexical.postings(lexical.at(cursor)), targets);
      postings.push(kept.places);
      repeats.push(kept.repeats);
      found += kept.places.length;
    }
    if (found === 0) continue;
    terms.push(next);
    termBytes += next.length;
    count += found;
    termOffsets.push(termBytes);
    postingOffsets.push(count);
  }
  return {
    terms: Buffer.concat(terms),
    termOffsets: Uint32Array.from(termOffsets),
    postingOffsets: Float64Array.from(postingOffsets),
    postings,
    repeats,
  };
}

function lowest(
  sources: readonly { readonly lexical: LexicalSegment }[],
  cursors: readonly number[],
): Buffer | undefined {
  let least: Buffer | undefined;
  for (const [at, { lexical }] of sources.entries()) {
    const cursor = cursors[at] as number;
    if (cursor >= lexical.size) continue;
    const term = lexical.term(cursor);
    if (!least || Buffer.compare(term, least) < 0) least = term;
  }
  return least;
}

/** Renumbers postings and drops those of deleted passages. Their order does not change. */
function move(
  { places, repeats }: { readonly places: Uint32Array; readonly repeats: Uint16Array },
  targets: Uint32Array,
): { places: Uint32Array; repeats: Uint16Array } {
  const movedPlaces = new Uint32Array(places.length);
  const movedRepeats = new Uint16Array(places.length);
  let kept = 0;
  for (let at = 0; at < places.length; at += 1) {
    const target = targets[places[at] as number] as number;
    if (target === GONE) continue;
    movedPlaces[kept] = target;
    movedRepeats[kept] = repeats[at] as number;
    kept += 1;
  }
  return { places: movedPlaces.subarray(0, kept), repeats: movedRepeats.subarray(0, kept) };
}
