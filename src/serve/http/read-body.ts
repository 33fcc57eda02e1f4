import type { IncomingMessage } from 'node:http';

import { Problem } from './problem.ts';

/** The whole body, which may not be longer than this; a longer one is not read to its end. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = (): Problem =>
    new Problem(413, 'BODY_TOO_LARGE', `a body here has at most ${maxBytes} bytes`, {
      headers: { connection: 'close' },
    });
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const pieces: Buffer[] = [];
  let bytes = 0;
  // The connection stays until the answer is written.
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
