import { AnswerTooLargeError, ForbiddenAddressError } from './connector.ts';
import type { FailedReason, RefusedReason } from './send.ts';

export type Phase = 'connect' | 'headers' | 'body';

/** A failure below HTTP. */
export type Failure =
  | { readonly kind: 'refused'; readonly reason: RefusedReason; readonly message: string }
  | { readonly kind: 'failed'; readonly reason: FailedReason; readonly message: string; readonly retryable: boolean };

const CONNECT_CODES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EACCES',
]);
const RESET_CODES = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET']);
const TLS_CODE = /^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/;

/** Maps a socket or parser error to what it means for the request. */
export function failureOf(error: unknown, phase: Phase): Failure {
  for (const cause of causesOf(error)) {
    if (cause instanceof ForbiddenAddressError) {
      return { kind: 'refused', reason: 'private-address', message: cause.message };
    }
    if (cause instanceof AnswerTooLargeError)
      return { kind: 'refused', reason: 'body-too-large', message: cause.message };
  }
  const code = codeOf(error);
  const message = `${error instanceof Error ? error.message : String(error)}${code ? ` (${code})` : ''}`;
  const failed = (reason: FailedReason, retryable: boolean): Failure => ({
    kind: 'failed',
    reason,
    message,
    retryable,
  });
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') {
    return { kind: 'refused', reason: 'headers-too-large', message };
  }
  if (code === 'UND_ERR_INVALID_ARG') return { kind: 'refused', reason: 'bad-url', message };
  if (code === 'EAI_AGAIN') return failed('dns', true);
  if (code === 'ENOTFOUND' || code.startsWith('EAI_') || code === 'ENODATA') return failed('dns', false);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || (code === 'ETIMEDOUT' && phase === 'connect')) {
    return failed('connect-timeout', true);
  }
  if (CONNECT_CODES.has(code)) return failed('connect', true);
  if (TLS_CODE.test(code)) return failed('tls', false);
  // The parser reports a chunked body without its last chunk only in its message.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || message.includes('Invalid EOF state')) {
    return phase === 'body' ? failed('truncated', true) : failed('protocol', false);
  }
  if (RESET_CODES.has(code) || code === 'ETIMEDOUT') return failed(phase === 'body' ? 'truncated' : 'reset', true);
  // A server that violates the protocol will do so again.
  return failed('protocol', false);
}

function codeOf(error: unknown): string {
  for (const cause of causesOf(error)) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return '';
}

/** The error, its causes, and the errors of each address tried. */
function causesOf(error: unknown): Error[] {
  const found: Error[] = [];
  const visit = (each: unknown): void => {
    if (!(each instanceof Error) || found.includes(each) || found.length > 20) return;
    found.push(each);
    if (each instanceof AggregateError) for (const inner of each.errors) visit(inner);
    visit(each.cause);
  };
  visit(error);
  return found;
}
