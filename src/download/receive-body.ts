import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, rmSync, truncateSync, writeSync } from 'node:fs';

import { describeDiskError } from '../base/index.ts';
import type { BodySink } from '../http/index.ts';
import type { Checksum } from '../resolve/index.ts';
import type { Beginning, Origin } from './begun-files.ts';
import { BeginningNote } from './begun-files.ts';
import type { BodyKind, Sniffed } from './sniffer.ts';
import { Sniffer } from './sniffer.ts';

/** Larger pages are not read for links. */
const MAX_PAGE_BYTES = 5_000_000;
/** How often progress is recorded: the most a crash costs. */
const MARK_BYTES = 1 << 20;

/** A completely received body. */
export interface ReceivedBody {
  readonly sniffed: Sniffed;
  readonly sha256: string;
  /** The text of a page; null for a document, which is in the part file. */
  readonly page: Buffer | null;
  /** False if the service published a different checksum. */
  readonly checksumMatches: boolean;
}

export interface ReceiveOptions {
  readonly part: string;
  readonly keepPages: boolean;
  readonly checksum: Checksum | null;
  readonly stop: () => void;
  /** Undefined if it cannot be resumed. */
  readonly origin?: Origin | undefined;
}

/**
 * Receives a body: hashes it, detects its type, and writes it to a part file, except for web pages, which stay in
 * memory. Writes are synchronous: they go to the page cache and cost less than a thread hop.
 */
export class BodyReceiver implements BodySink {
  readonly #part: string;
  readonly #keepPages: boolean;
  readonly #sniffer = new Sniffer();
  readonly #hash = createHash('sha256');
  readonly #checksum: { readonly hash: Hash; readonly hex: string } | undefined;
  #stop: () => void;
  #descriptor: number | undefined;
  /** Chunks not yet written: all of a page, the first kilobytes of anything else. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #bytes = 0;
  #isPage: boolean | undefined;
  /** Present while another process could resume the body. */
  #note: BeginningNote | undefined;
  readonly #total: number;
  #markedBytes = 0;

  constructor(options: ReceiveOptions) {
    this.#part = options.part;
    this.#keepPages = options.keepPages;
    this.#stop = options.stop;
    this.#checksum = options.checksum
      ? { hash: createHash(options.checksum.algorithm), hex: options.checksum.hex.toLowerCase() }
      : undefined;
    this.#note = options.origin && new BeginningNote(options.part, options.origin);
    this.#total = options.origin?.version.total ?? Infinity;
  }

  /** Resumes a part file; undefined if its bytes do not match the note. */
  static async resume(
    options: ReceiveOptions,
    { bytes, sha256, ...origin }: Beginning,
  ): Promise<BodyReceiver | undefined> {
    const receiver = new BodyReceiver({ ...options, origin });
    if (!(await receiver.#readBack(bytes, sha256))) {
      receiver.discard();
      return undefined;
    }
    receiver.#note = new BeginningNote(options.part, origin, { isBegun: true });
    receiver.#markedBytes = bytes;
    return receiver;
  }

  /** Bytes received so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The rest comes in another response, with its own `stop`. */
  continueUntil(stop: () => void): void {
    this.#stop = stop;
  }

  write(chunk: Buffer, isDecoded = false): void {
    const kind = this.#see(chunk);
    if (this.#isPage === undefined && kind !== undefined) this.#isPage = kind === 'html';
    // Decoded bytes cannot be resumed.
    if (isDecoded) this.#note = undefined;
    if (this.#isPage === false) {
      this.#flush();
      this.#writeAll(chunk);
      this.#mark();
      return;
    }
    // Copied, since the socket reuses its buffer.
    this.#held.push(Buffer.from(chunk));
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > MAX_PAGE_BYTES) this.#stop();
  }

  /** Called after the last byte. The part file is not synced: a refused file need not be. */
  end(): ReceivedBody {
    const sniffed = this.#sniffer.end();
    const isPage = this.#isPage ?? sniffed.kind === 'html';
    const page = isPage ? Buffer.concat(this.#held) : null;
    if (!isPage || this.#keepPages) this.#flush();
    this.#close();
    return {
      sniffed,
      sha256: this.#hash.digest('hex'),
      page,
      checksumMatches: this.#checksum === undefined || this.#checksum.hash.digest('hex') === this.#checksum.hex,
    };
  }

  /** Discards everything, including the part file. */
  discard(): void {
    this.#close();
    rmSync(this.#part, { force: true });
    this.forgetBeginning();
  }

  /** Closes the part file as it is. */
  leave(): void {
    this.#close();
  }

  /** Marks the file as not to be resumed. */
  forgetBeginning(): void {
    this.#note?.remove();
    this.#note = undefined;
  }

  #see(chunk: Buffer): BodyKind | undefined {
    this.#bytes += chunk.length;
    this.#hash.update(chunk);
    this.#checksum?.hash.update(chunk);
    return this.#sniffer.write(chunk);
  }

  #mark(): void {
    if (this.#note === undefined || this.#bytes - this.#markedBytes < MARK_BYTES || this.#bytes >= this.#total) return;
    this.#markedBytes = this.#bytes;
    try {
      this.#note.mark(this.#bytes, this.#hash.copy().digest('hex'));
    } catch (error) {
      throw describeDiskError(error, this.#part);
    }
  }

  async #readBack(bytes: number, sha256: string): Promise<boolean> {
    try {
      for await (const chunk of createReadStream(this.#part, { end: bytes - 1, highWaterMark: 1 << 18 })) {
        const kind = this.#see(chunk as Buffer);
        this.#isPage ??= kind === undefined ? undefined : kind === 'html';
      }
      if (this.#bytes !== bytes || this.#isPage !== false || this.#hash.copy().digest('hex') !== sha256) return false;
      // Bytes after the last mark are unverified.
      truncateSync(this.#part, bytes);
      this.#descriptor = openSync(this.#part, 'a');
      return true;
    } catch (error) {
      throw describeDiskError(error, this.#part);
    }
  }

  #flush(): void {
    try {
      this.#descriptor ??= openSync(this.#part, 'wx');
    } catch (error) {
      throw describeDiskError(error, this.#part);
    }
    for (const chunk of this.#held) this.#writeAll(chunk);
    this.#held = [];
  }

  #writeAll(chunk: Buffer): void {
    if (this.#descriptor === undefined) return;
    try {
      for (let written = 0; written < chunk.length;) written += writeSync(this.#descriptor, chunk, written);
    } catch (error) {
      throw describeDiskError(error, this.#part);
    }
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
