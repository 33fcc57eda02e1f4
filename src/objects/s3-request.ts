import { AwsV4Signer } from 'aws4fetch';

import type { Clock, Random } from '../base/index.ts';
import { AppError, equalJitterDelay, wait } from '../base/index.ts';
import type { Secret } from '../http/index.ts';
import { parseRetryAfter } from '../http/index.ts';

/** Where an S3-compatible store is and who asks. */
export interface S3Options {
  readonly bucket: string;
  /** Before every key; no slash at either end. */
  readonly prefix: string;
  /** For example `https://s3.eu-central-1.amazonaws.com`; that of the region at AWS unless given. */
  readonly endpoint: string;
  readonly region: string;
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`. */
  readonly pathStyle: boolean;
  readonly credentials: S3Credentials;
  readonly clock: Clock;
  readonly random?: Random;
}

interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken: Secret | undefined;
}

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'HEAD' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** The hash of the body, which is signed: the server refuses other bytes. */
  readonly sha256?: string;
}

const TRIES = 8;
const BASE_MS = 250;
const LONGEST_WAIT_MS = 30_000;
const LONGEST_PATIENCE_MS = 600_000;
/** The time for an answer to begin; a part of 8 MiB on a slow line takes a while to send. */
const ANSWER_MS = 120_000;
const EMPTY_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const LONGEST_ANSWER = 8 << 20;

/** Sends signed requests, and again where a server is away or asks to slow down. */
export class S3Sender {
  readonly #options: S3Options;

  constructor(options: S3Options) {
    this.#options = options;
  }

  /** The answer to a request: 2xx, 404, or 416 for a range behind the end. Everything else throws once trying again does not help. */
  async send(request: S3Request, signal?: AbortSignal): Promise<Response> {
    const { clock, random } = this.#options;
    let last: unknown;
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      let delayMs = equalJitterDelay(attempt, { baseMs: BASE_MS, capMs: LONGEST_WAIT_MS, ...(random && { random }) });
      try {
        const response = await this.#once(request, signal);
        if (response.ok || response.status === 404 || response.status === 416) return response;
        const text = await boundedText(response);
        const fault = this.#fault(request, response.status, text);
        if (!isPassing(response.status, text)) throw fault;
        delayMs = Math.max(delayMs, afterOf(response, clock));
        last = fault;
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof AppError) throw error;
        last = error;
      }
      if (attempt < TRIES) await wait(clock, delayMs, signal);
    }
    throw new AppError('OBJECT_STORE_AWAY', `${this.#options.endpoint} does not answer: ${this.#clean(last)}`, {
      hint: 'check the URL of the store, and run again when it is back; nothing is lost',
      cause: last instanceof AppError ? last : undefined,
    });
  }

  async #once(request: S3Request, signal: AbortSignal | undefined): Promise<Response> {
    const { region, credentials, clock } = this.#options;
    const { method, body, headers = {}, sha256 = EMPTY_HASH } = request;
    const signed = await new AwsV4Signer({
      method,
      url: this.#url(request).href,
      headers: { ...headers, 'x-amz-content-sha256': sha256 },
      accessKeyId: credentials.accessKeyId,
      secretAccessKey: credentials.secretAccessKey.reveal(),
      ...(credentials.sessionToken && { sessionToken: credentials.sessionToken.reveal() }),
      service: 's3',
      region,
      datetime: new Date(clock.now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
    }).sign();
    // Only the beginning of an answer is waited for here: who reads the body limits that.
    const late = new AbortController();
    using _timer = clock.setTimer(ANSWER_MS, () => late.abort(new Error(`no answer within ${ANSWER_MS / 1000} s`)));
    return await fetch(signed.url, {
      method,
      headers: signed.headers,
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal: AbortSignal.any([late.signal, ...(signal ? [signal] : [])]),
    });
  }

  #url({ key, query = {} }: S3Request): URL {
    const { endpoint, bucket, prefix, pathStyle } = this.#options;
    const url = new URL(endpoint);
    if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
    const parts = [...(pathStyle ? [bucket] : []), ...(key === '' ? [] : prefix.split('/')), ...key.split('/')];
    const path = parts.filter((part) => part !== '').map((part) => encodeURIComponent(part));
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${path.join('/')}`;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }

  #fault({ method, key }: S3Request, status: number, text: string): AppError {
    const { bucket, prefix, endpoint } = this.#options;
    const what = `${method} ${[bucket, prefix, key].filter((part) => part !== '').join('/')} at ${endpoint}: ${status} ${tagOf(text, 'Code') ?? ''} ${tagOf(text, 'Message') ?? ''}`;
    const code = status === 401 || status === 403 ? 'OBJECT_STORE_DENIED' : 'OBJECT_STORE_REFUSED';
    return new AppError(code, this.#clean(what.trim()), {
      hint:
        tagOf(text, 'Code') === 'RequestTimeTooSkewed'
          ? 'the clock of this machine is wrong'
          : 'check bucket, region and credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, or ~/.aws/credentials)',
    });
  }

  /** A server may repeat what it was sent. */
  #clean(value: unknown): string {
    const { secretAccessKey, sessionToken } = this.#options.credentials;
    const cause = value instanceof Error && value.cause instanceof Error ? ` (${value.cause.message})` : '';
    const text = (value instanceof Error ? value.message + cause : String(value)).slice(0, 500);
    return sessionToken ? sessionToken.scrub(secretAccessKey.scrub(text)) : secretAccessKey.scrub(text);
  }
}

/** The text of an element of an answer. */
export function tagOf(xml: string, name: string): string | undefined {
  const [, behind] = xml.split(`<${name}>`, 2);
  const [text, ...closed] = behind?.split(`</${name}>`, 2) ?? [];
  if (closed.length === 0 || text?.includes('<')) return undefined;
  return text?.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** The text of an answer, which must not be long. */
export async function boundedText(response: Response): Promise<string> {
  if (!response.body) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > LONGEST_ANSWER) throw new AppError('OBJECT_STORE_REFUSED', 'the response of the store exceeds 8 MiB');
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** 503 SlowDown, 500 and their relatives pass; 400 RequestTimeout is a line that broke. */
function isPassing(status: number, text: string): boolean {
  return status >= 500 || status === 429 || status === 408 || /<Code>(RequestTimeout|SlowDown)</.test(text);
}

function afterOf(response: Response, clock: Clock): number {
  const at = parseRetryAfter(Object.fromEntries(response.headers), clock.now());
  return at === undefined ? 0 : Math.min(LONGEST_PATIENCE_MS, Math.max(0, at - clock.now()));
}
