import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

import { AppError } from '../../base/index.ts';

/** The parts of a segment's file, each a run of bytes; the footer at its end says where they are. */
export type SectionName =
  | 'passages'
  | 'offsets'
  | 'facets'
  | 'lengths'
  | 'terms'
  | 'term-offsets'
  | 'posting-offsets'
  | 'postings'
  | 'repeats'
  | 'dense'
  | 'codes';

export interface SegmentFooter {
  readonly passages: number;
  /** Terms of all passages together, repeats counted: what an average length is made of. */
  readonly length: number;
  readonly dense: { readonly rows: number; readonly dimensions: number; readonly dtype: 'float32' | 'int8' } | null;
  readonly sections: Readonly<Partial<Record<SectionName, readonly [offset: number, bytes: number]>>>;
}

const MAGIC = Buffer.from('DKGSEG1\n');
const LONGEST_FOOTER = 65_536;

/** The bytes that end a segment's file. */
export function footerBytes(footer: SegmentFooter): Buffer {
  const text = Buffer.from(JSON.stringify(footer), 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([text, length, MAGIC]);
}

/** A segment's file opened for reading parts of it. */
export class SegmentFile implements Disposable {
  readonly path: string;
  readonly footer: SegmentFooter;
  readonly #descriptor: number;

  constructor(path: string) {
    this.path = path;
    this.#descriptor = openSync(path, 'r');
    try {
      this.footer = this.#readFooter();
    } catch (error) {
      closeSync(this.#descriptor);
      throw error;
    }
  }

  /** A whole section in memory of its own, so that typed arrays can lie over it. */
  section(name: SectionName): ArrayBuffer {
    const [offset, bytes] = this.#place(name);
    const buffer = new ArrayBuffer(bytes);
    this.#read(new Uint8Array(buffer), offset);
    return buffer;
  }

  /** Reads a section, or the part of it from `from` on, into memory that is there already. */
  into(name: SectionName, target: Uint8Array, from = 0): void {
    const [offset, bytes] = this.#place(name);
    if (from + target.length > bytes) throw this.#damaged(`${name} ends early`);
    this.#read(target, offset + from);
  }

  bytesOf(name: SectionName): number {
    return this.#place(name)[1];
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }

  #place(name: SectionName): readonly [number, number] {
    const place = this.footer.sections[name];
    if (!place) throw this.#damaged(`it has no ${name}`);
    return place;
  }

  #read(target: Uint8Array, offset: number): void {
    for (let at = 0; at < target.length;) {
      const read = readSync(this.#descriptor, target, at, Math.min(target.length - at, 1 << 28), offset + at);
      if (read === 0) throw this.#damaged('it ends early');
      at += read;
    }
  }

  #readFooter(): SegmentFooter {
    const { size } = fstatSync(this.#descriptor);
    const tail = new Uint8Array(Math.min(size, 4 + MAGIC.length));
    this.#read(tail, size - tail.length);
    const end = Buffer.from(tail);
    if (tail.length < 4 + MAGIC.length || !end.subarray(4).equals(MAGIC)) throw this.#damaged('it has no end');
    const length = end.readUInt32LE();
    if (length > LONGEST_FOOTER || length + tail.length > size) throw this.#damaged('its end is damaged');
    const text = new Uint8Array(length);
    this.#read(text, size - tail.length - length);
    try {
      return JSON.parse(Buffer.from(text).toString('utf8')) as SegmentFooter;
    } catch (cause) {
      throw this.#damaged('its end is damaged', cause);
    }
  }

  #damaged(why: string, cause?: unknown): AppError {
    return new AppError('INDEX_DAMAGED', `${this.path}: ${why}`, {
      hint: 'remove the Index folder: it is made again',
      cause,
    });
  }
}
