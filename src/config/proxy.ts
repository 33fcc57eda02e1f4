import type { Config } from './schema.ts';

/** The proxies to use for everything that is requested; an empty string means none. */
export function proxyOf({ http }: Config): { readonly http: string; readonly https: string; readonly no: string } {
  return { http: http.http_proxy, https: http.https_proxy, no: http.no_proxy };
}
