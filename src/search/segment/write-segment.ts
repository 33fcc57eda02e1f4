import { randomBytes } from 'node:crypto';
import { closeSync, fsync, openSync, read, writeFile } from 'node:fs';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';

import { AppError, sha256 } from '../../base/index.ts';
import { quantiseVector } from '../../parse/index.ts';
import type { IndexDense, IndexedRow, SegmentRow } from '../../store/index.ts';
import type { IndexedPassage, Passage } from '../opened-segments.ts';
import { SECTIONS } from '../section.ts';
import { LexicalWriter, termsOf } from './lexical.ts';
import type { SectionName, SectionPlace } from './segment-file.ts';
import { footerBytes, segmentPath } from './segment-file.ts';
import { codeBytes, denseSizes, writeCode } from './vectors.ts';

/** The properties of a passage used by filters, in one byte: its section, and whether it has a table or a figure. */
function facetOf({ section, hasTable, hasFigure }: Passage): number {
  return SECTIONS.indexOf(section) | (hasTable ? 0x40 : 0) | (hasFigure ? 0x80 : 0);
}

export function readFacet(facet: number) {
  return {
    section: SECTIONS[facet & 0x3f] ?? 'body',
    hasTable: (facet & 0x40) !== 0,
    hasFigure: (facet & 0x80) !== 0,
  };
}

/** A document to index. */
export interface IndexedDocument {
  readonly id: string;
  /** Identifies the source of its passages, to detect changes. */
  readonly stamp: string;
  readonly passages: AsyncIterable<IndexedPassage> | Iterable<IndexedPassage>;
}

/** Postings per segment; bounds the memory for them to half a gigabyte. */
const MOST_POSTINGS = 24_000_000;
const MOST_PASSAGES = 250_000;

/**
 * Writes a segment: passages and vectors as they arrive, the rest at the end. The file is valid only once the catalogue
 * names it.
 */
export class SegmentWriter implements AsyncDisposable {
  readonly #name = randomBytes(6).toString('hex');
  readonly #path: string;
  readonly #file: BufferedFile;
  readonly #lexical = new LexicalWriter();
  readonly #rows: DenseRows | undefined;
  readonly #offsets: number[] = [0];
  readonly #facets: number[] = [];

  constructor(folder: string, dense: IndexDense | null) {
    this.#path = segmentPath(folder, this.#name);
    this.#file = new BufferedFile(this.#path);
    this.#rows = dense ? new DenseRows(new BufferedFile(rowsPath(this.#path)), dense) : undefined;
  }

  get isFull(): boolean {
    return this.#lexical.postings >= MOST_POSTINGS || this.#facets.length >= MOST_PASSAGES;
  }

  async add({ id, stamp, passages }: IndexedDocument): Promise<IndexedRow> {
    const first = this.#facets.length;
    const texts: string[] = [];
    for await (const { vectors, searchText, ...stated } of passages) {
      const passage: Passage = { section: 'body', boxes: [], hasTable: false, hasFigure: false, ...stated };
      this.#lexical.add(termsOf(searchText ?? passage.text, passage.title));
      await this.#file.write(Buffer.from(JSON.stringify(passage), 'utf8'));
      this.#offsets.push(this.#file.size);
      this.#facets.push(facetOf(passage));
      await this.#rows?.add(vectors);
      texts.push(passage.text);
    }
    const text_hash = texts.length === 0 ? '' : sha256(texts.join('\n'));
    return { id, segment: this.#name, first, count: texts.length, stamp, text_hash };
  }

  /** Completes and syncs the file. */
  async finish(): Promise<SegmentRow> {
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
    const { lengths, terms, termOffsets, postingOffsets, postings, repeats } = this.#lexical.finish();
    await put('offsets', [bytesOf(Float64Array.from(this.#offsets))]);
    await put('facets', [Uint8Array.from(this.#facets)]);
    await put('lengths', [bytesOf(lengths)]);
    await put('terms', [terms]);
    await put('term-offsets', [bytesOf(termOffsets)]);
    await put('posting-offsets', [bytesOf(postingOffsets)]);
    await put('postings', [bytesOf(postings)]);
    await put('repeats', [bytesOf(repeats)]);
    if (this.#rows) {
      await put('dense', this.#rows.dense());
      await put('codes', this.#rows.codes());
    }
    const passages = this.#facets.length;
    const length = lengths.reduce((sum, each) => sum + each, 0);
    await this.#file.write(footerBytes({ passages, length, dense: this.#rows?.layout ?? null, sections }));
    await this.#file.sync();
    return { name: this.#name, passages, length };
  }

  /** Removes the file of a segment that was not finished. */
  async abandon(): Promise<void> {
    await this[Symbol.asyncDispose]();
    await rm(this.#path, { force: true });
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

/** Buffers vectors on disk: their position depends on their number, which is known only at the end. */
class DenseRows implements AsyncDisposable {
  readonly #file: BufferedFile;
  readonly #kind: IndexDense;
  readonly #starts: number[] = [0];
  readonly #scales: number[] = [];
  readonly #sum: Float64Array;
  readonly #rowBytes: number;
  #rows = 0;

  constructor(file: BufferedFile, kind: IndexDense) {
    this.#file = file;
    this.#kind = kind;
    this.#sum = new Float64Array(kind.dimensions);
    this.#rowBytes = denseSizes({ ...kind, passages: 0, rows: 0 }).rowBytes;
  }

  get layout(): { readonly rows: number } & IndexDense {
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
