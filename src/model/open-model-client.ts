import type { HttpClient } from '../http/index.ts';
import { createClient } from '../http/index.ts';

/** How patiently a model server is asked. */
export interface ModelPatience {
  readonly contact: string;
  readonly proxy: { readonly http: string; readonly https: string; readonly no: string };
  readonly concurrency: number;
  readonly perSecond: number;
  readonly timeoutMs: number;
  readonly retries: number;
  /** A server that asks for a longer wait ends the run. */
  readonly longestWaitMs: number;
}

const MOST_ANSWER_BYTES = 2_000_000;

/** The polite client for one model server of the user's choice, also on this machine or in the own network. */
export function openModelClient(url: string, patience: ModelPatience): HttpClient {
  const { hostname, port, protocol } = new URL(url);
  const { timeoutMs } = patience;
  return createClient({
    contact: patience.contact === '' ? undefined : patience.contact,
    proxy: patience.proxy,
    // The user names the server; its robots.txt is for crawlers.
    obeyRobots: false,
    guard: { allow: [`${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`] },
    perHost: { perSecond: patience.perSecond, concurrency: patience.concurrency },
    retry: { retries: patience.retries, parkAfterMs: patience.longestWaitMs, giveUpAfterMs: patience.longestWaitMs },
    // There is no other host to try: a server that is gone is reported after the retries.
    circuit: { failures: 1_000_000 },
    // A model is silent while it thinks, and slow while it writes.
    limits: {
      headersMs: timeoutMs,
      idleMs: timeoutMs,
      totalMs: timeoutMs,
      floorBytesPerSecond: 0,
      maxMemoryBytes: MOST_ANSWER_BYTES,
      maxBytes: MOST_ANSWER_BYTES,
      maxRedirects: 0,
    },
  });
}
