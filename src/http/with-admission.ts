import type { Clock } from '../base/index.ts';
import { hostKey } from '../base/index.ts';
import type { Admission, Observation } from '../hosts/index.ts';
import type { HttpEvent } from './event.ts';
import { parseRetryAfter } from './retry-after.ts';
import type { HttpResult, ResponseHead, Wrap } from './send.ts';
import { trailOf } from './send.ts';

const SERVER_FAULTS = new Set([500, 502, 503, 504]);

/**
 * Lets a request go on the wire when its host and service allow it, and tells them what came of it. The slot is held for
 * the request only, from its first byte out to its last byte in.
 */
export function withAdmission(options: {
  readonly admission: Admission;
  readonly clock: Clock;
  /** A wait that a host asked for and that is longer than this returns `later` instead. */
  readonly parkAfterMs: number;
  /** The same for a wait that is of our own making: the line of those who want the same. */
  readonly longestLineMs: number;
  readonly report?: ((event: HttpEvent) => void) | undefined;
}): Wrap {
  const { admission, clock, report } = options;

  return (next) => async (request, signal) => {
    const host = hostKey(request.url);
    const { pool, resolver, robots, caller } = request;
    const keys = admission.table.keysOf(host, { pool, resolver, obeysRobots: robots !== 'terms' });
    caller?.asks(host);
    const askedAt = clock.monotonic();
    const turn = await admission.acquire(keys, {
      patienceMs: options.parkAfterMs,
      longestLineMs: options.longestLineMs,
      whileWaiting: caller?.whileWaiting,
      signal,
    });
    if (turn.kind === 'later') return { ...turn, trail: trailOf(request) };
    if (turn.kind === 'never') {
      return { kind: 'refused', reason: 'retry-after-too-long', message: turn.message, trail: trailOf(request) };
    }
    using slot = turn.slot;
    const sentAt = clock.monotonic();
    let outcome = 'aborted';
    let wireBytes = 0;
    let fault: boolean | null = null;
    let failure: string | null | undefined;
    let answered = false;
    report?.({
      kind: 'request-sent',
      host,
      waitedMs: sentAt - askedAt,
      waited: turn.waited,
      cap: admission.table.rulesOf(host).cap,
    });
    try {
      const onHead = (head: ResponseHead): void => {
        answered = true;
        const seen = observationOf(head, clock.now());
        admission.observe(keys, seen);
        const until = head.status === 429 || head.status === 503 ? admission.held([host])?.at : undefined;
        if (until !== undefined) report?.({ kind: 'wait-asked', host, until, said: seen.retryAt !== undefined });
      };
      const result = await next({ ...request, onHead, onSent: () => slot.sent() }, signal);
      outcome = 'response' in result ? String(result.response.status) : result.reason;
      wireBytes = 'response' in result ? result.response.wireBytes : (result.trail.response?.wireBytes ?? 0);
      fault = faultOf(result);
      failure = failureOf(result, outcome);
      return result;
    } finally {
      admission.observe(keys, { kind: 'end', answered, fault, ...(failure !== undefined && { failure }) });
      report?.({ kind: 'request-done', host, outcome, wireBytes, ms: clock.monotonic() - sentAt });
    }
  };
}

/** What the headers say about our speed, read before anybody else is let through. */
function observationOf({ status, headers }: ResponseHead, now: number): Extract<Observation, { kind: 'answer' }> {
  // Crossref says how fast and how many at once it will bear; OpenAlex what is left of the day's budget.
  const limit = Number(headers['x-rate-limit-limit']);
  const seconds = Number(/^(\d{1,6})s$/.exec(headers['x-rate-limit-interval'] ?? '')?.[1]);
  const cap = Number(headers['x-concurrency-limit']);
  const left = Number.parseFloat(headers['x-ratelimit-remaining-usd'] ?? '');
  return {
    kind: 'answer',
    status,
    retryAt: status === 429 || status === 503 ? parseRetryAfter(headers, now) : undefined,
    ...(limit > 0 &&
      seconds > 0 && { limits: { perSecond: limit / seconds, ...(cap >= 1 && { cap: Math.floor(cap) }) } }),
    ...(Number.isFinite(left) && { budgetLeft: left }),
  };
}

/** What a request that brought nothing is counted under: its status, or why there is none. */
function failureOf(result: HttpResult, outcome: string): string | null {
  if (result.kind === 'stopped') return null;
  return result.kind === 'response' && result.response.status < 400 ? null : outcome;
}

/** Whether the host failed; null where the request says nothing about it. */
function faultOf(result: HttpResult): boolean | null {
  if (result.kind === 'failed') return true;
  if (result.kind === 'stopped') return false;
  if (result.kind !== 'response') return null;
  const { status, headers } = result.response;
  // A 429, and a 503 that names a time, come from a server that manages its load, not from one that fails.
  if (status === 429 || (status === 503 && headers['retry-after'] !== undefined)) return null;
  return SERVER_FAULTS.has(status);
}
