import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';

import { describeDiskError } from '../base/index.ts';
import type { BodySink, Headers, HttpResult, ResponseHead } from '../http/index.ts';
import type { Plan, Checksum } from '../resolve/index.ts';
import { responseOf } from './reasons.ts';
import type { Sniffed } from './sniffer.ts';
import { Sniffer } from './sniffer.ts';

/** Identifies a body, so that ranges of different versions are never joined. */
interface Version {
  /** A strong ETag. */
  readonly etag: string;
  /** Total bytes; undefined if the server did not say. */
  readonly total: number | undefined;
  /** Final URL without the query, which may be a one-time signature. */
  readonly place: string;
}

const NOTHING: BodySink = { write: () => undefined };

/**
 * The transfer of one file, resumed after an interruption if the server allows it. Only bytes of the same version are
 * joined: the rest is requested with If-Range and a strong validator, and accepted only if it has the same validator and
 * URL, begins where we stopped and ends where the file ends.
 *
 *   begin ──▶ broke off ──Range──▶ the rest ──▶ whole
 *                  ▲         │ another version, another part, 416
 *                  └─from the start
 */
export class Transfer {
  receiver: BodyReceiver | undefined;
  /** Why the last successful response was not a body of this file. */
  fault: string | undefined;
  readonly #part: string;
  readonly #plan: Plan;
  readonly #keepPages: boolean;
  #version: Version | undefined;
  #asked = 0;
  /** Total length stated by the rest. */
  #whole: number | undefined;

  constructor(part: string, options: { readonly plan: Plan; readonly keepPages: boolean }) {
    this.#part = part;
    this.#plan = options.plan;
    this.#keepPages = options.keepPages;
  }

  /** First byte requested; 0 for everything. */
  get continuedFrom(): number {
    return this.#asked;
  }

  /** Requests only the rest, if there is something to resume. */
  rangeHeaders(): Headers {
    this.fault = undefined;
    this.#whole = undefined;
    this.#asked = this.#version === undefined ? 0 : (this.receiver?.bytes ?? 0);
    return this.#version && this.#asked > 0 ? { range: `bytes=${this.#asked}-`, 'if-range': this.#version.etag } : {};
  }

  /** Whether the body can still be obtained by resuming or restarting. */
  isBrokenOff(result: HttpResult): boolean {
    if (result.kind === 'failed') return result.retryable && result.trail.response !== undefined;
    if (this.#asked === 0) return false;
    this.fault ??= this.#wrongLength(result);
    return this.fault !== undefined || responseOf(result)?.status === 416;
  }

  /** Requests everything next time. */
  startOver(): void {
    this.#version = undefined;
  }

  /** The sink for a response: the current one for the rest of its bytes, a new one for a whole body. */
  open(head: ResponseHead, stop: () => void): BodySink {
    if (head.status === 206) {
      this.fault = this.#asked > 0 ? this.#mismatch(head) : 'answered 206 with a part that nobody asked for';
      if (this.fault === undefined && this.receiver) {
        this.receiver.continueUntil(stop);
        return this.receiver;
      }
      this.startOver();
      stop();
      return NOTHING;
    }
    this.receiver?.discard();
    this.#version = versionOf(head);
    const { checksum } = this.#plan;
    this.receiver = new BodyReceiver({ part: this.#part, keepPages: this.#keepPages, checksum, stop });
    return this.receiver;
  }

  /** Why a partial response is not the rest of this file. */
  #mismatch({ headers, url }: ResponseHead): string | undefined {
    const version = this.#version;
    const range = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers['content-range'] ?? '');
    const [start, end, total] = (range?.slice(1) ?? []).map(Number);
    if (start === undefined || end === undefined || total === undefined)
      return `answered 206 without saying which part: content-range ${headers['content-range'] ?? 'missing'}`;
    if (version === undefined || headers['etag'] !== version.etag)
      return `the rest has another version: ETag ${headers['etag'] ?? 'missing'}, not ${version?.etag ?? 'known'}`;
    if (placeOf(url) !== version.place) return `the rest comes from another place: ${placeOf(url)}`;
    if (!isPlain(headers)) return 'the rest is encoded, the beginning was not';
    if (start !== this.#asked) return `the rest begins at ${start}, not at ${this.#asked}`;
    if (total !== (version.total ?? total)) return `the whole has ${total} bytes now, not ${version.total}`;
    this.#whole = total;
    return end === total - 1 ? undefined : `the rest ends at ${end} of ${total} bytes`;
  }

  /** A complete rest must have its stated length. */
  #wrongLength(result: HttpResult): string | undefined {
    const bytes = this.receiver?.bytes;
    if (result.kind !== 'response' || this.#whole === undefined || bytes === this.#whole) return undefined;
    this.startOver();
    return `with its rest the file has ${bytes} bytes, not ${this.#whole}`;
  }
}

/** A strong ETag: dates are too coarse, and a decoded body cannot be resumed. */
function versionOf({ headers, url }: ResponseHead): Version | undefined {
  const etag = headers['etag'];
  if (!isPlain(headers) || headers['accept-ranges'] === 'none' || etag === undefined || !/^"[^"]*"$/.test(etag))
    return undefined;
  const length = headers['content-length'];
  return { etag, total: length === undefined ? undefined : Number(length), place: placeOf(url) };
}

function isPlain(headers: Headers): boolean {
  return headers['content-encoding'] === undefined || headers['content-encoding'] === 'identity';
}

function placeOf({ origin, pathname }: URL): string {
  return origin + pathname;
}

/** Larger pages are not read for links. */
const MAX_PAGE_BYTES = 5_000_000;

/** A completely received body. */
export interface ReceivedBody {
  readonly sniffed: Sniffed;
  readonly sha256: string;
  /** The text of a page; null for a document, which is in the part file. */
  readonly page: Buffer | null;
  /** False if the service published a different checksum. */
  readonly checksumMatches: boolean;
}

interface ReceiveOptions {
  readonly part: string;
  readonly keepPages: boolean;
  readonly checksum: Checksum | null;
  readonly stop: () => void;
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

  constructor(options: ReceiveOptions) {
    this.#part = options.part;
    this.#keepPages = options.keepPages;
    this.#stop = options.stop;
    this.#checksum = options.checksum
      ? { hash: createHash(options.checksum.algorithm), hex: options.checksum.hex.toLowerCase() }
      : undefined;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The rest comes in another response, with its own `stop`. */
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
