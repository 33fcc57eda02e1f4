import type { Clock } from '../../../base/index.ts';
import { AppError, isAbort } from '../../../base/index.ts';

/** The result of one request. */
export type Reply =
  | { readonly kind: 'answer'; readonly body: unknown }
  /** Retryable; `afterMs` when the server said how long to wait. */
  | { readonly kind: 'again'; readonly reason: string; readonly afterMs: number | undefined }
  /** Too much at once: the same texts in smaller batches may pass. */
  | { readonly kind: 'smaller'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

const MOST_ANSWER_BYTES = 256 * 1024 * 1024;
const MOST_REASON_CHARACTERS = 300;

/** Sends one batch and sorts what comes back. Redirects are refused: they would carry the key to another host. */
export async function requestEmbeddings(
  request: {
    readonly url: string;
    readonly body: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
  },
  clock: Clock,
  signal?: AbortSignal,
): Promise<Reply> {
  const late = new AbortController();
  using _timer = clock.setTimer(request.timeoutMs, () => late.abort());
  const either = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  try {
    const response = await fetch(request.url, {
      method: 'POST',
      headers: { ...request.headers, 'content-type': 'application/json' },
      body: request.body,
      redirect: 'error',
      signal: either,
    });
    const text = await boundedText(response);
    return response.ok ? parseBody(text) : sort(response, text, clock.now());
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof AppError) throw error;
    const reason = late.signal.aborted || isAbort(error) ? `no answer in ${request.timeoutMs} ms` : cause(error);
    return { kind: 'again', reason, afterMs: undefined };
  }
}

function parseBody(text: string): Reply {
  try {
    return { kind: 'answer', body: JSON.parse(text) as unknown };
  } catch {
    // A cut-off answer looks like this too, so it is retryable.
    return { kind: 'again', reason: 'the answer is not JSON', afterMs: undefined };
  }
}

function sort(response: Response, text: string, now: number): Reply {
  const reason = `${response.status} ${text.replaceAll(/\s+/g, ' ').slice(0, MOST_REASON_CHARACTERS)}`.trim();
  if (response.status === 413 || response.status === 422) return { kind: 'smaller', reason };
  if (response.status === 408 || response.status === 425 || response.status === 429 || response.status >= 500) {
    return { kind: 'again', reason, afterMs: retryAfterMs(response.headers.get('retry-after'), now) };
  }
  return { kind: 'refused', reason };
}

/** Seconds or a date (RFC 9110, 10.2.3); nonsense is none. */
function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

async function boundedText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += (piece as Uint8Array).length;
    if (bytes > MOST_ANSWER_BYTES) {
      throw new AppError('EMBED_ANSWER', `the embedding server's answer is longer than ${MOST_ANSWER_BYTES} bytes`, {
        hint: 'reduce parse.batch_size',
      });
    }
    pieces.push(piece as Uint8Array);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function cause(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(inner instanceof Error)) return String(inner);
  return 'code' in inner && typeof inner.code === 'string' ? inner.code : inner.message;
}
