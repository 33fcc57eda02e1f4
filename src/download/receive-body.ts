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

/** A page that is larger is none that we can read links from. */
const MAX_PAGE_BYTES = 5_000_000;
/** So much of a file is written down as its beginning, and again after each as much: what a death costs at most. */
const MARK_BYTES = 1 << 20;

/** A body that was received as a whole. */
export interface ReceivedBody {
  readonly sniffed: Sniffed;
  readonly sha256: string;
  /** The text of a page; null for a document, which is in the part file. */
  readonly page: Buffer | null;
  /** False when the service published a checksum and this is another. */
  readonly checksumMatches: boolean;
}

export interface ReceiveOptions {
  readonly part: string;
  readonly keepPages: boolean;
  readonly checksum: Checksum | null;
  readonly stop: () => void;
  /** Where it comes from; undefined where nobody could go on with it. */
  readonly origin?: Origin | undefined;
}

/**
 * Takes a body as it streams: hashes it, looks at what it is, and writes it to a part file, except for web pages, which stay
 * in memory because they are read and not kept. Writing is synchronous: it goes to the page cache, and costs less than a
 * trip to the thread pool.
 */
export class BodyReceiver implements BodySink {
  readonly #part: string;
  readonly #keepPages: boolean;
  readonly #sniffer = new Sniffer();
  readonly #hash = createHash('sha256');
  readonly #checksum: { readonly hash: Hash; readonly hex: string } | undefined;
  #stop: () => void;
  #descriptor: number | undefined;
  /** Chunks not yet written: all of a page, the first few kilobytes of anything else. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #bytes = 0;
  #isPage: boolean | undefined;
  /** Present while the body can be gone on with by another process. */
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

  /** Goes on from a part file; undefined when its bytes are not those that were written down. */
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

  /** The rest comes by another answer, which is ended by another hand. */
  continueUntil(stop: () => void): void {
    this.#stop = stop;
  }

  write(chunk: Buffer, isDecoded = false): void {
    const kind = this.#see(chunk);
    if (this.#isPage === undefined && kind !== undefined) this.#isPage = kind === 'html';
    // A byte that was unpacked on the way is no place to go on from.
    if (isDecoded) this.#note = undefined;
    if (this.#isPage === false) {
      this.#flush();
      this.#writeAll(chunk);
      this.#mark();
      return;
    }
    // The socket reads into its buffer again.
    this.#held.push(Buffer.from(chunk));
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > MAX_PAGE_BYTES) this.#stop();
  }

  /** After the last byte. The part file is written but not synced: what is refused need not be. */
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

  /** Forgets everything, the part file included. */
  discard(): void {
    this.#close();
    rmSync(this.#part, { force: true });
    this.forgetBeginning();
  }

  /** Lets go of the part file, as it is. */
  leave(): void {
    this.#close();
  }

  /** Nobody has to go on from here. */
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
      // What came after the last mark is unknown.
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
