import { request } from 'node:http';

import type { LogEntry } from './request-log.ts';

interface Replayed {
  readonly number: number;
  readonly url: string;
  readonly expected: number;
  readonly found: number;
}

/** Replays the requests of a log in order, one at a time, and reports status differences. */
export async function* replay(
  entries: AsyncIterable<LogEntry> | Iterable<LogEntry>,
  port: number,
): AsyncGenerator<Replayed> {
  for await (const entry of entries) {
    if (entry.method !== 'GET' && entry.method !== 'HEAD') continue;
    const found = await statusOf(entry, port);
    if (found !== entry.status) yield { number: entry.number, url: entry.url, expected: entry.status, found };
  }
}

function statusOf(entry: LogEntry, port: number): Promise<number> {
  const { pathname, search } = new URL(entry.url);
  return new Promise((resolve) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      method: entry.method,
      path: pathname + search,
      headers: { ...entry.headers, host: entry.host, 'user-agent': entry.agent },
      // A log has status 0 for requests that hung; all others are awaited.
      timeout: entry.status === 0 ? 2_000 : 60_000,
    });
    sent.on('response', (response) => {
      response.on('error', () => undefined);
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(0));
    sent.end();
  });
}
