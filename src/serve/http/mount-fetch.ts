import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { readBody } from './problem.ts';
import { API_HEADERS } from './send.ts';

/** A handler with the web's Request and Response types. */
export interface FetchHandler {
  fetch(request: Request): Promise<Response>;
}

/** Mounts such a handler; bounds the request body and respects backpressure of the response. */
export async function answerWithFetch(
  handler: FetchHandler,
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<void> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && name !== 'authorization' && name !== 'cookie')
      headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  const hasBody = request.method === 'POST';
  const answered = await handler.fetch(
    new Request(`http://${request.headers.host ?? 'localhost'}${request.url ?? '/'}`, {
      method: request.method ?? 'GET',
      headers,
      signal,
      ...(hasBody && { body: new Uint8Array(await readBody(request, maxBytes)) }),
    }),
  );
  response.writeHead(answered.status, { ...API_HEADERS, ...Object.fromEntries(answered.headers) });
  if (answered.body === null) response.end();
  else await pipeline(Readable.fromWeb(answered.body), response, { signal });
}
