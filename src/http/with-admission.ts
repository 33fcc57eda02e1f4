import type { Clock } from '../base/index.ts';
import { hostKey } from '../base/index.ts';
import type { Admission, HostEvent, Observation, Waited } from '../hosts/index.ts';
import { retryTime } from './retry.ts';
import type { HttpResult, ResponseHead, Wrap } from './send.ts';
import { refused, trailOf } from './send.ts';

const SERVER_FAULTS = new Set([500, 502, 503, 504]);

/** Sends when host and service allow it; the slot is held until the last byte is received. */
export function withAdmission(options: {
  readonly admission: Admission;
  readonly clock: Clock;
  /** A longer wait asked for by a host is returned as `later`. */
  readonly parkAfterMs: number;
  /** A longer wait in line behind our own requests is also returned as `later`. */
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
    if (turn.kind === 'never') return refused(request, 'retry-after-too-long', turn.message);
    using slot = turn.slot;
    const sentAt = clock.monotonic();
    let result: HttpResult | undefined;
    let answered = false;
    report?.({
      kind: 'request-sent',
      host,
      waitedMs: sentAt - askedAt,
      waited: turn.waited,
      cap: admission.capOf(host),
    });
    try {
      const onHead = (head: ResponseHead): void => {
        answered = true;
        const seen = observationOf(head, clock.now());
        admission.observe(keys, seen);
        const isAsked = head.status === 429 || seen.retryAt !== undefined;
        const until = isAsked ? admission.held([host])?.at : undefined;
        if (until !== undefined) report?.({ kind: 'wait-asked', host, until, said: seen.retryAt !== undefined });
      };
      result = await next({ ...request, onHead, onSent: () => slot.sent() }, signal);
      return result;
    } finally {
      const response = result && ('response' in result ? result.response : result.trail.response);
      const outcome = !result ? 'aborted' : 'response' in result ? String(result.response.status) : result.reason;
      const seen = result ? { fault: faultOf(result), failure: failureOf(result, outcome) } : { fault: null };
      admission.observe(keys, { kind: 'end', answered, ...seen });
      const { wireBytes = 0 } = response ?? {};
      report?.({ kind: 'request-done', host, outcome, wireBytes, ms: clock.monotonic() - sentAt });
    }
  };
}

function observationOf(head: ResponseHead, now: number): Extract<Observation, { kind: 'answer' }> {
  const { status, headers } = head;
  // Crossref sends its rate and concurrency limits, OpenAlex what is left of the daily budget.
  const limit = Number(headers['x-rate-limit-limit']);
  const seconds = Number(/^(\d{1,6})s$/.exec(headers['x-rate-limit-interval'] ?? '')?.[1]);
  const cap = Number(headers['x-concurrency-limit']);
  const left = Number.parseFloat(headers['x-ratelimit-remaining-usd'] ?? '');
  return {
    kind: 'answer',
    status,
    retryAt: status === 429 || status === 503 || status === 403 ? retryTime(head, now) : undefined,
    ...(limit > 0 &&
      seconds > 0 && { limits: { perSecond: limit / seconds, ...(cap >= 1 && { cap: Math.floor(cap) }) } }),
    ...(Number.isFinite(left) && { budgetLeft: left }),
  };
}

/** What a failed request is counted under: its status, or the reason it has none. */
function failureOf(result: HttpResult, outcome: string): string | null {
  if (result.kind === 'stopped') return null;
  return result.kind === 'response' && result.response.status < 400 ? null : outcome;
}

/** Whether the host failed; null if the result says nothing about the host. */
function faultOf(result: HttpResult): boolean | null {
  if (result.kind === 'failed') return true;
  if (result.kind === 'stopped') return false;
  if (result.kind !== 'response') return null;
  const { status, headers } = result.response;
  // A 429, and a 503 with Retry-After, come from a server that manages its load, not from a failing one.
  if (status === 429 || (status === 503 && headers['retry-after'] !== undefined)) return null;
  return SERVER_FAULTS.has(status);
}

export type HttpEvent =
  /** At most `cap` are in flight at that host. */
  | {
      readonly kind: 'request-sent';
      readonly host: string;
      readonly waitedMs: number;
      readonly waited: Waited | null;
      readonly cap: number;
    }
  /** `outcome` is a status, or the reason there is none. */
  | {
      readonly kind: 'request-done';
      readonly host: string;
      readonly outcome: string;
      readonly wireBytes: number;
      readonly ms: number;
    }
  /** After a 429 or 503, until the time it `said` or our own. */
  | { readonly kind: 'wait-asked'; readonly host: string; readonly until: number; readonly said: boolean }
  | HostEvent;
