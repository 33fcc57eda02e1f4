import type { ModelIdentity } from '../../parse/index.ts';
import { randomBytes } from 'node:crypto';
import { closeSync, fsync, openSync, readSync, writeFile } from 'node:fs';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';

import { AppError, sha256 } from '../../base/index.ts';
import type { IndexedPassage, Passage } from '../passage.ts';
import { SECTIONS } from '../section.ts';
import { LexicalWriter, termsOf } from './lexical.ts';
import type { SectionName, SectionPlace } from './segment-file.ts';
import { footerBytes, segmentPath } from './segment-file.ts';
import { codeBytes, writeCode } from './vectors.ts';

export interface IndexDense {
  readonly model: ModelIdentity;
  readonly dimensions: number;
}

/** A segment that is complete on disk. */
export interface WrittenSegment {
  readonly name: string;
  readonly passages: number;
  /** The sum of the lengths of its passages, in words. */
  readonly length: number;
}

/** The properties of a passage in one byte: its section, and whether it has a vector, a table or a figure. */
export function facetOf({ section, hasTable, hasFigure }: Passage, isEmbedded: boolean): number {
  return SECTIONS.indexOf(section) | (isEmbedded ? 0x20 : 0) | (hasTable ? 0x40 : 0) | (hasFigure ? 0x80 : 0);
}

export function readFacet(facet: number) {
  return {
    section: SECTIONS[facet & 0x1f] ?? 'body',
    hasTable: (facet & 0x40) !== 0,
    hasFigure: (facet & 0x80) !== 0,
  };
}

export function hasVector(facet: number): boolean {
  return (facet & 0x20) !== 0;
}

export interface IndexedDocument {
  readonly id: string;
  /** Identifies the source of its passages, to detect changes. */
  readonly stamp: string;
  readonly passages: AsyncIterable<IndexedPassage> | Iterable<IndexedPassage>;
}

/** Postings per segment; bounds the memory for them to half a gigabyte. */
const MOST_POSTINGS = 24_000_000;
const MOST_PASSAGES = 250_000;

/** Writes passages as they arrive, each after its vector, and the rest at the end. */
export class SegmentWriter implements Disposable {
  readonly #name = randomBytes(6).toString('hex');
  readonly #path: string;
  readonly #file: BufferedFile;
  readonly #lexical = new LexicalWriter();
  readonly #dimensions: number | undefined;
  readonly #offsets: number[] = [0];
  readonly #facets: number[] = [];
  readonly #sum: Float64Array;
  #embedded = 0;

  constructor(folder: string, dense: IndexDense | null) {
    this.#path = segmentPath(folder, this.#name);
    this.#file = new BufferedFile(this.#path);
    this.#dimensions = dense?.dimensions;
    this.#sum = new Float64Array(dense?.dimensions ?? 0);
  }

  get isFull(): boolean {
    return this.#lexical.postings >= MOST_POSTINGS || this.#facets.length >= MOST_PASSAGES;
  }

  async add({ id, stamp, passages }: IndexedDocument) {
    const first = this.#facets.length;
    const texts: string[] = [];
    for await (const { vector, searchText, ...stated } of passages) {
      const passage: Passage = { section: 'body', boxes: [], hasTable: false, hasFigure: false, ...stated };
      this.#lexical.add(termsOf(searchText ?? passage.text, passage.title));
      const isEmbedded = vector !== undefined && this.#dimensions !== undefined;
      if (isEmbedded) await this.#addVector(vector);
      await this.#file.write(Buffer.from(JSON.stringify(passage), 'utf8'));
      this.#offsets.push(this.#file.size);
      this.#facets.push(facetOf(passage, isEmbedded));
      texts.push(passage.text);
    }
    const text_hash = texts.length === 0 ? '' : sha256(texts.join('\n'));
    return { id, segment: this.#name, first, count: texts.length, stamp, text_hash };
  }

  async #addVector(vector: Float32Array): Promise<void> {
    const { length } = this.#sum;
    if (vector.length !== length)
      throw new AppError('INDEX_DIMENSIONS', `a vector has ${vector.length} numbers, the index ${length}`, {
        hint: 'embed everything with the same model',
      });
    for (let at = 0; at < length; at += 1) this.#sum[at] = (this.#sum[at] ?? 0) + (vector[at] ?? 0);
    this.#embedded += 1;
    await this.#file.write(bytesOf(vector));
  }

  async finish(): Promise<WrittenSegment> {
    const sections: Partial<Record<SectionName, SectionPlace>> = { passages: [0, this.#file.size] };
    const put = async (name: SectionName, pieces: Iterable<Uint8Array>): Promise<void> => {
      const from = this.#file.size;
      let crc = 0;
      for (const piece of pieces) {
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
    if (this.#dimensions !== undefined) {
      const centroid = Float32Array.from(this.#sum, (value) => value / Math.max(1, this.#embedded));
      await put('centroid', [bytesOf(centroid)]);
      await this.#file.flush();
      await put('codes', this.#codes(centroid));
    }
    const embedded = this.#dimensions === undefined ? null : this.#embedded;
    await this.#file.write(footerBytes({ embedded, sections }));
    await this.#file.sync();
    const length = lengths.reduce((sum, each) => sum + each, 0);
    return { name: this.#name, passages: this.#facets.length, length };
  }

  /** One bit per dimension, which a large index holds in memory; zeros for a passage without a vector. */
  *#codes(centroid: Float32Array): Generator<Uint8Array> {
    const vector = new Float32Array(centroid.length);
    for (const [place, facet] of this.#facets.entries()) {
      const code = new Uint8Array(codeBytes(centroid.length));
      if (hasVector(facet)) {
        this.#file.readAt(this.#offsets[place] ?? 0, bytesOf(vector));
        writeCode(vector, centroid, code);
      }
      yield code;
    }
  }

  async abandon(): Promise<void> {
    this[Symbol.dispose]();
    await rm(this.#path, { force: true });
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }
}

function bytesOf(array: Float64Array | Float32Array | Uint32Array | Uint16Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

const BUFFER_BYTES = 1 << 20;
const [appendBytes, syncFile] = [promisify(writeFile), promisify(fsync)];

class BufferedFile implements Disposable {
  readonly #descriptor: number;
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #used = 0;
  size = 0;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'w+');
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.size += bytes.length;
    if (this.#used + bytes.length > BUFFER_BYTES) await this.flush();
    if (bytes.length > BUFFER_BYTES) await appendBytes(this.#descriptor, bytes);
    else {
      this.#buffer.set(bytes, this.#used);
      this.#used += bytes.length;
    }
  }

  async sync(): Promise<void> {
    await this.flush();
    await syncFile(this.#descriptor);
  }

  /** Fills `target` with bytes that were flushed. */
  readAt(position: number, target: Uint8Array): void {
    for (let at = 0; at < target.length;)
      at += readSync(this.#descriptor, target, at, target.length - at, position + at);
  }

  async flush(): Promise<void> {
    if (this.#used > 0) await appendBytes(this.#descriptor, this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }
}
