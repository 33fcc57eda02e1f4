import { createHmac, hash } from 'node:crypto';

import type { Clock } from '../base/index.ts';
import { AppError } from '../base/index.ts';
import type {
  Headers,
  HttpRequest,
  HttpResponse,
  HttpResult,
  OpenSink,
  ProxySettings,
  Secret,
  Wrap,
} from '../http/index.ts';
import { createServerClient, parseHttpDate } from '../http/index.ts';

/** Where a bucket is, and as whom it is used. */
export interface S3Options {
  readonly bucket: string;
  /** Prepended to every key; no slash at either end. */
  readonly prefix: string;
  /** For example `https://s3.eu-central-1.amazonaws.com`; defaults to AWS in the region. */
  readonly endpoint: string;
  readonly region: string;
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`. */
  readonly pathStyle: boolean;
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken: Secret | undefined;
  readonly proxy: ProxySettings | undefined;
  readonly clock: Clock;
}

/** A request to a bucket. */
export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'HEAD' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Headers;
  readonly body?: Uint8Array | string;
  /** The hash of the body, which is signed: the server rejects other bytes. */
  readonly sha256?: string;
  /** The caller answers that the condition does not hold, or is unknown to the store. */
  readonly isConditional?: true;
  /** Receives the body, because it is an object; other bodies are small. */
  readonly sink?: OpenSink;
}

/** A response of a bucket: 2xx, 404, 416, or what a condition is answered with. */
export interface S3Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  /** Empty if a sink received the body. */
  readonly text: string;
  /** Why the connection broke while a sink received the body. */
  readonly brokenBy?: string;
}

/** Sends a signed request, with retries. Every response that is no `S3Answer` throws. */
export type SendS3 = (request: S3Request, signal?: AbortSignal) => Promise<S3Answer>;

/** Precondition failed, conflict with another claim, and two ways to refuse an unknown condition. */
const CONDITIONAL = new Set([412, 409, 400, 501]);
const RETRIES = 7;
const BACKOFF = { baseMs: 250, capMs: 30_000 };
/** Silence until this ends an attempt; sending a part of 8 MiB over a slow line takes a while. */
const SILENCE_MS = 120_000;
const EMPTY_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const LONGEST_ANSWER = 8 << 20;

/** The client is closed with the process: its idle connections do not keep it running. */
export function createS3Client(options: S3Options): SendS3 {
  const { bucket, prefix, endpoint, region, pathStyle, accessKeyId, secretAccessKey, sessionToken, clock } = options;
  /** How far this machine's clock is behind the server's, where that made the server refuse a request. */
  let behindMs = 0;
  const { send } = createServerClient({
    url: urlOf('', {}),
    timeoutMs: SILENCE_MS,
    // An object may be large: silence ends its transfer, not time.
    totalMs: Infinity,
    maxBytes: Infinity,
    retries: RETRIES,
    backoff: BACKOFF,
    proxy: options.proxy,
    clock,
    attempt: signing(),
  });

  return async (request, signal) => {
    const { method, key, query = {}, headers, body, sha256 = EMPTY_HASH, sink } = request;
    const result = await send(
      {
        url: urlOf(key, query),
        method,
        headers: { 'accept-encoding': 'identity', ...headers, 'x-amz-content-sha256': sha256 },
        // Everything here may be sent twice: parts and objects are named by their hash, an upload begun twice expires.
        repeatable: true,
        limits: { maxMemoryBytes: LONGEST_ANSWER },
        fault: brokenConnection,
        ...(body !== undefined && { body }),
        ...(sink && { sink }),
      },
      signal,
    );
    return answerOf(request, result);
  };

  /** Signs every attempt: a signature is valid for some minutes. */
  function signing(): Wrap {
    return (next) => async (request, signal) => {
      const result = await next(signed(request), signal);
      return setsClock(result) ? next(signed(request), signal) : result;
    };
  }

  /** Whether a request was refused for its time, and another one would have a better time. */
  function setsClock(result: HttpResult): boolean {
    if (result.kind !== 'response' || behindMs !== 0) return false;
    const { headers } = result.response;
    const at = parseHttpDate(headers['date'] ?? '', clock.now());
    if (tagOf(textOf(result.response), 'Code') !== 'RequestTimeTooSkewed' || at === undefined) return false;
    behindMs = at - clock.now();
    return true;
  }

  function answerOf(request: S3Request, result: HttpResult): S3Answer {
    const response = 'response' in result ? result.response : result.trail.response;
    switch (result.kind) {
      case 'response':
      case 'stopped':
        return checked(request, result.response);
      case 'failed':
        if (request.sink && response) return { ...plain(response), brokenBy: result.message };
        throw away(result.message);
      case 'later':
        throw away(`it asks to wait until ${new Date(result.at).toISOString()}`);
      case 'refused':
        if (response && response.status >= 300) throw faultOf(request, response);
        throw new AppError('OBJECT_STORE_REFUSED', withoutSecrets(`the response of ${endpoint}: ${result.message}`));
    }
  }

  function checked(request: S3Request, response: HttpResponse): S3Answer {
    const { status } = response;
    const isAnswer = (status >= 200 && status < 300) || status === 404 || status === 416;
    if (isAnswer || (request.isConditional && CONDITIONAL.has(status))) return plain(response);
    const fault = faultOf(request, response);
    throw status >= 500 || status === 408 ? away(fault.message, fault) : fault;
  }

  function away(why: string, cause?: AppError): AppError {
    return new AppError('OBJECT_STORE_AWAY', `${endpoint} does not answer: ${withoutSecrets(why)}`, {
      hint: 'check the URL of the store, and run again when it is back; nothing is lost',
      cause,
    });
  }

  function urlOf(key: string, query: Readonly<Record<string, string>>): URL {
    const url = new URL(endpoint);
    if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
    const parts = [...(pathStyle ? [bucket] : []), ...(key === '' ? [] : prefix.split('/')), ...key.split('/')];
    const path = parts.filter((part) => part !== '').map(encoded);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${path.join('/')}`;
    const pairs = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
    url.search = pairs.sort().join('&');
    return url;
  }

  /** The request with the headers of AWS Signature Version 4. */
  function signed(request: HttpRequest): HttpRequest {
    const { url, method = 'GET' } = request;
    const sha256 = request.headers?.['x-amz-content-sha256'] ?? EMPTY_HASH;
    const at = new Date(clock.now() + behindMs).toISOString().replaceAll(/[:-]|\.\d{3}/g, '');
    const own = {
      'x-amz-content-sha256': sha256,
      'x-amz-date': at,
      ...(sessionToken && { 'x-amz-security-token': sessionToken.reveal() }),
    };
    const lines = Object.entries({ host: url.host, ...own }).map(([name, value]) => `${name}:${value}`);
    const names = ['host', ...Object.keys(own)].join(';');
    const canonical = [method, url.pathname, url.search.slice(1), ...lines, '', names, sha256].join('\n');
    const scope = [at.slice(0, 8), region, 's3', 'aws4_request'];
    const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
    const key = scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey.reveal()}`);
    const text = ['AWS4-HMAC-SHA256', at, scope.join('/'), hash('sha256', canonical, 'hex')].join('\n');
    const signature = hmac(key, text).toString('hex');
    const credential = `${accessKeyId}/${scope.join('/')}`;
    const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
    return { ...request, headers: { ...request.headers, ...own, authorization } };
  }

  function faultOf({ method, key }: S3Request, response: HttpResponse): AppError {
    const { status } = response;
    const text = textOf(response);
    const path = [bucket, prefix, key].filter((part) => part !== '').join('/');
    const said = [status, tagOf(text, 'Code'), tagOf(text, 'Message')].filter((part) => part !== undefined);
    const code = status === 401 || status === 403 ? 'OBJECT_STORE_DENIED' : 'OBJECT_STORE_REFUSED';
    return new AppError(code, withoutSecrets(`${method} ${path} at ${endpoint}: ${said.join(' ')}`), {
      hint:
        tagOf(text, 'Code') === 'RequestTimeTooSkewed'
          ? 'the clock of this machine is wrong'
          : 'check bucket, region and credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, or ~/.aws/credentials)',
    });
  }

  /** A server may echo what it was sent. */
  function withoutSecrets(text: string): string {
    const clean = secretAccessKey.scrub(text.slice(0, 500));
    return sessionToken ? sessionToken.scrub(clean) : clean;
  }
}

/** Some stores report a lost connection, or that they are busy, as a mistake of ours. */
function brokenConnection(response: HttpResponse): string | undefined {
  const code = response.status === 400 ? tagOf(textOf(response), 'Code') : undefined;
  return code === 'RequestTimeout' || code === 'SlowDown' ? `400 ${code}` : undefined;
}

function plain(response: HttpResponse): S3Answer {
  const { status, headers } = response;
  return { ok: status >= 200 && status < 300, status, headers, text: textOf(response) };
}

function textOf({ body }: HttpResponse): string {
  return body.toString('utf8');
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The text of the first element of that name in a small XML document. */
export function tagOf(xml: string, name: string): string | undefined {
  const [, behind] = xml.split(`<${name}>`, 2);
  const [text, ...closed] = behind?.split(`</${name}>`, 2) ?? [];
  if (closed.length === 0 || text?.includes('<')) return undefined;
  return text?.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
