import type { Dispatcher } from 'undici';

import type { Clock } from '../base/index.ts';
import { BodyDecoder, BodyGauge, isGzip, isUndone, parseCodings } from './body.ts';
import { Deadlines } from './deadlines.ts';
import type { Failure, Phase } from './failure.ts';
import { failureOf } from './failure.ts';
import type { HttpLimits } from './limits.ts';
import type { BodySink, FailedReason, Headers, HttpResponse, OpenSink, RefusedReason, ResponseHead } from './send.ts';

type Controller = Dispatcher.DispatchController;
type Step = Phase | 'received' | 'ended';

/** How an exchange ended. */
export type ExchangeEnd =
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
  #gauge = new BodyGauge();
  #memory: Buffer[] = [];
  #sink: BodySink | undefined;
  #decoder: BodyDecoder | undefined;
  /** Chunks that arrived while the sink was busy: a paused decoder may emit a few more. */
  #waiting: Buffer[] = [];
  /** Who is full; the socket is read while this is empty. */
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
    const isFirst = this.#gauge.wireBytes === 0;
    if (!this.#gauge.received(chunk.length)) return this.#tooLarge();
    if (this.#unpack && isFirst && isGzip(chunk)) this.#decode(['gzip']);
    if (!this.#decoder) this.#deliver(chunk);
    else if (!this.#decoder.write(chunk) && !this.#isEnded) this.#hold('decoder');
  }

  onResponseEnd(): void {
    if (this.#isEnded) return;
    if (this.#decoder) this.#decoder.end();
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
    const kind = !success ? 'error-page' : this.#given.sink ? 'file' : 'memory';
    this.#gauge = new BodyGauge(this.#given.limits, kind);
    const { cap } = this.#gauge;
    const length = Number(this.#headers['content-length'] ?? 0);
    if (success && length > cap) return this.#refuse('body-too-large', `${length} bytes announced, ${cap} allowed`);
    this.#unpack &&= success && codings.length === 0;
    if (codings.length > 0) this.#decode(codings);
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

  #decode(codings: readonly string[]): void {
    this.#decoder = new BodyDecoder(codings, {
      data: (chunk) => this.#deliver(chunk),
      end: () => this.#finishBody(),
      // The body is complete by HTTP's rules; if its coding is truncated, the server stored it that way.
      error: (error) => this.#fail('bad-encoding', error.message, false),
      drain: () => {
        this.#busy.delete('decoder');
        this.#resume();
      },
    });
  }

  #deliver(chunk: Buffer): void {
    if (this.#isEnded) return;
    if (!this.#gauge.unpacked(chunk.length)) return this.#tooLarge();
    const ratio = this.#decoder && this.#gauge.bombRatio;
    if (ratio) return this.#refuse('decompression-bomb', `the body unpacks to ${Math.round(ratio)} times its size`);
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
    this.#decoder?.pause();
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
    this.#decoder?.resume();
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
    if (success) this.#refuse('body-too-large', `more than ${this.#gauge.cap} bytes`);
    else this.#endWith({ kind: 'response', response: this.#response() }, new Error('error page cut'));
  }

  #response(): HttpResponse {
    return {
      url: this.#given.url,
      status: this.#status,
      headers: this.#headers,
      body: this.#memory.length === 1 ? (this.#memory[0] as Buffer) : Buffer.concat(this.#memory),
      wireBytes: this.#gauge.wireBytes,
      bodyBytes: this.#gauge.bodyBytes,
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
      this.#decoder?.destroy();
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
    return transfer === undefined && length !== undefined && this.#gauge.wireBytes >= Number(length);
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
