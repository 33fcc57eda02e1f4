import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { pdfOf } from './corpus.ts';

/** What the hosts saw of the client. */
export interface Seen {
  readonly served: number;
  readonly mostAtOnce: number;
  readonly mostPerHost: number;
  readonly seconds: number;
}

// Many hosts behind one port that take their time and count how many ask at once: what tells whether limits were kept.
const answerMs = Number(process.argv[2]);
const perHost = new Map<string, number>();
const body = pdfOf('A small document on a host that takes its time', Buffer.alloc(8_000, 'x'), 8_000);
let [atOnce, mostAtOnce, mostPerHost, served, firstAt, lastAt] = [0, 0, 0, 0, Infinity, 0];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { host = '' } = request.headers;
  if (request.url === '/robots.txt' || /\.services\.test(:\d+)?$/.test(host)) {
    response.writeHead(404).end();
    return;
  }
  firstAt = Math.min(firstAt, performance.now());
  perHost.set(host, (perHost.get(host) ?? 0) + 1);
  mostPerHost = Math.max(mostPerHost, perHost.get(host) ?? 0);
  mostAtOnce = Math.max(mostAtOnce, (atOnce += 1));
  await sleep(answerMs);
  perHost.set(host, (perHost.get(host) ?? 1) - 1);
  atOnce -= 1;
  served += 1;
  lastAt = performance.now();
  response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': body.length }).end(body);
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  answer(request, response).catch((error: unknown) => response.destroy(error as Error));
});
server.listen(0, '127.0.0.1', 1024, () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => {
  const seen: Seen = { served, mostAtOnce, mostPerHost, seconds: (lastAt - firstAt) / 1000 };
  process.send?.(seen);
});
process.on('disconnect', () => process.exit(0));
