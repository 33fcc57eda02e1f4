import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';

import type { Dispatcher } from 'undici';

import type { Clock, Timer } from '../base/index.ts';
import type { Failure, Phase } from './connector.ts';
import { failureOf } from './connector.ts';
import type {
  HttpLimits,
  BodySink,
  FailedReason,
  Headers,
  HttpResponse,
  OpenSink,
  RefusedReason,
  ResponseHead,
} from './send.ts';

type Controller = Dispatcher.DispatchController;
type Step = Phase | 'received' | 'ended';

type ExchangeEnd =
  | { readonly kind: 'response'; readonly response: HttpResponse }
  | { readonly kind: 'stopped'; readonly response: HttpResponse }
  | (Failure & { readonly response?: HttpResponse });

interface ExchangeOptions {
  readonly clock: Clock;
  readonly limits: HttpLimits;
  readonly url: URL;
  readonly sink: OpenSink | undefined;
  readonly unpack: boolean;
  readonly storeCookie: (line: string) => void;
  readonly onSent: () => void;
  readonly onHeaders: (head: ResponseHead) => void;
}

/**
 * One request and its response at parser level: chunks go from the socket to the sink without a stream in between,
 * under every time and size limit.
 *
 *   connect ──▶ headers ──▶ body ──▶ received ──▶ ended (response · stopped · refused · failed)
 *
 * `received`: the body is complete, but the sink is still writing. While the sink or the decoder is full the socket
 * is not read and no deadline runs.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #given: ExchangeOptions;
  readonly #settle: PromiseWithResolvers<ExchangeEnd> = Promise.withResolvers();
  readonly end = this.#settle.promise;
  readonly #deadlines: Deadlines;
  #step: Step = 'connect';
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
  #sink: BodySink | undefined;
  #codings: readonly string[] = [];
  /** The first and the last step of decoding, once the first bytes have come. */
  #decoder: { readonly first: Transform; readonly last: Transform } | undefined;
  /** Chunks that arrived while the sink was busy: a paused decoder may emit a few more. */
  #waiting: Buffer[] = [];
  /** The sink or decoder that cannot take more; the socket is read while this is empty. */
  readonly #busy = new Set<'sink' | 'decoder'>();

  constructor(given: ExchangeOptions) {
    this.#given = given;
    this.#unpack = given.unpack;
    this.#deadlines = new Deadlines(given.clock, given.limits, (...expired) => this.#fail(...expired));
  }

  get #isEnded(): boolean {
    return this.#step === 'ended';
  }

  get #phase(): Phase {
    return this.#step === 'received' || this.#step === 'ended' ? 'body' : this.#step;
  }

  /** Ends the exchange because the caller gave up. */
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
    this.#given.onSent();
  }

  onResponseStart(
    controller: Controller,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#isEnded) return;
    const lines = Array.isArray(controller.rawHeaders) ? controller.rawHeaders.length / 2 : 0;
    if (lines > this.#given.limits.maxHeaderLines) {
      return this.#refuse('headers-too-large', `more than ${this.#given.limits.maxHeaderLines} header lines`);
    }
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > this.#given.limits.maxInformational) {
        this.#refuse('headers-too-large', `more than ${this.#given.limits.maxInformational} informational answers`);
      }
      return;
    }
    this.#status = status;
    this.#headers = flattenHeaders(headers);
    for (const line of [headers['set-cookie'] ?? []].flat()) this.#given.storeCookie(line);
    this.#given.onHeaders({ url: this.#given.url, status, headers: this.#headers });
    this.#enter('body');
    this.#receive();
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.#isEnded) return;
    this.#deadlines.received(chunk.length);
    if (this.#unpack && this.#wireBytes === 0 && chunk[0] === 0x1f && chunk[1] === 0x8b) this.#codings = ['gzip'];
    this.#wireBytes += chunk.length;
    if (this.#wireBytes > this.#cap) return this.#tooLarge();
    if (this.#codings.length === 0) return this.#deliver(chunk);
    this.#decoder ??= this.#buildDecoder(chunk);
    if (!this.#decoder.first.write(chunk) && !this.#isEnded) this.#hold('decoder');
  }

  onResponseEnd(): void {
    if (this.#isEnded) return;
    // An empty body has nothing to decode, whatever its header says.
    if (this.#decoder) this.#decoder.first.end();
    else this.#finishBody();
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
    if (codings === undefined || codings.length > this.#given.limits.maxCodings)
      return this.#refuse('unknown-encoding', `content-encoding "${coding}"`);
    const { maxBytes, maxMemoryBytes } = this.#given.limits;
    this.#cap = !success ? MAX_ERROR_BYTES : this.#given.sink ? maxBytes : maxMemoryBytes;
    const length = Number(this.#headers['content-length'] ?? 0);
    if (success && length > this.#cap)
      return this.#refuse('body-too-large', `${length} bytes announced, ${this.#cap} allowed`);
    this.#unpack &&= success && codings.length === 0;
    this.#codings = codings;
    if (!success || !this.#given.sink) return;
    const { url, sink: open } = this.#given;
    const opened = open({ url, status: this.#status, headers: this.#headers }, () =>
      this.#endWith({ kind: 'stopped', response: this.#response() }, new Error('the sink has enough')),
    );
    if (!(opened instanceof Promise)) {
      this.#sink = opened;
      return;
    }
    this.#hold('sink');
    void opened.then(
      (sink) => {
        this.#sink = sink;
        this.#release();
      },
      (error: Error) => this.abort(error),
    );
  }

  #buildDecoder(chunk: Buffer): { readonly first: Transform; readonly last: Transform } {
    const steps = this.#codings.map((coding, at) => decoderFor(coding, at === 0 ? chunk : undefined));
    // The body is complete by HTTP's rules; if its coding is truncated, the server stored it that way.
    for (const step of steps) step.on('error', (error) => this.#fail('bad-encoding', error.message, false));
    const last = steps.reduce((from, to) => from.pipe(to));
    last.on('data', (decoded: Buffer) => this.#deliver(decoded));
    last.on('end', () => this.#finishBody());
    const [first = last] = steps;
    first.on('drain', () => {
      this.#busy.delete('decoder');
      this.#resume();
    });
    return { first, last };
  }

  #deliver(chunk: Buffer): void {
    if (this.#isEnded) return;
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > this.#cap) return this.#tooLarge();
    const ratio = this.#decoder ? this.#bodyBytes / Math.max(1, this.#wireBytes) : 0;
    if (this.#bodyBytes > RATIO_FROM_BYTES && ratio > this.#given.limits.maxRatio)
      return this.#refuse('decompression-bomb', `the body unpacks to ${Math.round(ratio)} times its size`);
    if (this.#busy.has('sink')) this.#waiting.push(chunk);
    else if (!this.#sink) this.#memory.push(chunk);
    else this.#give(chunk);
  }

  #give(chunk: Buffer): void {
    let written: void | Promise<void>;
    try {
      written = this.#sink?.write(chunk, this.#decoder !== undefined);
    } catch (error) {
      return this.abort(error as Error);
    }
    if (!(written instanceof Promise)) return;
    this.#hold('sink');
    this.#decoder?.last.pause();
    void written.then(
      () => this.#release(),
      (error: Error) => this.abort(error),
    );
  }

  /** The sink can take more: first the waiting chunks, then the socket. */
  #release(): void {
    this.#busy.delete('sink');
    while (this.#waiting.length > 0 && !this.#busy.has('sink') && !this.#isEnded) {
      this.#give(this.#waiting.shift() as Buffer);
    }
    if (this.#busy.has('sink') || this.#isEnded) return;
    this.#decoder?.last.resume();
    this.#resume();
    if (this.#step === 'received') this.#finishBody();
  }

  #resume(): void {
    if (this.#busy.size > 0 || this.#isEnded) return;
    this.#deadlines.hold(false);
    this.#controller?.resume();
  }

  #finishBody(): void {
    if (this.#isEnded) return;
    this.#step = 'received';
    if (!this.#busy.has('sink')) this.#endWith({ kind: 'response', response: this.#response() });
  }

  #tooLarge(): void {
    const success = this.#status >= 200 && this.#status < 300;
    // The start of an error page is enough.
    if (success) this.#refuse('body-too-large', `more than ${this.#cap} bytes`);
    else this.#endWith({ kind: 'response', response: this.#response() }, new Error('error page cut'));
  }

  #response(): HttpResponse {
    return {
      url: this.#given.url,
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
    this.#step = 'ended';
    this.#deadlines[Symbol.dispose]();
    this.#waiting = [];
    if (abortWith) {
      this.#decoder?.first.destroy();
      this.#decoder?.last.destroy();
      this.#controller?.abort(abortWith);
    }
    settle();
  }

  /** Stops reading until `who` can take more. */
  #hold(who: 'sink' | 'decoder'): void {
    this.#busy.add(who);
    this.#deadlines.hold(true);
    // A parser paused at the last byte has not reported the end; if the server closes now, undici reports truncation.
    if (!this.#hasWholeBody) this.#controller?.pause();
  }

  /** Whether the body is complete, where its length is known. */
  get #hasWholeBody(): boolean {
    const { 'content-length': length, 'transfer-encoding': transfer } = this.#headers;
    if (this.#status === 204) return true;
    return transfer === undefined && length !== undefined && this.#wireBytes >= Number(length);
  }

  #enter(phase: Phase): void {
    this.#step = phase;
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

/** Called when a time limit is exceeded. */
type Expired = (reason: FailedReason, message: string, retryable: boolean) => void;

/**
 * The time limits of one exchange: headers, idle, minimum speed and total; the connector limits the time to connect. One
 * timer serves all, so chunks need none.
 */
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

  /** When each limit of this phase is exceeded, and what that means. */
  get #pending(): readonly (readonly [at: number, ...Parameters<Expired>])[] {
    const { connectMs, headersMs, idleMs, totalMs, floorWindowMs, floorBytesPerSecond: floor } = this.#limits;
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
    const floorAt = floor > 0 ? this.#windowAt + floorWindowMs : Infinity;
    return [
      total,
      [this.#lastByteAt + idleMs, 'idle-timeout', `nothing came for ${idleMs} ms`, true],
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
    const { floorWindowMs, floorBytesPerSecond } = this.#limits;
    if (this.#phase === 'body' && this.#held) this.#restartWindow();
    const isFast = this.#bytes - this.#windowBytes >= (floorBytesPerSecond * floorWindowMs) / 1000;
    if (isFast && now >= this.#windowAt + floorWindowMs) [this.#windowAt, this.#windowBytes] = [now, this.#bytes];
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

/**
 * Whether the parser has decoded the transfer coding. It knows only `chunked`, once; anything else leaves an unusable
 * body.
 */
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

/** Short texts may compress a hundredfold; below this size the ratio means nothing. */
const RATIO_FROM_BYTES = 1024 * 1024;
/** Bodies of non-2xx responses are read for their message only. */
const MAX_ERROR_BYTES = 1024 * 1024;
