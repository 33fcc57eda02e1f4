import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, rmSync, truncateSync, writeSync } from 'node:fs';

import { describeDiskError } from '../base/index.ts';
import type { BodySink, Headers, HttpResult, ResponseHead } from '../http/index.ts';
import type { Checksum } from '../resolve/index.ts';
import type { Beginning, Version, Origin } from './begun-files.ts';
import { noteBeginning, notePath } from './begun-files.ts';
import { responseOf } from './reasons.ts';
import type { BodyKind, Sniffed } from './sniffer.ts';
import { Sniffer } from './sniffer.ts';

const NOTHING: BodySink = { write: () => undefined };

interface WantedFile extends Pick<Origin, 'work' | 'url'> {
  readonly part: string;
  readonly checksum: Checksum | null;
}

/**
 * The transfer of one file. Only bytes of one version are joined: the rest is requested with If-Range and a strong
 * validator, and must have the same validator and URL, begin where we stopped and end where the file ends.
 *
 *   begin ──▶ broke off ──Range──▶ the rest ──▶ whole
 *               ▲  ▲         │ another version, another part, 416
 *               │  └─from the start
 *        taken over from a process that died
 */
export class Transfer {
  receiver: BodyReceiver | undefined;
  fault: string | undefined;
  readonly #wanted: WantedFile;
  #version: Version | undefined;
  #asked = 0;
  #whole: number | undefined;

  constructor(wanted: WantedFile) {
    this.#wanted = wanted;
  }

  /** Resumes the part file if it still matches its note. */
  async resume(beginning: Beginning): Promise<void> {
    this.receiver = await BodyReceiver.resume({ ...this.#wanted, stop: () => undefined }, beginning);
    this.#version = this.receiver && beginning.version;
  }

  /** First byte requested; 0 for everything. */
  get continuedFrom(): number {
    return this.#asked;
  }

  get isContinuable(): boolean {
    return this.#version !== undefined && this.receiver !== undefined;
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

  /** Whether the body exceeded a limit, so that its rest would be refused too. */
  isRefused(result: HttpResult): boolean {
    return result.kind === 'refused' && result.trail.response !== undefined;
  }

  startOver(): void {
    this.#version = undefined;
  }

  /** The sink for a response: the current one for the rest of its bytes, a new one for a whole body. */
  open(head: ResponseHead, stop: () => void): BodySink {
    if (head.status === 206) {
      this.fault = this.#asked > 0 ? this.#mismatch(head) : 'answered 206 with a part that was not requested';
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
    const { part, checksum, work, url } = this.#wanted;
    const origin = this.#version && { work, url, version: this.#version };
    this.receiver = new BodyReceiver({ part, checksum, stop, origin });
    return this.receiver;
  }

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
/** How often progress is recorded: the most a crash costs. */
const MARK_BYTES = 1 << 20;

/** A body that has arrived whole. */
export interface ReceivedBody {
  readonly sniffed: Sniffed;
  readonly sha256: string;
  /** The text of a page; null for a document, which is in the part file. */
  readonly page: Buffer | null;
  /** False if the service published a different checksum. */
  readonly checksumMatches: boolean;
}

interface ReceiveOptions extends Pick<WantedFile, 'part' | 'checksum'> {
  readonly stop: () => void;
  readonly origin?: Origin | undefined;
}

/** Writes a body to a part file, except for pages. Writes are synchronous: cheaper than a thread hop. */
export class BodyReceiver implements BodySink {
  readonly #part: string;
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
  #origin: Origin | undefined;
  readonly #total: number;
  /** How much of the part file its note says is valid; 0 if there is no note. */
  #notedBytes = 0;

  constructor(options: ReceiveOptions) {
    this.#part = options.part;
    this.#stop = options.stop;
    this.#checksum = options.checksum
      ? { hash: createHash(options.checksum.algorithm), hex: options.checksum.hex.toLowerCase() }
      : undefined;
    this.#origin = options.origin;
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
    receiver.#notedBytes = bytes;
    return receiver;
  }

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
    if (isDecoded) this.#origin = undefined;
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
    if (!isPage) this.#flush();
    this.close();
    return {
      sniffed,
      sha256: this.#hash.digest('hex'),
      page,
      checksumMatches: this.#checksum === undefined || this.#checksum.hash.digest('hex') === this.#checksum.hex,
    };
  }

  discard(): void {
    this.close();
    rmSync(this.#part, { force: true });
    this.forgetBeginning();
  }

  forgetBeginning(): void {
    if (this.#notedBytes > 0) rmSync(notePath(this.#part), { force: true });
    this.#notedBytes = 0;
    this.#origin = undefined;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #see(chunk: Buffer): BodyKind | undefined {
    this.#bytes += chunk.length;
    this.#hash.update(chunk);
    this.#checksum?.hash.update(chunk);
    return this.#sniffer.write(chunk);
  }

  #mark(): void {
    const isDue = this.#bytes - this.#notedBytes >= MARK_BYTES && this.#bytes < this.#total;
    if (this.#origin === undefined || !isDue) return;
    const mark = { bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
    this.#onDisk(() => noteBeginning(this.#part, mark, this.#notedBytes === 0 ? this.#origin : undefined));
    this.#notedBytes = this.#bytes;
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
    this.#descriptor ??= this.#onDisk(() => openSync(this.#part, 'wx'));
    for (const chunk of this.#held) this.#writeAll(chunk);
    this.#held = [];
  }

  #writeAll(chunk: Buffer): void {
    const descriptor = this.#descriptor;
    if (descriptor === undefined) return;
    for (let written = 0; written < chunk.length;) written += this.#onDisk(() => writeSync(descriptor, chunk, written));
  }

  #onDisk<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw describeDiskError(error, this.#part);
    }
  }
}
