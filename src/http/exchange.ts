import type { Transform } from 'node:stream';
import { Writable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';

import type { Dispatcher } from 'undici';

import type { Clock, Timer } from '../base/index.ts';
import type { Failure, Phase } from './connector.ts';
import { failureOf } from './connector.ts';
import type { BodySink, FailedReason, Headers, HttpLimits, HttpRequest, HttpResponse, RefusedReason } from './send.ts';

type Controller = Dispatcher.DispatchController;

type ExchangeEnd =
  | { readonly kind: 'response'; readonly response: HttpResponse }
  | { readonly kind: 'stopped'; readonly response: HttpResponse }
  | (Failure & { readonly response?: HttpResponse });

/**
 * One request and its response at parser level, under every time and size limit.
 *
 *   connect ──▶ headers ──▶ body ──▶ ended (response · stopped · refused · failed)
 *
 *   socket ──▶ decoders, one per coding ──▶ body: counted, then written to the sink or kept in memory
 *
 * The socket is not read while the streams are full, and no deadline runs while the sink is busy.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #limits: HttpLimits;
  readonly #clock: Clock;
  readonly #settle: PromiseWithResolvers<ExchangeEnd> = Promise.withResolvers();
  readonly end = this.#settle.promise;
  readonly #deadlines: Deadlines;
  #phase: Phase = 'connect';
  #isEnded = false;
  /** Whether a body without a content coding is checked for being gzip. */
  #unpack: boolean;
  #controller: Controller | undefined;
  #status = 0;
  #headers: Headers = {};
  #informational = 0;
  /** Maximum size of the body in bytes, compressed or decoded. */
  #cap = 0;
  #wireBytes = 0;
  #bodyBytes = 0;
  #memory: Buffer[] = [];
  #codings: readonly string[] = [];
  /** Decoders, once the first bytes have come, and the body behind them. */
  #streams: (Transform | Writable)[] = [];

  constructor(request: HttpRequest, limits: HttpLimits, clock: Clock) {
    this.#request = request;
    this.#limits = limits;
    this.#clock = clock;
    this.#unpack = request.unpack ?? false;
    this.#deadlines = new Deadlines(clock, limits, (...expired) => this.#fail(...expired));
  }

  abort(reason: Error): void {
    this.#close(() => this.#settle.reject(reason), reason);
  }

  onRequestStart(controller: Controller): void {
    if (this.#isEnded) {
      controller.abort(new Error('ended before it was connected'));
      return;
    }
    this.#controller = controller;
    this.#enter('headers');
    this.#request.onSent?.();
  }

  onResponseStart(
    controller: Controller,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#isEnded) return;
    const lines = Array.isArray(controller.rawHeaders) ? controller.rawHeaders.length / 2 : 0;
    if (lines > MAX_HEADER_LINES) {
      return this.#refuse('headers-too-large', `more than ${MAX_HEADER_LINES} header lines`);
    }
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > MAX_INFORMATIONAL) {
        this.#refuse('headers-too-large', `more than ${MAX_INFORMATIONAL} informational answers`);
      }
      return;
    }
    this.#status = status;
    this.#headers = flattenHeaders(headers);
    const { url, jar, onHead } = this.#request;
    for (const line of [headers['set-cookie'] ?? []].flat()) jar?.store(line, url, this.#clock.now());
    onHead?.({ url, status, headers: this.#headers });
    this.#enter('body');
    this.#receive();
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.#isEnded) return;
    this.#deadlines.received(chunk.length);
    if (this.#unpack && this.#wireBytes === 0 && chunk[0] === 0x1f && chunk[1] === 0x8b) this.#codings = ['gzip'];
    this.#wireBytes += chunk.length;
    if (this.#wireBytes > this.#cap) return this.#tooLarge();
    if (this.#wireBytes === chunk.length) this.#decode(chunk);
    if (this.#streams[0]?.write(chunk) || this.#isEnded) return;
    // A parser paused at the last byte has not reported the end; if the server closes now, undici reports truncation.
    if (!this.#hasWholeBody) this.#controller?.pause();
  }

  onResponseEnd(): void {
    // An empty body has nothing to decode, whatever its header says.
    if (!this.#isEnded) this.#streams[0]?.end();
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    if (this.#isEnded) return;
    this.#endWith({ ...failureOf(error, this.#phase), ...this.#partial() }, error);
  }

  #receive(): void {
    const success = this.#status >= 200 && this.#status < 300;
    const { 'transfer-encoding': transfer, 'content-encoding': coding } = this.#headers;
    if (!isUndone(transfer)) return this.#fail('protocol', `transfer-encoding "${transfer}"`, false);
    const codings = parseCodings(coding);
    if (codings === undefined || codings.length > MAX_CODINGS)
      return this.#refuse('unknown-encoding', `content-encoding "${coding}"`);
    const { url, method, sink: open } = this.#request;
    const { maxBytes, maxMemoryBytes } = this.#limits;
    this.#cap = !success ? MAX_ERROR_BYTES : open ? maxBytes : maxMemoryBytes;
    // The length in a response to HEAD is that of a body that does not follow.
    const length = method === 'HEAD' ? 0 : Number(this.#headers['content-length'] ?? 0);
    if (success && length > this.#cap)
      return this.#refuse('body-too-large', `${length} bytes announced, ${this.#cap} allowed`);
    this.#unpack &&= success && codings.length === 0;
    this.#codings = codings;
    const stop = (): void =>
      this.#endWith({ kind: 'stopped', response: this.#response() }, new Error('the sink has enough'));
    this.#openBody(success ? open?.({ url, status: this.#status, headers: this.#headers }, stop) : undefined);
  }

  /** The end of the streams; without a sink the body is kept in memory. */
  #openBody(opening: BodySink | Promise<BodySink> | undefined): void {
    let sink = opening instanceof Promise ? undefined : opening;
    const opened = opening instanceof Promise ? opening.then((each) => void (sink = each)) : undefined;
    const body = new Writable({
      highWaterMark: BUFFERED_BYTES,
      // Only for a sink that opens later: others get their bytes at once, and a broken connection loses none.
      ...(opened && { construct: (done) => this.#awaitSink(opened, done) }),
      write: (chunk: Buffer, _encoding, done) => {
        if (this.#isEnded || !this.#count(chunk)) return done();
        if (!sink) {
          this.#memory.push(chunk);
          return done();
        }
        try {
          const written = sink.write(chunk, this.#codings.length > 0);
          return written instanceof Promise ? this.#awaitSink(written, done) : done();
        } catch (error) {
          return done(error as Error);
        }
      },
    });
    body.on('error', (error) => this.abort(error));
    body.on('finish', () => this.#endWith({ kind: 'response', response: this.#response() }));
    this.#streams = [body];
  }

  #awaitSink(work: Promise<void>, proceed: (error?: Error) => void): void {
    this.#deadlines.hold(true);
    void work.then(
      () => {
        this.#deadlines.hold(false);
        proceed();
      },
      (error: Error) => proceed(error),
    );
  }

  /** Puts decoders before the body; the first bytes tell which ones. */
  #decode(chunk: Buffer): void {
    const steps = this.#codings.map((coding, at) => decoderFor(coding, at === 0 ? chunk : undefined));
    // The body is complete by HTTP's rules; if its coding is truncated, the server stored it that way.
    for (const step of steps) step.on('error', (error) => this.#fail('bad-encoding', error.message, false));
    this.#streams = [...steps, ...this.#streams];
    this.#streams.reduce((from, to) => (from as Transform).pipe(to));
    this.#streams[0]?.on('drain', () => this.#controller?.resume());
  }

  /** Counts decoded bytes; false if they are too many. */
  #count(chunk: Buffer): boolean {
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > this.#cap) this.#tooLarge();
    const ratio = this.#codings.length > 0 ? this.#bodyBytes / Math.max(1, this.#wireBytes) : 0;
    if (this.#bodyBytes > RATIO_FROM_BYTES && ratio > MAX_RATIO)
      this.#refuse('decompression-bomb', `the body unpacks to ${Math.round(ratio)} times its size`);
    return !this.#isEnded;
  }

  #tooLarge(): void {
    const success = this.#status >= 200 && this.#status < 300;
    // The start of an error page is enough.
    if (success) this.#refuse('body-too-large', `more than ${this.#cap} bytes`);
    else this.#endWith({ kind: 'response', response: this.#response() }, new Error('error page cut'));
  }

  #response(): HttpResponse {
    return {
      url: this.#request.url,
      status: this.#status,
      headers: this.#headers,
      body: this.#memory.length === 1 ? (this.#memory[0] as Buffer) : Buffer.concat(this.#memory),
      wireBytes: this.#wireBytes,
      bodyBytes: this.#bodyBytes,
      chain: [],
      origin: 'network',
    };
  }

  /** The part of a truncated response that arrived; empty before its headers. */
  #partial(): { readonly response?: HttpResponse } {
    return this.#phase === 'body' ? { response: this.#response() } : {};
  }

  #refuse(reason: RefusedReason, message: string): void {
    this.#endWith({ kind: 'refused', reason, message, ...this.#partial() }, new Error(message));
  }

  #fail(reason: FailedReason, message: string, retryable: boolean): void {
    if (this.#isEnded) return;
    this.#endWith({ kind: 'failed', reason, message, retryable, ...this.#partial() }, new Error(message));
  }

  #endWith(end: ExchangeEnd, abortWith?: Error): void {
    this.#close(() => this.#settle.resolve(end), abortWith);
  }

  #close(settle: () => void, abortWith: Error | undefined): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#deadlines[Symbol.dispose]();
    if (abortWith) {
      for (const stream of this.#streams) stream.destroy();
      this.#controller?.abort(abortWith);
    }
    settle();
  }

  /** Whether the body is complete, where its length is known. */
  get #hasWholeBody(): boolean {
    const { 'content-length': length, 'transfer-encoding': transfer } = this.#headers;
    if (this.#status === 204) return true;
    return transfer === undefined && length !== undefined && this.#wireBytes >= Number(length);
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#deadlines.enter(phase);
  }
}

/** One value per lower-case header name. Cookies are left out: only the jar holds them. */
function flattenHeaders(headers: Record<string, string | string[] | undefined>): Headers {
  const flat: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name === 'set-cookie') continue;
    flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

type Expired = (reason: FailedReason, message: string, retryable: boolean) => void;

/** The time limits of one exchange: one timer serves all, so chunks need none. */
class Deadlines implements Disposable {
  readonly #clock: Clock;
  readonly #limits: HttpLimits;
  readonly #expired: Expired;
  readonly #startedAt: number;
  #phase: Phase = 'connect';
  #phaseAt: number;
  #timer: Timer | undefined;
  #armedFor = 0;
  #held = false;
  #bytes = 0;
  #lastByteAt = 0;
  #windowAt = 0;
  #windowBytes = 0;

  constructor(clock: Clock, limits: HttpLimits, expired: Expired) {
    this.#clock = clock;
    this.#limits = limits;
    this.#expired = expired;
    this.#startedAt = this.#phaseAt = clock.monotonic();
    this.#arm();
  }

  enter(phase: Phase): void {
    this.#phase = phase;
    this.#phaseAt = this.#clock.monotonic();
    this.#restartWindow();
    this.#arm();
  }

  received(bytes: number): void {
    this.#bytes += bytes;
    this.#lastByteAt = this.#clock.monotonic();
  }

  /** While we apply back-pressure, silence is not the server's fault. */
  hold(held: boolean): void {
    this.#held = held;
    if (!held) this.#restartWindow();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #restartWindow(): void {
    this.#lastByteAt = this.#windowAt = this.#clock.monotonic();
    this.#windowBytes = this.#bytes;
  }

  get #pending(): readonly (readonly [at: number, ...Parameters<Expired>])[] {
    const { connectMs, headersMs, idleMs, totalMs, floorBytesPerSecond: floor } = this.#limits;
    const total = [
      this.#startedAt + totalMs,
      'total-timeout',
      `not done after ${Math.round(totalMs)} ms`,
      false,
    ] as const;
    // The connector has its own limit, but does not see a proxy that accepts us and opens no tunnel.
    const tunnelMs = 2 * connectMs;
    if (this.#phase === 'connect')
      return [total, [this.#startedAt + tunnelMs, 'connect-timeout', `not connected after ${tunnelMs} ms`, true]];
    if (this.#phase === 'headers')
      return [total, [this.#phaseAt + headersMs, 'headers-timeout', `no headers after ${headersMs} ms`, true]];
    const floorAt = floor > 0 ? this.#windowAt + FLOOR_WINDOW_MS : Infinity;
    return [
      total,
      [this.#lastByteAt + idleMs, 'idle-timeout', `no data for ${idleMs} ms`, true],
      [floorAt, 'too-slow', `less than ${floor} bytes per second`, false],
    ];
  }

  /** A timer that fires early is set again, which is cheaper than moving it in every phase. */
  #arm(): void {
    const next = Math.min(...this.#pending.map(([at]) => at));
    if (this.#timer && this.#armedFor <= next) return;
    this.#timer?.[Symbol.dispose]();
    this.#armedFor = next;
    this.#timer = this.#clock.setTimer(Math.max(1, next - this.#clock.monotonic()), () => {
      this.#timer = undefined;
      this.#check();
    });
  }

  #check(): void {
    const now = this.#clock.monotonic();
    if (this.#phase === 'body' && this.#held) this.#restartWindow();
    const isFast = this.#bytes - this.#windowBytes >= (this.#limits.floorBytesPerSecond * FLOOR_WINDOW_MS) / 1000;
    if (isFast && now >= this.#windowAt + FLOOR_WINDOW_MS) [this.#windowAt, this.#windowBytes] = [now, this.#bytes];
    const [, ...exceeded] = this.#pending.find(([at]) => now >= at) ?? [0];
    if (exceeded.length > 0) this.#expired(...(exceeded as Parameters<Expired>));
    else this.#arm();
  }
}

/** Nothing to decode; the last three are no codings, but servers say so of plain bodies. */
const PASS = new Set(['', 'identity', 'none', 'binary', 'utf-8']);
const KNOWN = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd']);

/** The content codings to decode, in order; undefined if one is unknown. */
function parseCodings(header: string | undefined): readonly string[] | undefined {
  const names = (header ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !PASS.has(name));
  return names.every((name) => KNOWN.has(name)) ? names.toReversed() : undefined;
}

/** The parser decodes only `chunked`, once; anything else leaves an unusable body. */
function isUndone(transferEncoding: string | undefined): boolean {
  return /^\s*(?:chunked|identity)\s*$/i.test(transferEncoding ?? 'chunked');
}

function decoderFor(coding: string, chunk: Buffer | undefined): Transform {
  if (coding === 'br') return createBrotliDecompress();
  if (coding === 'zstd') return createZstdDecompress();
  if (coding !== 'deflate') return createGunzip();
  // "deflate" means the zlib format, but some servers send the bare stream; the first byte tells them apart.
  return chunk !== undefined && ((chunk[0] ?? 0) & 0x0f) !== 8 ? createInflateRaw() : createInflate();
}

const MAX_HEADER_LINES = 100;
const MAX_INFORMATIONAL = 10;
const MAX_CODINGS = 2;
/** How far a body may unpack; short texts may compress a hundredfold, so below this size the ratio means nothing. */
const MAX_RATIO = 200;
const RATIO_FROM_BYTES = 1024 * 1024;
/** The time over which the speed of a body is measured. */
const FLOOR_WINDOW_MS = 30_000;
/** Bytes that may wait for the sink before the socket is no longer read. */
const BUFFERED_BYTES = 256 * 1024;
/** Bodies of non-2xx responses are read for their message only. */
const MAX_ERROR_BYTES = 1024 * 1024;
