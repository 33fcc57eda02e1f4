import type { Dispatcher } from 'undici';

import type { Clock } from '../base/index.ts';
import { BodyDecoder, isGzip, parseCodings } from './body-decoder.ts';
import { Deadlines } from './deadlines.ts';
import type { Failure, Phase } from './failure.ts';
import { failureOf } from './failure.ts';
import { flattenHeaders } from './headers.ts';
import type { HttpLimits } from './limits.ts';
import type { BodySink, FailedReason, Headers, HttpResponse, OpenSink, RefusedReason, ResponseHead } from './send.ts';

type Controller = Dispatcher.DispatchController;

/** How one exchange on the wire ended. */
export type ExchangeEnd =
  | { readonly kind: 'response'; readonly response: HttpResponse }
  | { readonly kind: 'stopped'; readonly response: HttpResponse }
  | (Failure & { readonly response?: HttpResponse });

/** Bodies of answers other than 2xx are read for their message and their look, not as documents. */
const MAX_ERROR_BYTES = 1024 * 1024;
/** A short text may well shrink a hundredfold; the ratio says something only from here on. */
const RATIO_FROM_BYTES = 1024 * 1024;

/**
 * One request and its answer at the level of the parser: chunks go from the socket to the sink without a stream
 * between them, under every limit on time and size.
 *
 *   connect ──▶ headers ──▶ body ──▶ ended (response · stopped · refused · failed)
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: HttpLimits;
  readonly #url: URL;
  readonly #openSink: OpenSink | undefined;
  #unpack: boolean;
  readonly #storeCookie: (line: string) => void;
  readonly #onHeaders: (head: ResponseHead) => void;
  readonly #settle: PromiseWithResolvers<ExchangeEnd> = Promise.withResolvers();
  readonly #deadlines: Deadlines;
  #phase: Phase = 'connect';
  #ended = false;
  #controller: Controller | undefined;
  #status = 0;
  #headers: Headers = {};
  #informational = 0;
  #cap = 0;
  #wireBytes = 0;
  #bodyBytes = 0;
  #memory: Buffer[] = [];
  #sink: BodySink | undefined;
  #decoder: BodyDecoder | undefined;
  /** Chunks that came while the sink was busy: the decoder may hand out a few more after it was told to wait. */
  #waiting: Buffer[] = [];
  #sinkBusy = false;
  #decoderFull = false;
  #bodyDone = false;

  constructor(options: {
    readonly clock: Clock;
    readonly limits: HttpLimits;
    readonly url: URL;
    readonly sink: OpenSink | undefined;
    readonly unpack: boolean;
    readonly storeCookie: (line: string) => void;
    readonly onHeaders: (head: ResponseHead) => void;
  }) {
    this.#limits = options.limits;
    this.#url = options.url;
    this.#openSink = options.sink;
    this.#unpack = options.unpack;
    this.#storeCookie = options.storeCookie;
    this.#onHeaders = options.onHeaders;
    this.#deadlines = new Deadlines(options.clock, options.limits, (...expired) => this.#fail(...expired));
  }

  get end(): Promise<ExchangeEnd> {
    return this.#settle.promise;
  }

  /** Leaves the exchange because nobody wants it any more. */
  abort(reason: Error): void {
    this.#close(() => this.#settle.reject(reason), reason);
  }

  onRequestStart(controller: Controller): void {
    if (this.#ended) {
      controller.abort(new Error('ended before it was connected'));
      return;
    }
    this.#controller = controller;
    this.#enter('headers');
  }

  onResponseStart(
    controller: Controller,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#ended) return;
    const lines = Array.isArray(controller.rawHeaders) ? controller.rawHeaders.length / 2 : 0;
    if (lines > this.#limits.maxHeaderLines) {
      return this.#refuse('headers-too-large', `more than ${this.#limits.maxHeaderLines} header lines`);
    }
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > this.#limits.maxInformational) {
        this.#refuse('headers-too-large', `more than ${this.#limits.maxInformational} informational answers`);
      }
      return;
    }
    this.#status = status;
    this.#headers = flattenHeaders(headers);
    for (const line of [headers['set-cookie'] ?? []].flat()) this.#storeCookie(line);
    this.#onHeaders({ url: this.#url, status, headers: this.#headers });
    this.#enter('body');
    this.#receive(controller);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#ended) return;
    this.#deadlines.received(chunk.length);
    this.#wireBytes += chunk.length;
    if (this.#wireBytes > this.#cap) return this.#tooLarge();
    if (this.#unpack && this.#wireBytes === chunk.length && isGzip(chunk)) this.#decode(['gzip']);
    if (!this.#decoder) return this.#deliver(chunk);
    if (!this.#decoder.write(chunk) && !this.#ended) {
      this.#decoderFull = true;
      this.#hold(controller);
    }
  }

  onResponseEnd(): void {
    if (this.#ended) return;
    if (this.#decoder) this.#decoder.end();
    else this.#finishBody();
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    if (this.#ended) return;
    const failure = failureOf(error, this.#phase);
    this.#endWith(this.#phase === 'body' ? { ...failure, response: this.#response() } : failure, error);
  }

  #receive(controller: Controller): void {
    const success = this.#status >= 200 && this.#status < 300;
    const codings = parseCodings(this.#headers['content-encoding']);
    if (codings === undefined || codings.length > this.#limits.maxCodings) {
      return this.#refuse('unknown-encoding', `content-encoding "${this.#headers['content-encoding']}"`);
    }
    this.#cap = !success ? MAX_ERROR_BYTES : this.#openSink ? this.#limits.maxBytes : this.#limits.maxMemoryBytes;
    const length = Number(this.#headers['content-length'] ?? 0);
    if (success && length > this.#cap) {
      return this.#refuse('body-too-large', `${length} bytes announced, ${this.#cap} allowed`);
    }
    this.#unpack &&= success && codings.length === 0;
    if (codings.length > 0) this.#decode(codings);
    if (!success || !this.#openSink) return;
    const opened = this.#openSink({ url: this.#url, status: this.#status, headers: this.#headers }, () => this.#stop());
    if (!(opened instanceof Promise)) {
      this.#sink = opened;
      return;
    }
    this.#sinkBusy = true;
    this.#hold(controller);
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
      // The body came as a whole by the rules of HTTP; if its coding is cut all the same, it was packed that way.
      error: (error) => this.#fail('bad-encoding', error.message, false),
      drain: () => {
        this.#decoderFull = false;
        this.#resume();
      },
    });
  }

  #deliver(chunk: Buffer): void {
    if (this.#ended) return;
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > this.#cap) return this.#tooLarge();
    if (this.#decoder && this.#bodyBytes > RATIO_FROM_BYTES) {
      const ratio = this.#bodyBytes / Math.max(1, this.#wireBytes);
      if (ratio > this.#limits.maxRatio) {
        return this.#refuse('decompression-bomb', `the body unpacks to ${Math.round(ratio)} times its size`);
      }
    }
    if (!this.#sink && !this.#sinkBusy) this.#memory.push(chunk);
    else if (this.#sinkBusy) this.#waiting.push(chunk);
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
    this.#sinkBusy = true;
    if (this.#controller) this.#hold(this.#controller);
    this.#decoder?.pause();
    void written.then(
      () => this.#release(),
      (error: Error) => this.abort(error),
    );
  }

  /** The sink can take more: first what waited, then what the socket holds. */
  #release(): void {
    this.#sinkBusy = false;
    while (this.#waiting.length > 0 && !this.#sinkBusy && !this.#ended) this.#give(this.#waiting.shift() as Buffer);
    if (this.#sinkBusy || this.#ended) return;
    this.#decoder?.resume();
    this.#resume();
    if (this.#bodyDone) this.#finishBody();
  }

  #resume(): void {
    if (this.#sinkBusy || this.#decoderFull || this.#ended) return;
    this.#deadlines.hold(false);
    this.#controller?.resume();
  }

  #finishBody(): void {
    this.#bodyDone = true;
    if (!this.#sinkBusy && !this.#ended) this.#endWith({ kind: 'response', response: this.#response() });
  }

  #stop(): void {
    this.#endWith({ kind: 'stopped', response: this.#response() }, new Error('the sink has enough'));
  }

  #tooLarge(): void {
    const success = this.#status >= 200 && this.#status < 300;
    // Of an error page the beginning is enough.
    if (success) this.#refuse('body-too-large', `more than ${this.#cap} bytes`);
    else this.#endWith({ kind: 'response', response: this.#response() }, new Error('error page cut'));
  }

  #response(): HttpResponse {
    return {
      url: this.#url,
      status: this.#status,
      headers: this.#headers,
      body: this.#memory.length === 1 ? (this.#memory[0] as Buffer) : Buffer.concat(this.#memory),
      wireBytes: this.#wireBytes,
      bodyBytes: this.#bodyBytes,
      chain: [],
      origin: 'network',
    };
  }

  #refuse(reason: RefusedReason, message: string): void {
    const response = this.#phase === 'body' ? { response: this.#response() } : {};
    this.#endWith({ kind: 'refused', reason, message, ...response }, new Error(message));
  }

  #fail(reason: FailedReason, message: string, retryable: boolean): void {
    if (this.#ended) return;
    const response = this.#phase === 'body' ? { response: this.#response() } : {};
    this.#endWith({ kind: 'failed', reason, message, retryable, ...response }, new Error(message));
  }

  #endWith(end: ExchangeEnd, abortWith?: Error): void {
    this.#close(() => this.#settle.resolve(end), abortWith);
  }

  #close(settle: () => void, abortWith: Error | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#deadlines[Symbol.dispose]();
    this.#waiting = [];
    if (abortWith) {
      this.#decoder?.destroy();
      this.#controller?.abort(abortWith);
    }
    settle();
  }

  #hold(controller: Controller): void {
    this.#deadlines.hold(true);
    controller.pause();
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#deadlines.enter(phase);
  }
}
