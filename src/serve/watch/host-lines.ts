import type { z } from 'zod';

import type { HostFigures } from '../../ask/index.ts';
import type { HostOverview } from '../../queue/index.ts';
import type { host } from '../api/shapes/operating.ts';
import { moment } from './queue-watch.ts';

/** A host as shown to operators. */
export type HostLine = Readonly<z.output<typeof host>>;

const MOST_HOSTS = 2_000;

/**
 * Merges what workers and operators report about each host with the host logs of runs; rate-limited and paused hosts
 * first.
 */
export function hostLines(
  overview: readonly HostOverview[],
  logs: readonly (readonly HostFigures[])[],
  now: number,
): readonly HostLine[] {
  const lines = new Map<string, HostLine>();
  for (const host of overview) lines.set(`${host.kind} ${host.name}`, lineOf(host));
  for (const figures of logs.flat()) {
    const key = `host ${figures.host}`;
    const known = lines.get(key) ?? { ...UNKNOWN, host: figures.host };
    // Reports of active workers take precedence; holds from a log count only without one.
    const isHeld = known.held_why === null && figures.heldUntil !== null && Date.parse(figures.heldUntil) > now;
    lines.set(key, {
      ...known,
      cap: known.cap ?? (figures.cap === 0 ? null : figures.cap),
      requests: known.requests + figures.requests,
      refused: known.refused + figures.refused,
      failed: known.failed + figures.failed,
      last_at: figures.lastAt > (known.last_at ?? '') ? figures.lastAt : known.last_at,
      ...(isHeld && { held_until: figures.heldUntil, held_why: figures.heldWhy }),
    });
  }
  const rank = ({ paused, held_why: why, slowed }: HostLine): number =>
    (paused ? 4 : 0) + (why === null ? 0 : 2) + (slowed ? 1 : 0);
  return [...lines.values()]
    .sort(
      (a, b) => rank(b) - rank(a) || b.in_flight - a.in_flight || b.requests - a.requests || (a.host < b.host ? -1 : 1),
    )
    .slice(0, MOST_HOSTS);
}

function lineOf(host: HostOverview): HostLine {
  const until = host.hold?.until ?? null;
  return {
    ...UNKNOWN,
    kind: host.kind,
    host: host.name,
    cap: host.cap,
    per_second: host.perSecond,
    slowed: host.slowed,
    in_flight: host.inFlight,
    waiting: host.waiting,
    next_at: moment(host.nextAt),
    held_until: until === null || !Number.isFinite(until) ? null : moment(until),
    held_why: host.hold?.reason ?? null,
    paused: host.hold?.reason === 'paused',
    budget_left: host.budgetLeft,
  };
}

const UNKNOWN: HostLine = {
  kind: 'host', host: '', cap: null, per_second: null, slowed: false, in_flight: 0, waiting: 0, next_at: null, held_until: null, held_why: null,
  paused: false, budget_left: null, requests: 0, refused: 0, failed: 0, last_at: null,
}; // prettier-ignore
