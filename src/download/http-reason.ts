import type { FailedReason, HttpResponse, HttpResult, LaterReason, RefusedReason } from '../http/index.ts';
import type { Reason } from './reasons.ts';

const REFUSED: Readonly<Record<RefusedReason, Reason>> = {
  'bad-url': 'bad-redirect',
  'private-address': 'private-address',
  'bad-port': 'private-address',
  'robots-disallowed': 'robots-disallowed',
  'robots-unreachable': 'robots-disallowed',
  'redirect-loop': 'redirect-loop',
  'max-hops': 'too-many-redirects',
  'bad-redirect': 'bad-redirect',
  'body-too-large': 'too-large',
  'headers-too-large': 'too-large',
  'decompression-bomb': 'too-large',
  'unknown-encoding': 'bad-gzip',
  'retry-after-too-long': 'host-given-up',
  'crawl-delay-too-long': 'host-given-up',
};

const FAILED: Readonly<Record<FailedReason, Reason>> = {
  dns: 'connection-failed',
  connect: 'connection-failed',
  reset: 'connection-failed',
  tls: 'connection-failed',
  'connect-timeout': 'timeout',
  'headers-timeout': 'timeout',
  'idle-timeout': 'timeout',
  'total-timeout': 'timeout',
  'too-slow': 'timeout',
  truncated: 'truncated',
  protocol: 'connection-failed',
  'bad-encoding': 'bad-gzip',
};

const LATER: Readonly<Record<LaterReason, Reason>> = {
  'host-held': 'connection-failed',
  'rate-limited': 'rate-limited',
  'pool-exhausted': 'rate-limited',
  paused: 'host-paused',
};

/** The reason of a failed request; undefined for a success, where the body decides. */
export function reasonOfResult(result: HttpResult): Reason | undefined {
  if (result.kind === 'later') return LATER[result.reason];
  if (result.kind === 'refused') return REFUSED[result.reason];
  if (result.kind === 'failed') {
    if (result.reason === 'dns' && !result.retryable) return 'not-found';
    const reason = FAILED[result.reason];
    // The response had started, so it was truncated.
    return reason === 'connection-failed' && result.trail.response !== undefined ? 'truncated' : reason;
  }
  const { status, headers } = result.response;
  // Elsevier's API truncates files to the first page without a subscription, and says so only in a header.
  if (/limited to first page/i.test(headers['x-els-status'] ?? '')) return 'preview-only';
  return reasonOfStatus(status);
}

/** The reason for a status; undefined for success. */
export function reasonOfStatus(status: number): Reason | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 404 || status === 410) return 'not-found';
  if (status === 401 || status === 403 || status === 451) return 'forbidden';
  if (status === 429) return 'rate-limited';
  return (status >= 500 && status < 600) || status === 408 || status === 425 ? 'server-error' : 'bad-status';
}

/** The response in a result, if any. */
export function responseOf(result: HttpResult): HttpResponse | undefined {
  if (result.kind === 'response' || result.kind === 'stopped') return result.response;
  return result.trail.response;
}
