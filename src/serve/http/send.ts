import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Answer } from './route.ts';
import type { Problem } from './problem.ts';
import { problemBody, problemOf } from './problem.ts';
import { problemPage, wantsPage } from './problem-page.ts';

const PIECE_BYTES = 64 * 1024;

const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-cache',
} as const;

/** For API responses: if a browser renders one as a page, it can do nothing. */
export const API_HEADERS = {
  ...EVERYWHERE,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
} as const;

/** For pages: only their own script and style from this server, nothing inline. */
export const PAGE_HEADERS = {
  ...EVERYWHERE,
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
} as const;

function etagOf(body: Uint8Array): string {
  return `"${createHash('sha1').update(body).digest('base64url')}"`;
}

/** Sends a body, or 304 if the client already has it. */
export function sendBody(
  request: IncomingMessage,
  response: ServerResponse,
  { type, body, headers }: { readonly type: string; readonly body: Uint8Array; readonly headers: object },
): void {
  const etag = etagOf(body);
  const known = request.headers['if-none-match'];
  if (known !== undefined && isKnown(known, etag)) {
    response.writeHead(304, { ...headers, etag });
    response.end();
    return;
  }
  response.writeHead(200, { ...headers, 'content-type': type, 'content-length': body.length, etag });
  response.end(request.method === 'HEAD' ? undefined : body);
}

export function sendJson(request: IncomingMessage, response: ServerResponse, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  sendBody(request, response, { type: 'application/json; charset=utf-8', body, headers: API_HEADERS });
}

/** Sends an error; closes the connection if the request was not read to its end. */
export function sendProblem(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const page = wantsPage(request) ? problemPage(problem) : undefined;
  const body = page?.body ?? Buffer.from(JSON.stringify(problemBody(problem)));
  const isUnread = !request.complete;
  response.writeHead(problem.status, {
    ...API_HEADERS,
    ...(page && { 'content-security-policy': page.policy }),
    ...problem.headers,
    'content-type': page ? 'text/html; charset=utf-8' : 'application/problem+json',
    'content-length': body.length,
    ...(isUnread && { connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body, () => {
    // Do not read the rest of a large body.
    if (isUnread) request.socket.destroySoon();
  });
}

export const LINES_TYPE = 'application/x-ndjson';
/** Proxies, and this server, close a connection that is idle for a minute. */
const BLANK_LINE_MS = 15_000;

/** Streams texts. Blank lines, which readers ignore, keep the connection open while there is nothing to send. */
export async function sendStream(
  response: ServerResponse,
  type: string,
  texts: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  const blank = setInterval(() => void (response.headersSent && response.write('\n')), BLANK_LINE_MS).unref();
  try {
    for await (const text of texts) {
      if (!response.headersSent)
        response.writeHead(200, { ...API_HEADERS, 'content-type': type, 'cache-control': 'no-store' });
      if (!response.write(text)) await once(response, 'drain', { signal });
    }
  } finally {
    clearInterval(blank);
  }
  response.end();
}

/** Lines of JSON. An error before the first is thrown, for an error response; after it, it is the last line. */
export async function* jsonLines(values: AsyncIterable<unknown>, signal: AbortSignal): AsyncGenerator<string> {
  let hasLines = false;
  try {
    for await (const value of values) {
      yield `${JSON.stringify(value)}\n`;
      hasLines = true;
    }
  } catch (error) {
    if (!hasLines || signal.aborted) throw error;
    yield `${JSON.stringify({ kind: 'error', problem: problemBody(problemOf(error)) })}\n`;
  }
}

export async function sendPieces(
  response: ServerResponse,
  answer: Extract<Answer, { readonly kind: 'pieces' | 'file' }>,
  signal: AbortSignal,
): Promise<void> {
  const head = {
    ...API_HEADERS,
    'content-type': answer.type,
    'content-disposition': `attachment; filename="${answer.name.replaceAll(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(answer.name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)}`,
  };
  const body = answer.kind === 'file' ? createReadStream(answer.path) : Readable.from(batched(answer.pieces));
  // A failure before the first bytes is an error response.
  await once(body, answer.kind === 'file' ? 'open' : 'readable', { signal });
  response.writeHead(200, head);
  await pipeline(body, response, { signal });
}

async function* batched(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < PIECE_BYTES) continue;
    yield text;
    text = '';
    // Yield to other requests even if the client reads as fast as we write.
    await nextTurn();
  }
  yield text;
}

function isKnown(header: string, etag: string): boolean {
  return (
    header === etag || header === '*' || header.split(',', 50).some((each) => each.trim().replace(/^W\//, '') === etag)
  );
}
