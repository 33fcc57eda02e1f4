import { createHash, getFips, hash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { AppError, commitPart, describeDiskError, partPath, readFields, replaceFile, wait } from '../base/index.ts';
import type { OpenSink } from '../http/index.ts';
import type { ListedObject, ObjectId, ObjectStore } from './folder-store.ts';
import { damaged, hashOfKey, keyOf, missing, OWNER_KEY } from './folder-store.ts';
import type { S3Answer, S3Options, S3Request, SendS3 } from './s3-requests.ts';
import { createS3Client, tagOf } from './s3-requests.ts';

/** Larger files are sent in parts of this size: the minimum is 5 MiB, and 10,000 parts are 80 GiB. */
const PART_BYTES = 8 << 20;
const BODY_TRIES = 6;
const PUT_TRIES = 4;
const AGAIN_MS = 500;
const LONGEST_LISTING = 1_000;

/** State of a multipart upload, so that another process can resume it. */
interface Upload {
  readonly id: string;
  readonly etags: readonly string[];
}

interface S3StoreOptions extends S3Options {
  /** A folder for the state of multipart uploads, so that a killed one is resumed. */
  readonly uploads: string;
}

export class S3Store implements ObjectStore {
  readonly name: string;
  readonly #options: S3StoreOptions;
  readonly #send: SendS3;

  constructor(options: S3StoreOptions) {
    this.#options = options;
    this.#send = createS3Client(options);
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
        if (getFips() === 0 && headers['etag']?.replaceAll('"', '') === hash('md5', body)) return;
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
    return response.ok ? Number(response.headers['content-length'] ?? 0) : undefined;
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
      const { headers, text: xml } = await this.#sent({ method: 'GET', key: '', query }, signal);
      const now = Date.parse(headers['date'] ?? '');
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
    const { ok, text } = await this.#send({ method: 'GET', key: OWNER_KEY }, signal);
    // Some servers show an object while another machine is still writing it.
    if (ok && !text.endsWith('\n') && tries > 1) {
      await wait(this.#options.clock, AGAIN_MS, signal);
      return this.owner(signal, tries - 1);
    }
    if (ok) return text.trim();
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
  async #sent(request: S3Request, signal?: AbortSignal): Promise<S3Answer> {
    const response = await this.#send(request, signal);
    if (response.ok) return response;
    throw this.#noBucket(request.method, tagOf(response.text, 'Code') ?? 'not found');
  }

  #interrupted(key: string, why: string): AppError {
    return new AppError('OBJECT_STORE_AWAY', `${this.name}/${key} breaks off each time: ${why}`, {
      hint: 'run again when the store or the network is better; nothing is lost',
    });
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
      upload = { ...upload, etags: [...upload.etags, response.headers['etag'] ?? ''] };
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
    const { text } = await this.#sent({ method: 'POST', key, query: { uploads: '' } }, signal);
    const id = tagOf(text, 'UploadId');
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
    // A lost response may have completed it; a response with status 200 may contain an error.
    const isDone = response.ok && !response.text.includes('<Error>');
    if (isDone || (await this.head(object.sha256, signal)) === object.bytes) return;
    this.#note(object, undefined);
    throw new AppError(
      'OBJECT_STORE_REFUSED',
      `${this.name} does not complete ${key}: ${tagOf(response.text, 'Code') ?? response.status}`,
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
      let writing: Promise<void> | undefined;
      const sink: OpenSink = (head) => {
        // A server without range support starts again.
        let skip = head.status === 206 ? 0 : received;
        const write = async (chunk: Buffer): Promise<void> => {
          const fresh = chunk.subarray(Math.min(skip, chunk.length));
          skip -= chunk.length - fresh.length;
          if (received + fresh.length > object.bytes) throw damaged(`${this.name}/${key}`, object);
          digest.update(fresh);
          for (let at = 0; at < fresh.length;) at += (await file.write(fresh, at)).bytesWritten;
          received += fresh.length;
        };
        return { write: (chunk) => (writing = write(chunk)) };
      };
      const { status, brokenBy } = await this.#send({ method: 'GET', key, headers, sink }, signal);
      // A connection may break while its last bytes are written.
      await writing;
      if (status === 404) throw missing(this.name, object);
      if (status === 416) throw damaged(`${this.name}/${key}`, object);
      if (received < object.bytes && attempt === BODY_TRIES)
        throw brokenBy === undefined ? damaged(`${this.name}/${key}`, object) : this.#interrupted(key, brokenBy);
    }
    if (digest.digest('hex') !== object.sha256) throw damaged(`${this.name}/${key}`, object);
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
