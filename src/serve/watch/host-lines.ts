import type { HostFigures } from '../../corpus/index.ts';
import type { QueueStats } from '../../queue/index.ts';
import { moment } from './queue-watch.ts';

/** A host as operators see it. */
export interface HostLine {
  readonly host: string;
  readonly cap: number | null;
  readonly per_second: number | null;
  readonly in_flight: number | null;
  readonly waiting: number | null;
  readonly held_until: string | null;
  readonly held_why: 'rate-limited' | 'host-held' | 'paused' | null;
  readonly paused: boolean;
  readonly paused_since: string | null;
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
  readonly last_at: string | null;
}

const MOST_HOSTS = 2_000;

/** What the host logs of runs, the workers of the queue and its operators say of each host; held and paused ones first. */
export function hostLines(
  logs: readonly (readonly HostFigures[])[],
  stats: QueueStats | undefined,
  now: number,
): readonly HostLine[] {
  const lines = new Map<string, HostLine>();
  const change = (host: string, more: Partial<HostLine>): void => {
    lines.set(host, { ...(lines.get(host) ?? { ...UNKNOWN, host }), ...more });
  };
  for (const log of logs)
    for (const figures of log) {
      const known = lines.get(figures.host) ?? UNKNOWN;
      const isHeld = figures.heldUntil !== null && Date.parse(figures.heldUntil) > now;
      change(figures.host, {
        cap: figures.cap === 0 ? known.cap : figures.cap,
        requests: known.requests + figures.requests,
        refused: known.refused + figures.refused,
        failed: known.failed + figures.failed,
        last_at: figures.lastAt > (known.last_at ?? '') ? figures.lastAt : known.last_at,
        ...(isHeld && { held_until: figures.heldUntil, held_why: figures.heldWhy }),
      });
    }
  for (const { throttled } of stats?.workers ?? [])
    for (const { host, cap, heldUntil } of throttled)
      change(host, {
        cap,
        ...(heldUntil !== null &&
          heldUntil > now && { held_until: moment(heldUntil), held_why: 'rate-limited' as const }),
      });
  for (const { scope, name, since } of stats?.pauses ?? [])
    if (scope === 'host') change(name, { paused: true, paused_since: moment(since), held_why: 'paused' });
  return [...lines.values()]
    .sort(
      (a, b) =>
        Number(b.paused) - Number(a.paused) ||
        Number(b.held_until !== null) - Number(a.held_until !== null) ||
        b.requests - a.requests ||
        (a.host < b.host ? -1 : 1),
    )
    .slice(0, MOST_HOSTS);
}

const UNKNOWN: HostLine = {
  host: '', cap: null, per_second: null, in_flight: null, waiting: null, held_until: null, held_why: null, paused: false, paused_since: null,
  requests: 0, refused: 0, failed: 0, last_at: null,
}; // prettier-ignore
