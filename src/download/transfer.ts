import type { BodySink, Headers, HttpResult, ResponseHead } from '../http/index.ts';
import type { Plan } from '../resolve/index.ts';
import type { Beginning, Version } from './begun-files.ts';
import { responseOf } from './http-reason.ts';
import type { ReceiveOptions } from './receive-body.ts';
import { BodyReceiver } from './receive-body.ts';

const NOTHING: BodySink = { write: () => undefined };

/**
 * One file on its way: begun, broken off, and continued where the server lets us. Only bytes of the same version are put
 * together: the rest is asked for with If-Range and a strong validator, and is taken only when it carries the
 * same validator, comes from the same place, begins where we stopped and ends where the whole ends.
 *
 *   begin ──▶ broke off ──Range──▶ the rest ──▶ whole
 *               ▲  ▲         │ another version, another part, 416
 *               │  └─from the start
 *        taken over from a process that died
 */
export class Transfer {
  receiver: BodyReceiver | undefined;
  /** Why the last answer was no body of ours, although it was a success. */
  fault: string | undefined;
  readonly #part: string;
  readonly #plan: Plan;
  readonly #keepPages: boolean;
  readonly #asker: { readonly work: string; readonly url: string };
  #version: Version | undefined;
  #asked = 0;
  /** How long the rest said that the whole is. */
  #whole: number | undefined;

  constructor(
    part: string,
    options: { readonly plan: Plan; readonly keepPages: boolean; readonly work: string; readonly url: string },
  ) {
    this.#part = part;
    this.#plan = options.plan;
    this.#keepPages = options.keepPages;
    this.#asker = { work: options.work, url: options.url };
  }

  /** Takes over what is in the part file already, if it still is what was written down. */
  async resume(beginning: Beginning): Promise<void> {
    this.receiver = await BodyReceiver.resume(
      this.#receiving(() => undefined),
      beginning,
    );
    this.#version = this.receiver && beginning.version;
  }

  /** The byte from which on the rest was asked for; 0 where everything was. */
  get continuedFrom(): number {
    return this.#asked;
  }

  /** True while there is something that its rest could be put to. */
  get isContinuable(): boolean {
    return this.#version !== undefined && this.receiver !== undefined;
  }

  /** Asks for the rest only, if there is something to continue. */
  rangeHeaders(): Headers {
    this.fault = undefined;
    this.#whole = undefined;
    this.#asked = this.#version === undefined ? 0 : (this.receiver?.bytes ?? 0);
    return this.#version && this.#asked > 0 ? { range: `bytes=${this.#asked}-`, 'if-range': this.#version.etag } : {};
  }

  /** True for a body that may be had by going on, or from the start if what came is not the rest of it. */
  isBrokenOff(result: HttpResult): boolean {
    if (result.kind === 'failed') return result.retryable && result.trail.response !== undefined;
    if (this.#asked === 0) return false;
    this.fault ??= this.#wrongLength(result);
    return this.fault !== undefined || responseOf(result)?.status === 416;
  }

  /** True for a body that came and was too much of something: its rest would be refused as well. */
  isRefused(result: HttpResult): boolean {
    return result.kind === 'refused' && result.trail.response !== undefined;
  }

  /** Asks for everything again next time. */
  startOver(): void {
    this.#version = undefined;
  }

  /** The sink for an answer: the one in use if this is the rest of its bytes, a new one for a whole body. */
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
    const origin = this.#version && { ...this.#asker, version: this.#version };
    this.receiver = new BodyReceiver({ ...this.#receiving(stop), origin });
    return this.receiver;
  }

  #receiving(stop: () => void): ReceiveOptions {
    return { part: this.#part, keepPages: this.#keepPages, checksum: this.#plan.checksum, stop };
  }

  /** Why a part is not the rest of what we have. */
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

  /** A rest that came as a whole must be as long as it said: more or less of it belongs to something else. */
  #wrongLength(result: HttpResult): string | undefined {
    const bytes = this.receiver?.bytes;
    if (result.kind !== 'response' || this.#whole === undefined || bytes === this.#whole) return undefined;
    this.startOver();
    return `with its rest the file has ${bytes} bytes, not ${this.#whole}`;
  }
}

/** What a body can be continued by: a strong ETag; dates are too coarse, and an encoded body has no byte of ours to go on from. */
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
