import { createHash, createHmac, getFips, hash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { Clock } from '../base/index.ts';
import {
  AppError,
  boundedText,
  equalJitterDelay,
  wait,
  commitPart,
  describeDiskError,
  partPath,
  readFields,
  replaceFile,
} from '../base/index.ts';
import type { Secret } from '../http/index.ts';
import { parseRetryAfter } from '../http/index.ts';
import type { ListedObject, ObjectId, ObjectStore } from './folder-store.ts';
import { damaged, hashOfKey, keyOf, missing, OWNER_KEY } from './folder-store.ts';

interface S3Options {
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
  /** A folder for the state of multipart uploads, so that a killed one is resumed. */
  readonly uploads: string;
  readonly clock: Clock;
}

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'HEAD' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** The hash of the body, which is signed: the server rejects other bytes. */
  readonly sha256?: string;
  /** The caller answers that the condition does not hold, or is unknown to the store. */
  readonly isConditional?: true;
  /** The caller reads the body, because it is an object; other bodies are small: `send` reads them, and retries. */
  readonly isStreamed?: true;
}

/** Precondition failed, conflict with another claim, and two ways to refuse an unknown condition. */
const CONDITIONAL = new Set([412, 409, 400, 501]);
const TRIES = 8;
const BASE_MS = 250;
const LONGEST_WAIT_MS = 30_000;
const LONGEST_PATIENCE_MS = 600_000;
/** Time until a response begins; sending a part of 8 MiB over a slow line takes a while. */
const ANSWER_MS = 120_000;
const EMPTY_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const LONGEST_ANSWER = 8 << 20;

type SendS3 = (request: S3Request, signal?: AbortSignal) => Promise<Response>;

/** Sends signed requests, with retries. The response is 2xx, 404 or 416; everything else throws. */
function s3Sender(options: S3Options): SendS3 {
  const { bucket, prefix, endpoint, region, pathStyle, accessKeyId, secretAccessKey, sessionToken, clock } = options;
  /** How far this machine's clock is behind the server's, where that made the server refuse a request. */
  let behindMs = 0;

  return async (request, signal) => {
    let last: unknown;
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      let delayMs = equalJitterDelay(attempt, { baseMs: BASE_MS, capMs: LONGEST_WAIT_MS });
      try {
        const response = await once(request, signal);
        if (response.ok || response.status === 404 || response.status === 416) return response;
        if (request.isConditional && CONDITIONAL.has(response.status)) return response;
        const text = await response.text();
        const fault = faultOf(request, response.status, text);
        if (!isPassing(response.status, text) && !setsClock(response, text)) throw fault;
        delayMs = Math.max(delayMs, afterOf(response, clock));
        last = fault;
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof AppError) throw error;
        last = error;
      }
      if (attempt < TRIES) await wait(clock, delayMs, signal);
    }
    throw new AppError('OBJECT_STORE_AWAY', `${endpoint} does not answer: ${withoutSecrets(last)}`, {
      hint: 'check the URL of the store, and run again when it is back; nothing is lost',
      cause: last instanceof AppError ? last : undefined,
    });
  };

  /** Whether a request was refused for its time, and another one would have a better time. */
  function setsClock(response: Response, text: string): boolean {
    const at = Date.parse(response.headers.get('date') ?? '');
    if (tagOf(text, 'Code') !== 'RequestTimeTooSkewed' || behindMs !== 0 || Number.isNaN(at)) return false;
    behindMs = at - clock.now();
    return true;
  }

  async function once(request: S3Request, signal: AbortSignal | undefined): Promise<Response> {
    const { method, body } = request;
    const url = urlOf(request);
    // If the body is streamed, this limits only the time until the response begins; its reader limits the rest.
    const late = new AbortController();
    using _timer = clock.setTimer(ANSWER_MS, () => late.abort(new Error(`no answer within ${ANSWER_MS / 1000} s`)));
    const response = await fetch(url, {
      method,
      headers: signed(url, request),
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal: AbortSignal.any([late.signal, ...(signal ? [signal] : [])]),
    });
    if (request.isStreamed && response.ok) return response;
    const text = await boundedText(response, LONGEST_ANSWER);
    if (text === undefined) throw new AppError('OBJECT_STORE_REFUSED', 'the response of the store exceeds 8 MiB');
    return new Response(text === '' ? null : text, { status: response.status, headers: response.headers });
  }

  function urlOf({ key, query = {} }: S3Request): URL {
    const url = new URL(endpoint);
    if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
    const parts = [...(pathStyle ? [bucket] : []), ...(key === '' ? [] : prefix.split('/')), ...key.split('/')];
    const path = parts.filter((part) => part !== '').map(encoded);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${path.join('/')}`;
    const pairs = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
    url.search = pairs.sort().join('&');
    return url;
  }

  /** The headers of a request, signed by AWS Signature Version 4. */
  function signed(url: URL, { method, headers, sha256 = EMPTY_HASH }: S3Request): Record<string, string> {
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
    const credential = `${accessKeyId}/${scope.join('/')}`;
    const signature = hmac(key, text).toString('hex');
    return {
      ...headers,
      ...own,
      authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
    };
  }

  function faultOf({ method, key }: S3Request, status: number, text: string): AppError {
    const what = `${method} ${[bucket, prefix, key].filter((part) => part !== '').join('/')} at ${endpoint}: ${status} ${tagOf(text, 'Code') ?? ''} ${tagOf(text, 'Message') ?? ''}`;
    const code = status === 401 || status === 403 ? 'OBJECT_STORE_DENIED' : 'OBJECT_STORE_REFUSED';
    return new AppError(code, withoutSecrets(what.trim()), {
      hint:
        tagOf(text, 'Code') === 'RequestTimeTooSkewed'
          ? 'the clock of this machine is wrong'
          : 'check bucket, region and credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, or ~/.aws/credentials)',
    });
  }

  /** A server may echo what it was sent. */
  function withoutSecrets(value: unknown): string {
    const cause = value instanceof Error && value.cause instanceof Error ? ` (${value.cause.message})` : '';
    const text = (value instanceof Error ? value.message + cause : String(value)).slice(0, 500);
    return sessionToken ? sessionToken.scrub(secretAccessKey.scrub(text)) : secretAccessKey.scrub(text);
  }
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

function tagOf(xml: string, name: string): string | undefined {
  const [, behind] = xml.split(`<${name}>`, 2);
  const [text, ...closed] = behind?.split(`</${name}>`, 2) ?? [];
  if (closed.length === 0 || text?.includes('<')) return undefined;
  return text?.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** 503 SlowDown, 500 and the like are transient; 400 RequestTimeout means a broken connection. */
function isPassing(status: number, text: string): boolean {
  return status >= 500 || status === 429 || status === 408 || /<Code>(RequestTimeout|SlowDown)</.test(text);
}

function afterOf(response: Response, clock: Clock): number {
  const at = parseRetryAfter(Object.fromEntries(response.headers), clock.now());
  return at === undefined ? 0 : Math.min(LONGEST_PATIENCE_MS, Math.max(0, at - clock.now()));
}

/** Larger files are sent in parts of this size: the minimum is 5 MiB, and 10,000 parts are 80 GiB. */
const PART_BYTES = 8 << 20;
/** A body that stalls for this long is aborted and resumed. */
const IDLE_MS = 60_000;
const BODY_TRIES = 6;
const PUT_TRIES = 4;
const AGAIN_MS = 500;
const LONGEST_LISTING = 1_000;

/** State of a multipart upload, so that another process can resume it. */
interface Upload {
  readonly id: string;
  readonly etags: readonly string[];
}

export class S3Store implements ObjectStore {
  readonly name: string;
  readonly #options: S3Options;
  readonly #send: SendS3;

  constructor(options: S3Options) {
    this.#options = options;
    this.#send = s3Sender(options);
    this.name = `s3://${options.bucket}${options.prefix === '' ? '' : `/${options.prefix}`}`;
  }

  async put(path: string, object: ObjectId, signal?: AbortSignal): Promise<void> {
    await using file = await open(path, 'r');
    for (let attempt = 1; ; attempt += 1) {
      if (object.bytes > PART_BYTES) {
        // Checked first: sending gigabytes again costs more than one request.
        if ((await this.head(object.sha256, signal)) === object.bytes) return;
        await this.#putParts(file, path, object, signal);
      } else {
        const body = await readPart(file, 0, PART_BYTES + 1);
        if (body.length !== object.bytes || hash('sha256', body, 'hex') !== object.sha256) throw damaged(path, object);
        const request = { method: 'PUT', key: keyOf(object.sha256), body, sha256: object.sha256 } as const;
        const { headers } = await this.#sent(request, signal);
        // Most stores answer with the MD5 of what has arrived. A HEAD request would be as expensive as the PUT.
        if (getFips() === 0 && headers.get('etag')?.replaceAll('"', '') === hash('md5', body)) return;
      }
      // The hash was signed, but only the store can say whether everything has arrived.
      const there = await this.head(object.sha256, signal);
      if (there === object.bytes) return;
      // A replicated store may answer from a server that does not have it yet.
      if (there !== undefined || attempt === PUT_TRIES) throw damaged(`${this.name}/${keyOf(object.sha256)}`, object);
      await wait(this.#options.clock, AGAIN_MS * attempt, signal);
    }
  }

  async get(object: ObjectId, path: string, signal?: AbortSignal): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    const part = partPath(path);
    try {
      await using file = await open(part, 'wx');
      await this.#receive(object, file, signal);
      await file.sync();
    } catch (error) {
      await rm(part, { force: true });
      throw describeDiskError(error, path);
    }
    await commitPart(part, path, replaceFile);
  }

  async head(sha256: string, signal?: AbortSignal): Promise<number | undefined> {
    const response = await this.#send({ method: 'HEAD', key: keyOf(sha256) }, signal);
    return response.ok ? Number(response.headers.get('content-length') ?? 0) : undefined;
  }

  async *list(signal?: AbortSignal): AsyncGenerator<ListedObject> {
    const { prefix } = this.#options;
    for (let token: string | undefined = ''; token !== undefined;) {
      const query: Record<string, string> = {
        'list-type': '2',
        'max-keys': String(LONGEST_LISTING),
        ...(prefix !== '' && { prefix: `${prefix}/` }),
        ...(token !== '' && { 'continuation-token': token }),
      };
      const response = await this.#sent({ method: 'GET', key: '', query }, signal);
      const xml = await response.text();
      const now = Date.parse(response.headers.get('date') ?? '');
      for (const entry of xml.split('<Contents>').slice(1)) {
        const sha256 = hashOfKey(tagOf(entry, 'Key') ?? '');
        if (sha256 === undefined) continue;
        // `Date` has whole seconds, so a new object may seem to be from the future.
        const age = Math.max(0, now - Date.parse(tagOf(entry, 'LastModified') ?? ''));
        yield { sha256, bytes: Number(tagOf(entry, 'Size')), age };
      }
      token = tagOf(xml, 'IsTruncated') === 'true' ? tagOf(xml, 'NextContinuationToken') : undefined;
    }
  }

  async remove(sha256: string, signal?: AbortSignal): Promise<void> {
    await this.#send({ method: 'DELETE', key: keyOf(sha256) }, signal);
  }

  async owner(signal?: AbortSignal, tries = 5): Promise<string | undefined> {
    const response = await this.#send({ method: 'GET', key: OWNER_KEY }, signal);
    const text = await response.text();
    // Some servers show an object while another machine is still writing it.
    if (response.ok && !text.endsWith('\n') && tries > 1) {
      await wait(this.#options.clock, AGAIN_MS, signal);
      return this.owner(signal, tries - 1);
    }
    if (response.ok) return text.trim();
    if (tagOf(text, 'Code') === 'NoSuchBucket') throw this.#noBucket('GET', 'NoSuchBucket');
    return undefined;
  }

  async claim(owner: string, signal?: AbortSignal): Promise<void> {
    if ((await this.owner(signal)) !== undefined) return;
    const body = `${owner}\n`;
    const request = { method: 'PUT', key: OWNER_KEY, body, sha256: hash('sha256', body, 'hex') } as const;
    // Stores that do not know the condition ignore it, or refuse it as not implemented: there the last claim counts.
    const response = await this.#send({ ...request, headers: { 'if-none-match': '*' }, isConditional: true }, signal);
    if (response.status === 501 || response.status === 400) await this.#sent(request, signal);
    else if (response.status === 404) throw this.#noBucket('PUT', 'NoSuchBucket');
  }

  /** Sends a request for which a 404 means that the bucket does not exist. */
  async #sent(request: S3Request, signal?: AbortSignal): Promise<Response> {
    const response = await this.#send(request, signal);
    if (response.ok) return response;
    throw this.#noBucket(request.method, tagOf(await response.text(), 'Code') ?? 'not found');
  }

  #noBucket(method: string, code: string): AppError {
    return new AppError('OBJECT_STORE_REFUSED', `${method} ${this.name}: 404 ${code}`, {
      hint: 'check that the bucket exists',
    });
  }

  async #putParts(file: FileHandle, path: string, object: ObjectId, signal: AbortSignal | undefined): Promise<void> {
    const key = keyOf(object.sha256);
    let upload = this.#noted(object) ?? (await this.#begin(key, signal));
    const digest = createHash('sha256');
    const parts = Math.ceil(object.bytes / PART_BYTES);
    for (let at = 0; at < parts; at += 1) {
      const body = await readPart(file, at * PART_BYTES, PART_BYTES);
      digest.update(body);
      // Parts sent before are only read, for the hash of the whole file.
      if (at < upload.etags.length) continue;
      const query = { partNumber: String(at + 1), uploadId: upload.id };
      const response = await this.#send(
        { method: 'PUT', key, query, body, sha256: hash('sha256', body, 'hex') },
        signal,
      );
      if (response.status === 404) {
        // The store has dropped the upload: a lifecycle rule may remove unfinished ones.
        this.#note(object, undefined);
        await this.#putParts(file, path, object, signal);
        return;
      }
      await response.body?.cancel();
      upload = { ...upload, etags: [...upload.etags, response.headers.get('etag') ?? ''] };
      this.#note(object, upload);
    }
    if ((await file.stat()).size !== object.bytes || digest.digest('hex') !== object.sha256) {
      // Not every server can abort an upload; a lifecycle rule removes it then.
      await this.#send({ method: 'DELETE', key, query: { uploadId: upload.id } }, signal).catch(() => undefined);
      this.#note(object, undefined);
      throw damaged(path, object);
    }
    await this.#complete(key, upload, object, signal);
    this.#note(object, undefined);
  }

  async #begin(key: string, signal: AbortSignal | undefined): Promise<Upload> {
    const response = await this.#sent({ method: 'POST', key, query: { uploads: '' } }, signal);
    const id = tagOf(await response.text(), 'UploadId');
    if (id === undefined) throw new AppError('OBJECT_STORE_REFUSED', `${this.name} does not start a multipart upload`);
    return { id, etags: [] };
  }

  async #complete(key: string, upload: Upload, object: ObjectId, signal: AbortSignal | undefined): Promise<void> {
    const escaped = (text: string): string =>
      text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
    const parts = upload.etags.map(
      (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
    );
    const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
    const request = {
      method: 'POST',
      key,
      query: { uploadId: upload.id },
      body,
      sha256: hash('sha256', body, 'hex'),
    } as const;
    const response = await this.#send(request, signal);
    const answer = await response.text();
    // A lost response may have completed it; a response with status 200 may contain an error.
    const isDone = response.ok && !answer.includes('<Error>');
    if (isDone || (await this.head(object.sha256, signal)) === object.bytes) return;
    this.#note(object, undefined);
    throw new AppError(
      'OBJECT_STORE_REFUSED',
      `${this.name} does not complete ${key}: ${tagOf(answer, 'Code') ?? response.status}`,
      { hint: 'run the same command again: the upload starts over' },
    );
  }

  #noted(object: ObjectId): Upload | undefined {
    // None of a record truncated by a kill: the upload starts again.
    const { store, id, etags } = readFields(this.#notePath(object));
    return store === this.name && typeof id === 'string' && Array.isArray(etags) ? { id, etags } : undefined;
  }

  #note(object: ObjectId, upload: Upload | undefined): void {
    const path = this.#notePath(object);
    if (!upload) {
      rmSync(path, { force: true });
      return;
    }
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ store: this.name, ...upload }));
  }

  #notePath({ sha256 }: ObjectId): string {
    return join(this.#options.uploads, `${sha256}.json`);
  }

  /** Resumes a body that breaks off. */
  async #receive(object: ObjectId, file: FileHandle, signal: AbortSignal | undefined): Promise<void> {
    const key = keyOf(object.sha256);
    const digest = createHash('sha256');
    let received = 0;
    for (let attempt = 1; received < object.bytes || attempt === 1; attempt += 1) {
      const headers = received > 0 ? { range: `bytes=${received}-` } : {};
      const response = await this.#send({ method: 'GET', key, headers, isStreamed: true }, signal);
      if (response.status === 404) throw missing(this.name, object);
      if (response.status === 416) throw damaged(`${this.name}/${key}`, object);
      // A server without range support starts again.
      let skip = response.status === 206 ? 0 : received;
      try {
        for await (const chunk of this.#chunks(response, signal)) {
          const fresh = chunk.subarray(Math.min(skip, chunk.length));
          skip -= chunk.length - fresh.length;
          if (received + fresh.length > object.bytes) throw damaged(`${this.name}/${key}`, object);
          digest.update(fresh);
          for (let at = 0; at < fresh.length;) at += (await file.write(fresh, at)).bytesWritten;
          received += fresh.length;
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof AppError || attempt === BODY_TRIES) throw error;
      }
      if (received < object.bytes && attempt === BODY_TRIES) throw damaged(`${this.name}/${key}`, object);
    }
    if (digest.digest('hex') !== object.sha256) throw damaged(`${this.name}/${key}`, object);
  }

  async *#chunks(response: Response, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    if (!response.body) return;
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const { clock } = this.#options;
    try {
      for (;;) {
        signal?.throwIfAborted();
        const { promise: idle, reject } = Promise.withResolvers<never>();
        using _timer = clock.setTimer(IDLE_MS, () => reject(new Error(`no byte within ${IDLE_MS / 1000} s`)));
        const { done, value } = await Promise.race([reader.read(), idle]);
        if (done) return;
        yield value;
      }
    } finally {
      await reader.cancel().catch(() => undefined); // The rest of a broken body is useless.
    }
  }
}

async function readPart(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const { size } = await file.stat();
  const body = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - from)));
  let at = 0;
  while (at < body.length) {
    const { bytesRead } = await file.read(body, at, body.length - at, from + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return body.subarray(0, at);
}
