import { isUtf8 } from 'node:buffer';

import type { HttpLimits, Hop, HttpRequest, HttpResponse, HttpResult, RefusedReason, Wrap } from './send.ts';
import { refused } from './send.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers that identify us; never sent to another origin. */
const PRIVATE_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key', 'api-key', 'api_key']);

/** Each hop passes the guard, robots.txt and host limits again. */
export function withRedirects(limits: HttpLimits): Wrap {
  return (next) => async (first, signal) => {
    const most = first.limits?.maxRedirects ?? limits.maxRedirects;
    const chain: Hop[] = [];
    const seen = new Set<string>();
    let request = first;
    for (;;) {
      seen.add(`${request.url.href} ${request.jar?.state ?? ''}`);
      const result = withChain(await next(request, signal), chain);
      if (result.kind !== 'response' || !REDIRECTS.has(result.response.status)) return result;
      const { response } = result;
      chain.push({ url: request.url.href, status: response.status });
      const refuse = (reason: RefusedReason, message: string): HttpResult =>
        withChain(refused(request, reason, message, response), chain);
      const location = response.headers['location'];
      if (location === undefined) return refuse('bad-redirect', `status ${response.status} without a Location`);
      const target = URL.parse(decodedHeader(location), request.url.href);
      if (!target) return refuse('bad-redirect', 'the Location is not a URL');
      if (target.protocol !== 'http:' && target.protocol !== 'https:') {
        return refuse('bad-redirect', `the Location has the scheme ${target.protocol}`);
      }
      if (chain.length > most) return refuse('max-hops', `more than ${most} redirects`);
      const following = follow(request, response, target);
      if (following === undefined) return refuse('bad-redirect', 'from https to http with a key');
      request = following;
      if (seen.has(`${request.url.href} ${request.jar?.state ?? ''}`)) {
        return refuse('redirect-loop', `${request.url.href} was requested before`);
      }
    }
  };
}

/** Header values are read as Latin-1; servers write names of files in UTF-8. */
function decodedHeader(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

function follow(request: HttpRequest, response: HttpResponse, target: URL): HttpRequest | undefined {
  const credentials = request.credentials ?? [];
  const url = new URL(target);
  // RFC 9110 §10.2.2: a redirect without a fragment inherits it.
  if (url.hash === '' && request.url.hash !== '') url.hash = request.url.hash;
  const keyed = credentials.some(({ origin }) => origin === request.url.origin);
  if (keyed && request.url.protocol === 'https:' && url.protocol === 'http:') return undefined;
  const crosses = url.origin !== request.url.origin;
  const headers = Object.fromEntries(
    Object.entries(request.headers ?? {}).filter(([name]) => !crosses || !PRIVATE_HEADERS.has(name.toLowerCase())),
  );
  const { method = 'GET' } = request;
  const becomesGet = method === 'POST' && [301, 302, 303].includes(response.status);
  const { body, ...rest } = request;
  return {
    ...rest,
    url,
    headers,
    ...(becomesGet ? { method: 'GET' as const } : body !== undefined && { body }),
    // The API's terms do not cover another host.
    ...(crosses && { robots: 'obey' as const }),
  };
}

function withChain(result: HttpResult, chain: readonly Hop[]): HttpResult {
  if (chain.length === 0) return result;
  if (result.kind === 'response' || result.kind === 'stopped') {
    return { ...result, response: { ...result.response, chain: [...chain] } };
  }
  return { ...result, trail: { ...result.trail, chain: [...chain] } };
}
