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
  /** Why the last successful response was not a body of this file. */
  fault: string | undefined;
  readonly #part: string;
  readonly #plan: Plan;
  readonly #keepPages: boolean;
  readonly #asker: { readonly work: string; readonly url: string };
  #version: Version | undefined;
  #asked = 0;
  /** Total length stated by the rest. */
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

  /** Resumes the part file if it still matches its note. */
  async resume(beginning: Beginning): Promise<void> {
    this.receiver = await BodyReceiver.resume(
      this.#receiving(() => undefined),
      beginning,
    );
    this.#version = this.receiver && beginning.version;
  }

  /** First byte requested; 0 for everything. */
  get continuedFrom(): number {
    return this.#asked;
  }

  /** Whether there are bytes to resume from. */
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
    const origin = this.#version && { ...this.#asker, version: this.#version };
    this.receiver = new BodyReceiver({ ...this.#receiving(stop), origin });
    return this.receiver;
  }

  #receiving(stop: () => void): ReceiveOptions {
    return { part: this.#part, keepPages: this.#keepPages, checksum: this.#plan.checksum, stop };
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
