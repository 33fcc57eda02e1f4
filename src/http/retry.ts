import type { Clock, Random } from '../base/index.ts';
import { backoffDelay, hostKey, wait } from '../base/index.ts';
import type { Admission } from '../hosts/index.ts';
import { tooLong } from '../hosts/index.ts';
import type { HttpRequest, HttpResult, ResponseHead, Wrap, Headers } from './send.ts';
import { refused, trailOf, whileWaiting } from './send.ts';

/** How often and how patiently a request is repeated. */
export interface RetryOptions {
  /** Attempts after the first; 3 by default. */
  readonly retries: number;
  /** The first delay, which doubles; 1 s by default. */
  readonly baseMs: number;
  /** Longest delay of our own; one minute by default. */
  readonly maxDelayMs: number;
  /** A longer wait is returned as `later`, so that the job can be parked; one minute by default. */
  readonly parkAfterMs: number;
  /** A host with a longer Retry-After is given up; a week by default. */
  readonly giveUpAfterMs: number;
}

export const DEFAULT_RETRY: RetryOptions = {
  retries: 3,
  baseMs: 1_000,
  maxDelayMs: 60_000,
  parkAfterMs: 60_000,
  giveUpAfterMs: 7 * 24 * 3_600_000,
};

const RETRYABLE = new Set([408, 425, 429, 500, 502, 503, 504]);

/** A body that a sink has begun to receive is not retried here: only its owner knows how to resume it. */
export function withRetry(
  options: RetryOptions & {
    readonly clock: Clock;
    readonly admission: Admission;
    readonly random?: Random | undefined;
  },
): Wrap {
  const { clock, admission } = options;

  return (next) => async (request, signal) => {
    const { retries = options.retries } = request;
    const pause = (ms: number): Promise<void> => whileWaiting(request.caller, () => wait(clock, ms, signal));
    for (let attempt = 1; ;) {
      const result = checked(request, await next(request, signal));
      const now = clock.now();
      if (result.kind === 'later') {
        // Nothing was sent, so this does not count as an attempt.
        if (result.reason === 'paused' || result.at - now > options.parkAfterMs) return result;
        const pauseMs = Math.max(1, result.at - now);
        // Waiting for a failing host counts against the work's time budget; waiting for a busy one does not.
        if (result.reason === 'host-held' && !canSpend(request, pauseMs)) return result;
        await pause(pauseMs);
        continue;
      }
      const response = result.kind === 'response' ? result.response : undefined;
      const namedAt = response && retryTime(response, now);
      if (!isWorthRetrying(result, request, namedAt)) return result;
      const { baseMs, maxDelayMs: capMs, random } = options;
      const backoffMs = backoffDelay(attempt, { baseMs, capMs, random });
      const heldAt = Math.max(namedAt ?? 0, admission.held([hostKey(request.url)])?.at ?? 0);
      if (heldAt - now > options.giveUpAfterMs)
        return refused(request, 'retry-after-too-long', tooLong(hostKey(request.url), heldAt), response);
      const limited = response?.status === 429 || namedAt !== undefined;
      if (limited && (heldAt - now > options.parkAfterMs || attempt > retries)) {
        const at = heldAt > now ? heldAt : now + backoffMs;
        return { kind: 'later', at, reason: 'rate-limited', trail: trailOf(request, response) };
      }
      if (attempt > retries) return result;
      attempt += 1;
      const pauseMs = Math.max(namedAt === undefined ? backoffMs : 0, heldAt - now);
      if (!limited && !canSpend(request, pauseMs)) return result;
      await pause(pauseMs);
    }
  };
}

/** A response with a fault is a failure. */
function checked(request: HttpRequest, result: HttpResult): HttpResult {
  const message = result.kind === 'response' ? request.fault?.(result.response) : undefined;
  if (result.kind !== 'response' || message === undefined) return result;
  return { kind: 'failed', reason: 'bad-answer', message, retryable: true, trail: trailOf(request, result.response) };
}

function canSpend({ budget }: HttpRequest, ms: number): boolean {
  if (budget && ms >= budget.leftMs) return false;
  budget?.spend(ms);
  return true;
}

function isWorthRetrying(result: HttpResult, request: HttpRequest, namedAt: number | undefined): boolean {
  const { method = 'GET' } = request;
  if (method === 'POST' && request.repeatable !== true) return false;
  if (result.kind === 'response') {
    const { status } = result.response;
    // Archives answer 202 and name a time while they fetch a file.
    return RETRYABLE.has(status) || ((status === 202 || status === 403) && namedAt !== undefined);
  }
  if (result.kind !== 'failed' || !result.retryable) return false;
  return request.sink === undefined || result.trail.response === undefined;
}

/** When Retry-After ends (RFC 9110 §10.2.3). A date is measured against the server's own Date header. */
export function parseRetryAfter(headers: Headers, now: number): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return undefined;
  // Nine digits are thirty years; more is a mistake.
  if (/^\d{1,9}$/.test(value)) return now + Number(value) * 1000;
  const at = parseHttpDate(value, now);
  if (at === undefined) return undefined;
  const serverNow = parseHttpDate(headers['date'] ?? '', now) ?? now;
  return now + Math.max(0, at - serverNow);
}

/** By Retry-After, or when its limit resets. GitHub and others ask with a 403 that names a time. */
export function retryTime({ status, headers }: ResponseHead, now: number): number | undefined {
  const named = parseRetryAfter(headers, now);
  if (named !== undefined || (status !== 429 && status !== 403)) return named;
  // Services send the reset of a daily budget with every response: it counts only if nothing is left.
  const left = limitField(headers, 'remaining') ?? (status === 429 ? 0 : undefined);
  return Number(left) === 0 ? parseReset(headers, now) : undefined;
}

/** A field of `X-RateLimit-…`, of `RateLimit-…`, or of a later draft, `RateLimit: "default";r=0;t=30`. */
function limitField(headers: Headers, name: 'remaining' | 'reset'): string | undefined {
  const [, short] = (name === 'reset' ? /;\s*t=(\d+)/ : /;\s*r=(\d+)/).exec(headers['ratelimit'] ?? '') ?? [];
  return headers[`x-ratelimit-${name}`] ?? headers[`x-rate-limit-${name}`] ?? headers[`ratelimit-${name}`] ?? short;
}

/** A reset is a number of seconds, or an epoch in seconds or milliseconds; undefined if it is over or invalid. */
function parseReset(headers: Headers, now: number): number | undefined {
  const value = limitField(headers, 'reset')?.trim() ?? '';
  if (!/^\d{1,13}(?:\.\d{1,9})?$/.test(value)) return undefined;
  const seconds = Number(value) < 1e12 ? Number(value) : Number(value) / 1000;
  const serverNow = parseHttpDate(headers['date'] ?? '', now) ?? now;
  const leftMs = seconds < 1e9 ? seconds * 1000 : seconds * 1000 - serverNow;
  return leftMs > 0 ? now + leftMs : undefined;
}

const IMF = /^[A-Za-z]{3}, \d{2} [A-Za-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC850 = /^[A-Za-z]{6,9}, (\d{2}-[A-Za-z]{3}-)(\d{2})( \d{2}:\d{2}:\d{2} GMT)$/;
const ASCTIME = /^[A-Za-z]{3} [A-Za-z]{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** An HTTP date in any of its three forms (RFC 9110 §5.6.7), as epoch milliseconds. */
export function parseHttpDate(text: string, now: number): number | undefined {
  const trimmed = text.trim();
  const [, day = '', year, time = ''] = RFC850.exec(trimmed) ?? [];
  let full = '';
  if (IMF.test(trimmed)) full = trimmed;
  else if (ASCTIME.test(trimmed)) full = `${trimmed} GMT`;
  else if (year !== undefined) {
    // A two-digit year more than fifty years ahead is in the past (RFC 9110).
    const thisYear = new Date(now).getUTCFullYear();
    const inCentury = thisYear - (thisYear % 100) + Number(year);
    full = `${day}${inCentury > thisYear + 50 ? inCentury - 100 : inCentury}${time}`;
  }
  const at = Date.parse(full);
  return Number.isNaN(at) ? undefined : at;
}
