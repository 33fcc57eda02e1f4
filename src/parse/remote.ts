import type { Clock, Random } from '../base/index.ts';
import { parseJson, systemClock } from '../base/index.ts';
import type { Credential, HttpClient, HttpResponse, HttpResult, ProxySettings } from '../http/index.ts';
import { createServerClient, parseRetryAfter, Secret } from '../http/index.ts';
import { RemoteError } from './remote-error.ts';

/** A server of the user that parses or embeds. */
export interface RemoteOptions {
  /** The paths of requests are appended. */
  readonly baseUrl: string;
  readonly credential?: Pick<Credential, 'name' | 'prefix' | 'secret'> | undefined;
  /** Silence for this long ends an attempt. */
  readonly timeoutMs: number;
  /** Attempts after the first, for requests that may be repeated. */
  readonly retries: number;
  /** The first delay between attempts; by default one second. */
  readonly backoffMs?: number;
  /** A server that asks for a longer pause is given up; by default ten minutes. */
  readonly longestWaitMs?: number;
  /** Requests at once; by default without a limit. */
  readonly concurrency?: number;
  readonly proxy?: ProxySettings | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

interface RemoteRequest {
  /** Sent as JSON; without it the request is a GET. */
  readonly body?: unknown;
  /** By default false for requests with a body, true for others. */
  readonly repeatable?: boolean;
  /** Says what is wrong with an answer that may be better the next time. */
  readonly fault?: (answer: unknown) => string | undefined;
}

const LONGEST_BACKOFF_MS = 60_000;

/** The credential of OpenAI-compatible servers; undefined without a key. */
export function bearer(apiKey: string | undefined): RemoteOptions['credential'] {
  return apiKey === undefined ? undefined : { name: 'authorization', prefix: 'Bearer ', secret: new Secret(apiKey) };
}

/**
 * Sends JSON and receives JSON. Failures are `RemoteError`s; redirects are refused, because the user named the address.
 */
export class RemoteServer implements AsyncDisposable {
  readonly #base: string;
  readonly #origin: string;
  readonly #clock: Clock;
  readonly #credentials: readonly Credential[];
  readonly #client: HttpClient;

  constructor(options: RemoteOptions) {
    const { credential, backoffMs: baseMs = 1_000, baseUrl, ...rest } = options;
    const url = new URL(baseUrl);
    this.#base = baseUrl.replace(/(?<!\/)\/+$/, '');
    this.#origin = url.origin;
    this.#clock = options.clock ?? systemClock;
    this.#credentials = credential ? [{ ...credential, origin: url.origin, place: 'header' }] : [];
    this.#client = createServerClient({ ...rest, url, backoff: { baseMs, capMs: LONGEST_BACKOFF_MS } });
  }

  async ask(path: string, request: RemoteRequest = {}, signal?: AbortSignal): Promise<unknown> {
    const { body, repeatable = body === undefined } = request;
    let answer: unknown;
    const result = await this.#client.send(
      {
        url: new URL(`${this.#base}${path}`),
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
        ...(body !== undefined && { headers: { 'content-type': 'application/json' } }),
        credentials: this.#credentials,
        repeatable,
        ...(!repeatable && { retries: 0 }),
        fault: (response) => {
          if (!isSuccess(response)) return undefined;
          answer = parseJson(response.body.toString('utf8'));
          return answer === undefined ? 'something other than JSON' : request.fault?.(answer);
        },
      },
      signal,
    );
    if (result.kind === 'response' && isSuccess(result.response)) return answer;
    throw this.#errorOf(result);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }

  #errorOf(result: HttpResult): RemoteError {
    switch (result.kind) {
      case 'response':
      case 'stopped':
        return this.#statusError(result.response);
      case 'later':
        if (result.trail.response) return this.#statusError(result.trail.response);
        return this.#unreachable(result.reason);
      case 'failed':
        if (result.reason === 'bad-answer')
          return new RemoteError('ENGINE_ANSWER_BROKEN', `${this.#origin} answered with ${result.message}`, {
            category: 'network',
          });
        return TIMEOUTS.has(result.reason)
          ? new RemoteError('ENGINE_TIMEOUT', `${this.#origin} did not answer in time (${result.message})`, {
              category: 'timeout',
              retryable: true,
            })
          : this.#unreachable(result.message);
      case 'refused':
        if (result.reason === 'body-too-large' || result.reason === 'decompression-bomb')
          return new RemoteError('ENGINE_ANSWER_TOO_LARGE', `the answer of ${this.#origin} is too large`, {
            category: 'runtime',
          });
        return new RemoteError('ENGINE_NOT_FOUND', `${this.#origin} may not be asked: ${result.message}`, {
          category: 'config',
          hint: 'check the address of the server; redirects are not followed',
        });
    }
  }

  #unreachable(why: string): RemoteError {
    return new RemoteError('ENGINE_UNREACHABLE', `${this.#origin} cannot be reached (${why})`, {
      category: 'network',
      hint: 'check that the server runs and that its address is right',
    });
  }

  #statusError(response: HttpResponse): RemoteError {
    const { status, headers } = response;
    const said = detail(response.body.toString('utf8'));
    const message = `${this.#origin} answered ${status}${said === '' ? '' : `: ${said}`}`;
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
    const now = this.#clock.now();
    const at = parseRetryAfter(headers, now);
    return new RemoteError('ENGINE_FAILED', message, {
      status,
      category: status === 408 || status === 425 || status === 429 || status >= 500 ? 'network' : 'runtime',
      retryAfterMs: at === undefined ? undefined : at - now,
    });
  }
}

const TIMEOUTS: ReadonlySet<string> = new Set(['connect-timeout', 'headers-timeout', 'idle-timeout', 'total-timeout']);

function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

function detail(text: string): string {
  const plain = text.replace(/[^\x20-\x7e\u00a0-\uffff]+/g, ' ').trim();
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
}
