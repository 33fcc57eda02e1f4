import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

import { AppError } from '../../base/index.ts';
import { PASSAGE_ANALYSIS } from '../../parse/index.ts';

/** The sections of a segment's file; the footer at its end lists their positions. */
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
  | 'centroid'
  | 'codes';

export interface SegmentFooter {
  /** How many passages have a vector; null if the segment was written without vectors. */
  readonly embedded: number | null;
  readonly sections: Readonly<Partial<Record<SectionName, SectionPlace>>>;
}

/** Position and CRC-32 of a section; the passages, which are never read as a whole, have none. */
export type SectionPlace = readonly [offset: number, bytes: number, crc?: number];

/** How texts were analysed, parts of papers named and segments written: an index of another version is built again. */
export const INDEX_VERSION = `${PASSAGE_ANALYSIS}, sections/2, segments/2`;
const MAGIC = Buffer.from('DKGSEG2\n');
const LONGEST_FOOTER = 65_536;

export function footerBytes(footer: SegmentFooter): Buffer {
  const text = Buffer.from(JSON.stringify(footer), 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([text, length, MAGIC]);
}

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

  /** Aligned for typed arrays. */
  section(name: SectionName): ArrayBuffer {
    const buffer = new ArrayBuffer(this.bytesOf(name));
    this.into(name, new Uint8Array(buffer));
    return buffer;
  }

  into(name: SectionName, target: Uint8Array, from = 0): void {
    this.checkRange(name, from, target.length);
    const [offset, bytes, crc] = this.#place(name);
    this.#read(target, offset + from);
    if (crc !== undefined && target.length === bytes && crc32(target) !== crc)
      throw this.#damaged(`${name} is damaged`);
  }

  /** Throws if a range is outside its section: offsets in a damaged file can have any value. */
  checkRange(name: SectionName, from: number, length: number): void {
    const [, bytes] = this.#place(name);
    const isInside = from >= 0 && length >= 0 && from + length <= bytes;
    if (!isInside || !Number.isInteger(from) || !Number.isInteger(length)) throw this.#damaged(`${name} ends early`);
  }

  /** Converts an error of reading into one that names the file: damaged bytes can fail anywhere. */
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

export function segmentPath(folder: string, name: string): string {
  return join(folder, `segment-${name}.bin`);
}
