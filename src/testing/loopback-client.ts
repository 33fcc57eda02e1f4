import type { HttpClient, HttpClientOptions } from '../http/index.ts';
import { createClient } from '../http/index.ts';
import type { Loopback } from './loopback.ts';

/**
 * A client for which every name under `.test` leads to the loopback server. No pace and no robots unless asked for:
 * a test names the rule it is about.
 */
export function loopbackClient(loopback: Pick<Loopback, 'port'>, options: HttpClientOptions = {}): HttpClient {
  return createClient({
    obeyRobots: false,
    perHost: { perSecond: Infinity, concurrency: 64 },
    ...options,
    retry: { retries: 0, ...options.retry },
    guard: {
      ...options.guard,
      dnsMap: [{ pattern: '*.test', address: '127.0.0.1', port: loopback.port }, ...(options.guard?.dnsMap ?? [])],
    },
  });
}
