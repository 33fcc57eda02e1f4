import type { IncomingMessage } from 'node:http';
import { STATUS_CODES } from 'node:http';

import { AppError, errorInfo } from '../../base/index.ts';
import { StageError } from '../../stage/index.ts';

/** An error response (RFC 9457). */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    detail: string,
    options: { readonly hint?: string | undefined; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.hint = options.hint ?? null;
    this.headers = options.headers ?? {};
  }
}

export function problemBody({ status, code, message, hint }: Problem): Record<string, unknown> {
  return { type: 'about:blank', title: STATUS_CODES[status], status, detail: message, code, hint };
}

export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { code, message } = errorInfo(error);
  if (error instanceof StageError && error.code?.startsWith('MODEL_'))
    return new Problem(502, error.code, error.message);
  if (!(error instanceof AppError)) return new Problem(500, 'UNEXPECTED', 'internal server error; see the server log');
  const { hint } = error;
  if (code.startsWith('USAGE_') || code === 'TABLE_COLUMNS') return new Problem(400, code, message, { hint });
  if (NOT_THERE.has(code)) return new Problem(404, code, message, { hint });
  if (NOT_NOW.has(code)) return new Problem(503, code, message, { hint, headers: { 'retry-after': '5' } });
  return new Problem(500, code, withoutFolders(message), { hint });
}

/** Removes absolute paths of this machine from a message. */
function withoutFolders(message: string): string {
  return message.replaceAll(/(?:[A-Za-z]:)?(?:[\\/][^\\/\s:"']+)*[\\/](?=[^\\/\s:"']+)/g, '');
}

const NOT_THERE = new Set([
  'GRAPH_NO_NODE',
  'GRAPH_MISSING',
  'SEARCH_NOTHING',
  'CORPUS_NO_WORKS',
  'INDEX_NOTHING',
  'INDEX_NOT_DENSE',
  'TABLE_UNKNOWN',
  'TABLE_NOTHING',
]);
const NOT_NOW = new Set(['QUEUE_UNREACHABLE', 'QUEUE_BUSY', 'DATABASE_BUSY']);

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
