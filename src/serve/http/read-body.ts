import type { IncomingMessage } from 'node:http';

import { Problem } from './problem.ts';

/** Reads a request body up to the limit; stops reading beyond it. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = (): Problem =>
    new Problem(413, 'BODY_TOO_LARGE', `request bodies are limited to ${maxBytes} bytes`, {
      headers: { connection: 'close' },
    });
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const pieces: Buffer[] = [];
  let bytes = 0;
  // Keep the connection open until the response is written.
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
