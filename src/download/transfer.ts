import type { Headers, ResponseHead } from '../http/index.ts';
import type { Plan } from '../resolve/index.ts';
import { BodyReceiver } from './receive-body.ts';

/**
 * One file on its way: begun, broken off, and continued where the server lets us. Only bytes of the same version are put
 * together: If-Range with a strong validator makes the server say when they are not.
 */
export class Transfer {
  receiver: BodyReceiver | undefined;
  readonly #part: string;
  readonly #plan: Plan;
  readonly #keepPages: boolean;
  #validator: string | undefined;

  constructor(part: string, plan: Plan, keepPages: boolean) {
    this.#part = part;
    this.#plan = plan;
    this.#keepPages = keepPages;
  }

  /** Asks for the rest only, if there is something to continue. */
  rangeHeaders(): Headers {
    const have = this.receiver?.bytes ?? 0;
    return have === 0 || this.#validator === undefined ? {} : { range: `bytes=${have}-`, 'if-range': this.#validator };
  }

  /** Asks for everything again next time. */
  startOver(): void {
    this.#validator = undefined;
  }

  /** The sink for an answer: the one in use if this is the rest of its bytes, a new one otherwise. */
  open(head: ResponseHead, stop: () => void): BodyReceiver {
    const have = this.receiver?.bytes ?? 0;
    if (head.status === 206 && this.receiver && rangeStart(head) === have) return this.receiver;
    this.receiver?.discard();
    this.#validator = validatorOf(head);
    this.receiver = new BodyReceiver({
      part: this.#part,
      keepPages: this.#keepPages,
      checksum: this.#plan.checksum,
      stop,
    });
    return this.receiver;
  }
}

/** A strong ETag; dates are too coarse, and what was encoded on the way cannot be cut at a byte of ours. */
function validatorOf({ headers }: ResponseHead): string | undefined {
  const etag = headers['etag'];
  const isPlain = headers['content-encoding'] === undefined || headers['content-encoding'] === 'identity';
  return isPlain && headers['accept-ranges'] !== 'none' && etag !== undefined && /^"[^"]*"$/.test(etag)
    ? etag
    : undefined;
}

function rangeStart({ headers }: ResponseHead): number | undefined {
  const match = /^bytes (\d+)-\d+\/(?:\d+|\*)$/.exec(headers['content-range'] ?? '');
  return match ? Number(match[1]) : undefined;
}
