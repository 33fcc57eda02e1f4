export { createClient, requireContact } from './client.ts';
export type { HttpClient, HttpClientOptions } from './client.ts';
export { createServerClient } from './server-client.ts';
export type { ServerClientOptions } from './server-client.ts';
export type { HttpEvent } from './with-admission.ts';
export { TimeBudget, withCaller } from './send.ts';
export type {
  BodySink,
  FailedReason,
  Headers,
  HttpRequest,
  HttpResponse,
  HttpResult,
  LaterReason,
  OpenSink,
  RefusedReason,
  ResponseHead,
  Send,
  Wrap,
  HttpLimits,
  Caller,
} from './send.ts';
export { Secret } from './secret.ts';
export type { Credential } from './secret.ts';
export { CookieJar } from './cookie-jar.ts';
export { SqliteCacheStore } from './cache.ts';
export { raced, SharedResults } from './shared-results.ts';
export type { DnsMapping } from './guard.ts';
export type { RetryOptions } from './retry.ts';
export { RobotsRules } from './robots.ts';
export { parseRetryAfter, parseHttpDate } from './retry.ts';
export { loopbackFetch } from './connector.ts';
export type { ProxySettings } from './transport.ts';
