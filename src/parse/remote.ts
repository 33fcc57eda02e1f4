import type { Clock } from '../base/index.ts';
import { AppError, boundedText, errorInfo, systemClock, wait } from '../base/index.ts';

type RemoteCategory = 'input' | 'config' | 'runtime' | 'timeout' | 'network';

/** A failure of a remote engine; `retryable` says whether the same request may succeed later. */
export class RemoteError extends AppError {
  readonly category: RemoteCategory;
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    code: string,
    message: string,
    options: {
      readonly category: RemoteCategory;
      /** By default true only for network errors. */
      readonly retryable?: boolean;
      readonly hint?: string;
      readonly status?: number;
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(code, message, options);
    this.category = options.category;
    this.retryable = options.retryable ?? options.category === 'network';
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}

const LARGEST_ANSWER_BYTES = 200_000_000;

interface JsonRequest {
  /** The server's address; the path is appended. */
  readonly baseUrl: string;
  readonly path: string;
  /** Sent as JSON; without it the request is a GET. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number;
  readonly clock?: Clock;
  readonly signal?: AbortSignal | undefined;
}

export function bearer(apiKey: string | undefined): Readonly<Record<string, string>> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}

/** Makes a request again while that may help, not before the server's Retry-After has passed. */
export async function withRetries<T>(
  request: () => Promise<T>,
  how: {
    readonly retries: number;
    readonly delayMs: (attempt: number) => number;
    /** A server that asks for a longer pause is given up. */
    readonly longestWaitMs?: number;
    readonly clock: Clock;
  },
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof RemoteError) || !error.retryable || attempt > how.retries) throw error;
      const { retryAfterMs = 0 } = error;
      if (retryAfterMs > (how.longestWaitMs ?? Infinity)) throw error;
      await wait(how.clock, Math.max(how.delayMs(attempt), retryAfterMs), signal);
    }
}

/** Errors get a category. Redirects are refused: they would carry the key to another host. */
export async function requestJson(request: JsonRequest): Promise<unknown> {
  const { clock = systemClock, body } = request;
  const url = `${request.baseUrl.replace(/(?<!\/)\/+$/, '')}${request.path}`;
  const late = new AbortController();
  using _timer = clock.setTimer(request.timeoutMs, () => late.abort());
  const signal = request.signal ? AbortSignal.any([request.signal, late.signal]) : late.signal;
  let response: Response;
  let text: string | undefined;
  try {
    response = await fetch(url, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...request.headers },
      signal,
      redirect: 'error',
    });
    text = await boundedText(response, LARGEST_ANSWER_BYTES);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw late.signal.aborted
      ? new RemoteError('ENGINE_TIMEOUT', `${origin(url)} did not answer within ${request.timeoutMs} ms`, {
          category: 'timeout',
          retryable: true,
          cause: error,
        })
      : new RemoteError('ENGINE_UNREACHABLE', `${origin(url)} cannot be reached (${cause(error)})`, {
          category: 'network',
          hint: 'check that the server runs and that its address is right',
          cause: error,
        });
  }
  if (text === undefined)
    throw new RemoteError('ENGINE_ANSWER_TOO_LARGE', `the answer is larger than ${LARGEST_ANSWER_BYTES} bytes`, {
      category: 'runtime',
    });
  if (!response.ok) throw statusError(url, response, text, clock.now());
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new RemoteError('ENGINE_ANSWER_BROKEN', `${origin(url)} answered with something other than JSON`, {
      category: 'network',
      cause: error,
    });
  }
}

function statusError(url: string, response: Response, text: string, now: number): RemoteError {
  const { status } = response;
  const said = detail(text);
  const message = `${origin(url)} answered ${status}${said === '' ? '' : `: ${said}`}`;
  if (status === 401 || status === 403)
    return new RemoteError('ENGINE_REFUSED', message, { status, category: 'config', hint: 'check the API key' });
  if (status === 404)
    return new RemoteError('ENGINE_NOT_FOUND', message, {
      status,
      category: 'config',
      hint: 'check the address and the version of the server',
    });
  if (status === 413 || status === 415 || status === 422 || status === 400)
    return new RemoteError('ENGINE_REJECTED_INPUT', message, { status, category: 'input' });
  return new RemoteError('ENGINE_FAILED', message, {
    status,
    category: status === 408 || status === 425 || status === 429 || status >= 500 ? 'network' : 'runtime',
    retryAfterMs: retryAfter(response.headers.get('retry-after'), now),
  });
}

/** What the network layer says; the message of `fetch` itself may quote a header with the key. */
function cause(error: unknown): string {
  if (!(error instanceof Error && error.cause instanceof Error)) return errorInfo(error).code;
  const { code, message } = errorInfo(error.cause, '');
  return code === '' ? message : code;
}

function detail(text: string): string {
  const plain = text.replace(/[^\x20-\x7e\u00a0-\uffff]+/g, ' ').trim();
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
}

/** Seconds or a date (RFC 9110, 10.2.3); nonsense is none. */
function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(header.trim())) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** The server's address without path, query and credentials. */
function origin(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return 'the server';
  }
}
