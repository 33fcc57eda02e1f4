import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

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
  readonly sections: Readonly<Partial<Record<SectionName, SectionPlace>>>;
}

/** Where a section is, and the CRC-32 of its bytes; segments of older versions have none. */
export type SectionPlace = readonly [offset: number, bytes: number, crc?: number];

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
  #size = 0;

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
    const buffer = new ArrayBuffer(this.bytesOf(name));
    this.into(name, new Uint8Array(buffer));
    return buffer;
  }

  /** Reads a section, or the part of it from `from` on, into memory that is there already. */
  into(name: SectionName, target: Uint8Array, from = 0): void {
    this.checkRange(name, from, target.length);
    const [offset, bytes, crc] = this.#place(name);
    this.#read(target, offset + from);
    if (crc !== undefined && target.length === bytes && crc32(target) !== crc)
      throw this.#damaged(`${name} is damaged`);
  }

  /** Throws where a part is not inside its section: offsets of a damaged file may say anything. */
  checkRange(name: SectionName, from: number, length: number): void {
    const [, bytes] = this.#place(name);
    const isInside = from >= 0 && length >= 0 && from + length <= bytes;
    if (!isInside || !Number.isInteger(from) || !Number.isInteger(length)) throw this.#damaged(`${name} ends early`);
  }

  /** What reading a part of the file threw, as an error that names the file: damaged bytes fail anywhere. */
  described(error: unknown): unknown {
    const isDamage = error instanceof SyntaxError || error instanceof RangeError || error instanceof TypeError;
    return isDamage ? this.#damaged('its contents are damaged', error) : error;
  }

  bytesOf(name: SectionName): number {
    return this.#place(name)[1];
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }

  #place(name: SectionName): SectionPlace {
    const place = this.footer.sections[name];
    if (!place) throw this.#damaged(`it has no ${name}`);
    if (place[0] + place[1] > this.#size) throw this.#damaged(`${name} ends early`);
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
    this.#size = size;
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
      hint: 'remove the Index folder; it will be rebuilt',
      cause,
    });
  }
}

/** Where the file of a segment is, in the `Index` folder. */
export function segmentPath(folder: string, name: string): string {
  return join(folder, `segment-${name}.bin`);
}
