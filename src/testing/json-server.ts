import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

import { openLoopback } from './loopback.ts';

/** What a request to the test server was. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** A server on loopback that is asked in JSON, for tests of the remote engines; disposing of it cuts its connections. */
export async function openJsonServer(
  answer: (request: Received, response: ServerResponse) => void | Promise<void>,
): Promise<AsyncDisposable & { readonly url: string; readonly received: readonly Received[] }> {
  const received: Received[] = [];
  const loopback = await openLoopback(({ method, url, headers, body }, response) => {
    const record = { method, path: url, headers, body: body === '' ? undefined : (JSON.parse(body) as unknown) };
    received.push(record);
    return answer(record, response);
  });
  return {
    url: `http://127.0.0.1:${loopback.port}`,
    received,
    [Symbol.asyncDispose]: () => loopback[Symbol.asyncDispose](),
  };
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}
