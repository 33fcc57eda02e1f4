import type { z } from 'zod';

import { isFailure, isRefusal } from '../../ask/index.ts';
import type { Route } from '../http/route.ts';
import type { Context } from './context.ts';
import { runRoute } from './context.ts';
import * as shapes from './shapes/course.ts';
import type { RunWatch } from '../watch/run-watch.ts';

type Lane = z.output<typeof shapes.lanes>['items'][number];
type Slice = Lane['slices'][number];

const MOST_HOSTS = 200;
/** Above this number, adjacent slices are merged; a screen is not wider. */
const MOST_SLICES = 600;

export function laneRoutes(context: Context): Route[] {
  return [
    runRoute(context, {
      path: '/hosts',
      summary: 'Each host of a run over time: requests, refusals, failures, and when it was rate-limited or suspended.',
      schema: shapes.lanes,
      value: lanesOf,
    }),
  ];
}

function lanesOf({ view }: RunWatch): z.output<typeof shapes.lanes> {
  const lanes = new Map<string, Lane>();
  const laneOf = (host: string): Lane => {
    const lane = lanes.get(host) ?? {
      host, requests: 0, bytes: 0, most: 0, cap: 0, refused: 0, failed: 0, waited_ms: 0, slices: [], holds: [],
    }; // prettier-ignore
    lanes.set(host, lane);
    return lane;
  };
  const add = (lane: Lane, slice: Slice, bytes: number): void => {
    lane.requests += slice[2];
    lane.refused += slice[3];
    lane.failed += slice[4];
    lane.bytes += bytes;
    lane.slices.push(slice);
    if (lane.slices.length > MOST_SLICES) lane.slices = joined(lane.slices);
  };
  const { timeScale, slices } = view.hostTimes();
  for (const row of slices) {
    const [lane, at] = [laneOf(row.host), Date.parse(row.at)];
    add(lane, [at, row.ms, row.sent, row.refused, row.failed], row.bytes);
    lane.most = Math.max(lane.most, row.most);
    lane.cap = Math.max(lane.cap, row.cap);
    lane.waited_ms += row.waited_ms;
    if (row.asked_until !== null) lane.holds.push([at, Date.parse(row.asked_until), 'asked']);
    if (row.held_until !== null) lane.holds.push([at, Date.parse(row.held_until), 'failing']);
  }
  const isLogged = lanes.size > 0;
  if (!isLogged)
    for (const { url, status, bytes, started_at: startedAt } of view.attempts()) {
      const outcome = String(status ?? 'none');
      const slice: Slice = [Date.parse(startedAt), 1_000, 1, Number(isRefusal(outcome)), Number(isFailure(outcome))];
      add(laneOf(URL.parse(url)?.host ?? ''), slice, bytes);
    }
  const sorted = [...lanes.values()].toSorted((a, b) => b.requests - a.requests || (a.host < b.host ? -1 : 1));
  return {
    from: isLogged ? 'log' : 'attempts',
    time_scale: timeScale,
    omitted: Math.max(0, sorted.length - MOST_HOSTS),
    items: sorted.slice(0, MOST_HOSTS),
  };
}

/** Merges adjacent slices in pairs. */
function joined(slices: readonly Slice[]): Slice[] {
  const sorted = slices.toSorted((a, b) => a[0] - b[0]);
  const pairs = sorted.filter((_, at) => at % 2 === 0).map((first, at) => [first, sorted[at * 2 + 1]] as const);
  return pairs.map(([a, b]) => (b ? [a[0], b[0] + b[1] - a[0], a[2] + b[2], a[3] + b[3], a[4] + b[4]] : a));
}
