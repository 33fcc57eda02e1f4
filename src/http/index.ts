export { createClient, requireContact, userAgent } from './client.ts';
export type { HttpClient, HttpClientOptions } from './client.ts';
export { createServerClient } from './server-client.ts';
export type { ServerClientOptions } from './server-client.ts';
export type { HttpEvent } from './with-admission.ts';
export { compose, TimeBudget, DEFAULT_LIMITS, whileWaiting, withCaller } from './send.ts';
export type {
  BodySink,
  FailedReason,
  Headers,
  Hop,
  HttpRequest,
  HttpResponse,
  HttpResult,
  LaterReason,
  OpenSink,
  RefusedReason,
  ResponseHead,
  Send,
  Trail,
  Wrap,
  HttpLimits,
  Caller,
} from './send.ts';
export { Secret } from './secret.ts';
export type { Credential } from './secret.ts';
export { CookieJar } from './cookie-jar.ts';
export { SqliteCacheStore } from './cache.ts';
export { raced, SharedResults } from './shared-results.ts';
export type { DnsMapping, GuardOptions } from './guard.ts';
export type { Address, ResolveHost } from './name-resolver.ts';
export type { RetryOptions } from './retry.ts';
export { RobotsRules } from './robots.ts';
export { parseRetryAfter, parseHttpDate } from './retry.ts';
export { loopbackFetch } from './connector.ts';
export type { ProxySettings } from './transport.ts';
