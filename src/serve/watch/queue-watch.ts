import type * as z from 'zod';

import type { HostFigures } from '../../library/index.ts';
import type { Clock } from '../../base/index.ts';
import { REASONS } from '../../download/index.ts';
import type { HostOverview, HostSources, JobState, QueueStats, WorkQueue } from '../../queue/index.ts';
import { hostOverview, queueJson } from '../../queue/index.ts';
import type { host, queue } from '../api/shapes.ts';
import { Series } from './series.ts';

type QueueFigures = z.output<typeof queue>;

/** Host data from outside the queue; shared fleet data is read on request. */
export interface HostKnowledge extends Pick<HostSources, 'rulesOf'> {
  readonly shared: () => Promise<HostSources['shared']>;
}

export interface QueueWatch {
  readonly queue: WorkQueue;
  readonly series: Series<'done' | 'ended' | 'error' | 'in_progress' | 'queued' | 'skipped'>;
  readonly stats: QueueStats | undefined;
  readonly figures: QueueFigures | undefined;
  look(): Promise<QueueFigures>;
  hosts(): Promise<readonly HostOverview[]>;
}

export function watchQueue(queue: WorkQueue, clock: Clock, known: HostKnowledge = NOTHING): QueueWatch {
  const series = new Series<JobState | 'ended'>();
  let seen: { readonly stats: QueueStats; readonly figures: QueueFigures } | undefined;
  return {
    queue,
    series,
    get stats(): QueueStats | undefined {
      return seen?.stats;
    },
    get figures(): QueueFigures | undefined {
      return seen?.figures;
    },
    async look(): Promise<QueueFigures> {
      const now = clock.now();
      const stats = await queue.store.admin.stats(now);
      const { done, skipped, error } = stats.states;
      series.add({ ...stats.states, ended: done + skipped + error, at: now });
      seen = { stats, figures: figuresOf(stats, series.perMinute('ended')) };
      return seen.figures;
    },
    async hosts(): Promise<readonly HostOverview[]> {
      if (!seen) return [];
      // Counting jobs by host would scan every job.
      return hostOverview(seen.stats, { jobs: [], shared: await known.shared(), rulesOf: known.rulesOf });
    },
  };
}

function figuresOf(stats: QueueStats, perMinute: number | null): QueueFigures {
  const perSecond = perMinute === null || perMinute === 0 ? null : perMinute / 60;
  const order = ['error', 'skipped', 'queued'];
  return {
    ...queueJson(stats, perSecond),
    by_error_code: stats.byErrorCode
      .filter(({ state }) => order.includes(state))
      .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || b.jobs - a.jobs)
      .map((each) => ({ ...each, retryable: isRetryable(each.code) })),
  };
}

/** Reasons of other handlers are unknown here and may be transient. */
function isRetryable(code: string): boolean {
  const reasons: Readonly<Record<string, { readonly later: boolean }>> = REASONS;
  return reasons[code.toLowerCase().replaceAll('_', '-')]?.later ?? true;
}

const NOTHING: HostKnowledge = {
  shared: () => Promise.resolve([]),
  rulesOf: () => ({ cap: null, perSecond: null }),
};

export type HostLine = Readonly<z.output<typeof host>>;

const MOST_HOSTS = 2_000;

/** Merges reports of workers and operators with the host logs of runs; held and paused hosts come first. */
export function hostLines(
  overview: readonly HostOverview[],
  logs: readonly (readonly HostFigures[])[],
  now: number,
): readonly HostLine[] {
  const lines = new Map<string, HostLine>();
  for (const { name, line } of overview)
    lines.set(`${line.kind} ${name}`, { ...UNKNOWN, host: name, ...line, paused: line.held_why === 'paused' });
  for (const figures of logs.flat()) {
    const key = `host ${figures.host}`;
    const known = lines.get(key) ?? { ...UNKNOWN, host: figures.host };
    // Reports of active workers take precedence; holds from a log count only without one.
    const isHeld = known.held_why === null && figures.held_until !== null && Date.parse(figures.held_until) > now;
    lines.set(key, {
      ...known,
      cap: known.cap ?? (figures.cap === 0 ? null : figures.cap),
      requests: known.requests + figures.requests,
      refused: known.refused + figures.refused,
      failed: known.failed + figures.failed,
      last_at: figures.last_at > (known.last_at ?? '') ? figures.last_at : known.last_at,
      ...(isHeld && { held_until: figures.held_until, held_why: figures.held_why }),
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

const UNKNOWN: HostLine = {
  kind: 'host',
  host: '',
  cap: null,
  per_second: null,
  slowed: false,
  in_flight: 0,
  waiting: 0,
  next_at: null,
  held_until: null,
  held_why: null,
  paused: false,
  budget_left: null,
  requests: 0,
  refused: 0,
  failed: 0,
  last_at: null,
};
