import type { Agent, Dispatcher, EnvHttpProxyAgent } from 'undici';

import type { Clock } from '../base/index.ts';
import { createConnector, undici } from './connector.ts';
import { Exchange } from './exchange.ts';
import type { Guard } from './guard.ts';
import { plainHost } from './guard.ts';
import type { HttpLimits, HttpRequest, HttpResponse, HttpResult, Send } from './send.ts';
import type { ResolveHost } from './name-resolver.ts';
import { credentialsFor, withoutKeys } from './secret.ts';
import { trailOf } from './send.ts';

/** Proxies for networks without direct access; an empty string means none. */
export interface ProxySettings {
  /** Used for `http:`, and for `https:` if `https` is empty. */
  readonly http: string;
  /** Used for `https:`; empty means that of `http`. */
  readonly https: string;
  /** Names to reach directly, as in NO_PROXY: `example.org,.intranet,*`. */
  readonly no: string;
}

interface TransportOptions {
  readonly clock: Clock;
  readonly limits: HttpLimits;
  readonly userAgent: string;
  readonly guard: Guard;
  readonly resolveHost: ResolveHost;
  readonly ca?: string | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Every request may use a connection that another one used; by default only those to APIs may. */
  readonly reusesConnections?: boolean | undefined;
}

const MAX_HEADER_BYTES = 64 * 1024;
const FILE_ACCEPT = 'application/pdf,application/xml;q=0.9,text/html;q=0.8,*/*;q=0.5';

/**
 * The innermost `Send`. On a reused connection, responses belong to requests only by order: a server that sends one too
 * many shifts all that follow. So only APIs and the user's own servers reuse connections, until unrequested bytes
 * arrive.
 */
export class Transport implements AsyncDisposable {
  readonly #keptAlive: Agent;
  readonly #single: Agent;
  /** Undefined without a proxy. A proxy resolves names itself, so the address guard does not apply. */
  readonly #proxied: EnvHttpProxyAgent | undefined;
  readonly #outOfStep = new Set<string>();
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
    const { Agent, EnvHttpProxyAgent } = undici();
    // The exchange enforces time limits on the injected clock; the agent's are off.
    const { connectMs, maxBytes, maxMemoryBytes } = options.limits;
    const bounds = { connectMs, maxAnswerBytes: Math.max(maxBytes, maxMemoryBytes) };
    const common = {
      connect: createConnector({ ...options, ...bounds }),
      maxHeaderSize: MAX_HEADER_BYTES,
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
        pipelining: options.reusesConnections ? 1 : 0,
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
    const exchange = new Exchange(request, this.#limitsOf(request), this.#options.clock);
    const startedAt = this.#options.clock.monotonic();
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
        request.budget?.spend(this.#options.clock.monotonic() - startedAt);
      });
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#keptAlive.destroy(), this.#single.destroy(), this.#proxied?.destroy()]);
  }

  #limitsOf({ limits, budget }: HttpRequest): HttpLimits {
    const all = { ...this.#options.limits, ...limits };
    return budget ? { ...all, totalMs: Math.max(1, Math.min(all.totalMs, budget.leftMs)) } : all;
  }

  #agentFor({ url, robots, sink }: HttpRequest): Dispatcher {
    if (this.#proxied && !this.#isNear(url)) return this.#proxied;
    const isService = this.#options.reusesConnections === true || (robots === 'terms' && sink === undefined);
    return isService && !this.#outOfStep.has(url.origin) ? this.#keptAlive : this.#single;
  }

  /** Never use a proxy for this machine or a mapped host. */
  #isNear({ hostname }: URL): boolean {
    const host = plainHost(hostname);
    return this.#options.guard.mapping(host) !== undefined || /^(?:localhost|127\.[\d.]+|::1)$/.test(host);
  }

  #headers(request: HttpRequest): Record<string, string> {
    const headers: Record<string, string> = {
      'user-agent': this.#options.userAgent,
      accept: request.sink ? FILE_ACCEPT : '*/*',
      // Files are hashed, resumed and compared as stored on the server; only text in memory is compressed.
      'accept-encoding': request.sink ? 'identity' : 'gzip, deflate, br, zstd',
    };
    for (const [name, value] of Object.entries(request.headers ?? {})) headers[name.toLowerCase()] = value;
    const cookie = request.jar?.header(request.url, this.#options.clock.now());
    if (cookie !== undefined) headers['cookie'] = cookie;
    for (const { place, name, prefix, secret } of credentialsFor(request.url, request.credentials ?? [])) {
      if (place === 'header') headers[name.toLowerCase()] = `${prefix ?? ''}${secret.reveal()}`;
    }
    return headers;
  }
}

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

/** Servers may echo the key; nothing returned from here contains it. */
function clean(response: HttpResponse, request: HttpRequest): HttpResponse {
  if ((request.credentials ?? []).length === 0) return response;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    // Removes the key's parameter from a redirect, so that it can still be followed and stored.
    headers[name] = name === 'location' ? cleanLocation(value, request) : scrub(value, request);
  }
  return { ...response, headers, body: cleanBody(response.body, request) };
}

function cleanLocation(location: string, request: HttpRequest): string {
  const url = URL.parse(location, request.url.href);
  return url ? withoutKeys(url, request.credentials ?? []).href : scrub(location, request);
}

/** Error pages quote a wrong key, and lists link to their next page with the right one. */
function cleanBody(body: Buffer, request: HttpRequest): Buffer {
  const leaks = (request.credentials ?? []).some(({ secret }) => secret.isScrubbable && body.includes(secret.reveal()));
  return leaks ? Buffer.from(scrub(body.toString('utf8'), request)) : body;
}

function scrub(text: string, request: HttpRequest): string {
  return (request.credentials ?? []).reduce((clean, { secret }) => secret.scrub(clean), text);
}
