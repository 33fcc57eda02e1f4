import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';

import { describeDiskError } from '../base/index.ts';
import type { BodySink } from '../http/index.ts';
import type { Checksum } from '../resolve/index.ts';
import type { Sniffed } from './sniffer.ts';
import { Sniffer } from './sniffer.ts';

/** A page that is larger is none that we can read links from. */
const MAX_PAGE_BYTES = 5_000_000;

/** A body that was received as a whole. */
export interface ReceivedBody {
  readonly sniffed: Sniffed;
  readonly sha256: string;
  /** The text of a page; null for a document, which is in the part file. */
  readonly page: Buffer | null;
  /** False when the service published a checksum and this is another. */
  readonly checksumMatches: boolean;
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

  constructor(options: {
    readonly part: string;
    readonly keepPages: boolean;
    readonly checksum: Checksum | null;
    readonly stop: () => void;
  }) {
    this.#part = options.part;
    this.#keepPages = options.keepPages;
    this.#stop = options.stop;
    this.#checksum = options.checksum
      ? { hash: createHash(options.checksum.algorithm), hex: options.checksum.hex.toLowerCase() }
      : undefined;
  }

  /** Bytes received so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The rest comes by another answer, which is ended by another hand. */
  continueUntil(stop: () => void): void {
    this.#stop = stop;
  }

  write(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#hash.update(chunk);
    this.#checksum?.hash.update(chunk);
    const kind = this.#sniffer.write(chunk);
    if (this.#isPage === undefined && kind !== undefined) this.#isPage = kind === 'html';
    if (this.#isPage === false) {
      this.#flush();
      this.#writeAll(chunk);
      return;
    }
    // The transport reuses its buffers.
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
