import type { Agent, Dispatcher, EnvHttpProxyAgent } from 'undici';

import type { Clock } from '../base/index.ts';
import { createConnector } from './connector.ts';
import { Exchange } from './exchange.ts';
import type { Guard } from './guard.ts';
import { plainHost } from './guard.ts';
import type { HttpLimits } from './limits.ts';
import type { ResolveHost } from './name-resolver.ts';
import { credentialsFor, withoutKeys } from './secret.ts';
import type { HttpRequest, HttpResponse, HttpResult, Send } from './send.ts';
import { trailOf } from './send.ts';
import { undici } from './undici.ts';

/** The proxies of a network without direct access; an empty string means none. */
export interface ProxySettings {
  /** Asked for `http:` addresses, and for `https:` ones where `https` is empty. */
  readonly http: string;
  readonly https: string;
  /** Names that are reached directly, as in NO_PROXY: `example.org,.intranet,*`. */
  readonly no: string;
}

const FILE_ACCEPT = 'application/pdf,application/xml;q=0.9,text/html;q=0.8,*/*;q=0.5';

/**
 * The innermost `Send`: one request on the wire, no second try, no redirect.
 *
 * On a connection that is used again an answer belongs to a request only by being the next one: a server that sends one
 * too many shifts all that follow, and one that comes just after the next request was written cannot be
 * distinguished from its answer. So files and pages each get a separate connection; only services whose terms we work by,
 * which are requested many times a second, keep theirs, and lose it for good when unrequested bytes arrive.
 */
export class Transport implements AsyncDisposable {
  readonly #keptAlive: Agent;
  readonly #single: Agent;
  /** Undefined where everything is reached directly. The proxy looks names up then: what is public is its affair. */
  readonly #proxied: EnvHttpProxyAgent | undefined;
  readonly #guard: Guard;
  readonly #outOfStep = new Set<string>();
  readonly #clock: Clock;
  readonly #limits: HttpLimits;
  readonly #userAgent: string;

  constructor(options: {
    readonly clock: Clock;
    readonly limits: HttpLimits;
    readonly userAgent: string;
    readonly guard: Guard;
    readonly resolveHost: ResolveHost;
    readonly ca?: string | undefined;
    readonly proxy?: ProxySettings | undefined;
  }) {
    this.#clock = options.clock;
    this.#guard = options.guard;
    this.#limits = options.limits;
    this.#userAgent = options.userAgent;
    const { Agent, EnvHttpProxyAgent } = undici();
    // Deadlines are kept by the exchange, on the injected clock; the agent's own are switched off.
    const { connectMs, maxBytes, maxMemoryBytes } = options.limits;
    const bounds = { connectMs, maxAnswerBytes: Math.max(maxBytes, maxMemoryBytes) };
    const common = {
      connect: createConnector({ ...options, ...bounds }),
      maxHeaderSize: options.limits.maxHeaderBytes,
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
      strictContentLength: true,
    };
    this.#keptAlive = new Agent({ ...common, pipelining: 1 });
    this.#single = new Agent({ ...common, pipelining: 0 });
    const { proxy, ca } = options;
    if (proxy && (proxy.http !== '' || proxy.https !== '')) {
      this.#proxied = new EnvHttpProxyAgent({
        ...common,
        pipelining: 0,
        httpProxy: proxy.http,
        httpsProxy: proxy.https,
        noProxy: proxy.no,
        connectTimeout: connectMs,
        ...(ca !== undefined && { requestTls: { ca } }),
      });
    }
    this.#keptAlive.on('disconnect', (origin, _targets, error) => {
      if (isOutOfStep(error)) this.#outOfStep.add(origin.origin);
    });
  }

  readonly send: Send = (request, signal) => {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const { url } = request;
    const exchange = new Exchange({
      clock: this.#clock,
      limits: this.#limitsOf(request),
      url,
      sink: request.sink,
      unpack: request.unpack ?? false,
      storeCookie: (line) => request.jar?.store(line, url, this.#clock.now()),
      onSent: request.onSent ?? (() => undefined),
      onHeaders: request.onHead ?? (() => undefined),
    });
    const startedAt = this.#clock.monotonic();
    const abort = (): void => exchange.abort(signal?.reason as Error);
    signal?.addEventListener('abort', abort, { once: true });
    this.#agentFor(request).dispatch(
      {
        origin: url.origin,
        path: pathWithKeys(request),
        method: request.method ?? 'GET',
        headers: this.#headers(request),
        ...(request.body !== undefined && { body: request.body }),
      },
      exchange,
    );
    return exchange.end
      .then((end): HttpResult => {
        if (end.kind === 'response' || end.kind === 'stopped')
          return { ...end, response: clean(end.response, request) };
        const { response, ...failure } = end;
        const trail = { ...trailOf(request), ...(response && { response: clean(response, request) }) };
        return { ...failure, message: scrub(failure.message, request), trail };
      })
      .finally(() => {
        signal?.removeEventListener('abort', abort);
        request.budget?.spend(this.#clock.monotonic() - startedAt);
      });
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#keptAlive.destroy(), this.#single.destroy(), this.#proxied?.destroy()]);
  }

  #limitsOf({ limits, budget }: HttpRequest): HttpLimits {
    const all = { ...this.#limits, ...limits };
    return budget ? { ...all, totalMs: Math.max(1, Math.min(all.totalMs, budget.leftMs)) } : all;
  }

  #agentFor({ url, robots, sink }: HttpRequest): Dispatcher {
    if (this.#proxied && !this.#isNear(url)) return this.#proxied;
    const isService = robots === 'terms' && sink === undefined && !this.#outOfStep.has(url.origin);
    return isService ? this.#keptAlive : this.#single;
  }

  /** What is on this machine, or was said to lead somewhere else, is never asked of a proxy. */
  #isNear({ hostname }: URL): boolean {
    const host = plainHost(hostname);
    return this.#guard.mapping(host) !== undefined || /^(?:localhost|127\.[\d.]+|::1)$/.test(host);
  }

  #headers(request: HttpRequest): Record<string, string> {
    const headers: Record<string, string> = {
      'user-agent': this.#userAgent,
      accept: request.sink ? FILE_ACCEPT : '*/*',
      // A file is hashed, resumed and compared as it is on the server; only text in memory is worth packing.
      'accept-encoding': request.sink ? 'identity' : 'gzip, deflate, br, zstd',
    };
    for (const [name, value] of Object.entries(request.headers ?? {})) headers[name.toLowerCase()] = value;
    const cookie = request.jar?.header(request.url, this.#clock.now());
    if (cookie !== undefined) headers['cookie'] = cookie;
    for (const { place, name, prefix, secret } of credentialsFor(request.url, request.credentials ?? [])) {
      if (place === 'header') headers[name.toLowerCase()] = `${prefix ?? ''}${secret.reveal()}`;
    }
    return headers;
  }
}

/** An answer without a question, or something that is no answer. */
function isOutOfStep(error: Error): boolean {
  const { errors } = undici();
  return (
    error instanceof errors.HTTPParserError || (error instanceof errors.SocketError && error.message === 'bad response')
  );
}

function pathWithKeys(request: HttpRequest): string {
  const { url } = request;
  const keys = credentialsFor(url, request.credentials ?? []).filter(({ place }) => place === 'query');
  if (keys.length === 0) return url.pathname + url.search;
  const pairs = keys.map(({ name, secret }) => `${encodeURIComponent(name)}=${encodeURIComponent(secret.reveal())}`);
  return `${url.pathname}${url.search === '' ? '?' : `${url.search}&`}${pairs.join('&')}`;
}

/** A server may echo the key it was sent; nothing that leaves here repeats it. */
function clean(response: HttpResponse, request: HttpRequest): HttpResponse {
  if ((request.credentials ?? []).length === 0) return response;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    // Of a redirect the parameter is taken out, so that it can still be followed, and stored.
    headers[name] = name === 'location' ? cleanLocation(value, request) : scrub(value, request);
  }
  return { ...response, headers, body: cleanBody(response.body, request) };
}

function cleanLocation(location: string, request: HttpRequest): string {
  const url = URL.parse(location, request.url.href);
  return url ? withoutKeys(url, request.credentials ?? []).href : scrub(location, request);
}

/** Error pages quote the key that was wrong, and lists link to their next page with the key that was right. */
function cleanBody(body: Buffer, request: HttpRequest): Buffer {
  const leaks = (request.credentials ?? []).some(({ secret }) => secret.isTellable && body.includes(secret.reveal()));
  return leaks ? Buffer.from(scrub(body.toString('utf8'), request)) : body;
}

function scrub(text: string, request: HttpRequest): string {
  return (request.credentials ?? []).reduce((clean, { secret }) => secret.scrub(clean), text);
}
