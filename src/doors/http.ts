// import … from 'docstokg/http': a polite HTTP client, and one for servers of your own.
export { createClient, createServerClient, Secret, SqliteCacheStore } from '../http/index.ts';
export type {
  BodySink,
  Credential,
  HttpClient,
  HttpClientOptions,
  HttpLimits,
  HttpRequest,
  HttpResponse,
  HttpResult,
  OpenSink,
  ProxySettings,
  ResponseHead,
  RetryOptions,
  Send,
  ServerClientOptions,
  Wrap,
} from '../http/index.ts';
