import * as z from 'zod';

import {
  attemptsAtHosts,
  hostSlices,
  isFailure,
  isRefusal,
  outcomesOf,
  sentenceOf,
  sourcesOf,
  stageTimes,
} from '../../library/index.ts';
import { Problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import { runNamed } from '../http/router.ts';
import type { RunWatch } from '../watch/run-watch.ts';
import type { Context } from './context.ts';
import * as shapes from './shapes.ts';

const EVENTS = 50;
const MOST_STREAMS = 2_000;
type Lane = z.output<typeof shapes.lanes>['items'][number];
type Slice = Lane['slices'][number];

const MOST_HOSTS = 200;
/** Above this number, adjacent slices are merged; a screen is not wider. */
const MOST_SLICES = 600;

export function runRoutes(context: Context): Route[] {
  const { monitor, clock } = context;
  return [
    route({
      path: '/',
      summary: 'The runs served, and whether there is a queue.',
      schema: shapes.about,
      value: () => ({
        name: 'docstokg',
        version: context.version,
        now: new Date(clock.now()).toISOString(),
        control: context.control.isAllowed,
        queue: monitor.queue !== undefined,
        mcp: context.hasMcp,
        worker_command: context.workerCommand,
        runs: [...monitor.runs.values()].map((run) => run.line()),
      }),
    }),
    route({ path: '/runs/{run}', summary: 'One run.', schema: shapes.run, value: ({ run }) => run.line() }),
    route({
      path: '/runs/{run}/now',
      summary:
        'Progress of a run: works, downloaded, parsed, chunked, embedded, with rates, time left and the latest events.',
      schema: shapes.now,
      value: ({ run }) => ({ ...run.figures(), run: run.line(), events: monitor.lastEvents(EVENTS, run.id) }),
    }),
    route({
      path: '/runs/{run}/history',
      summary: 'Works, full texts and documents through each stage over the whole time of a run, from its logs.',
      schema: shapes.history,
      value: ({ run }) => ({
        points: run.view.progress().map(({ at, ...counts }) => ({ at: new Date(at).toISOString(), ...counts })),
      }),
    }),
    route({
      path: '/runs/{run}/account',
      summary: 'The query, its results as a PRISMA flow, and what is missing and why.',
      schema: shapes.account,
      value: ({ run }) => accountOf(run),
    }),
    route({
      path: '/runs/{run}/sources',
      summary: 'Where full texts came from: by resolver and kind, with failed attempts and hosts that did not deliver.',
      schema: shapes.sources,
      value: ({ run }) => sourcesOf(run.view.store),
    }),
    route({
      path: '/runs/{run}/stages',
      summary: 'How long each stage took per document, the slowest documents, and failures by category.',
      schema: shapes.stages,
      value: ({ run }) => ({ items: stageTimes(run.view.store) }),
    }),
    route({
      path: '/runs/{run}/hosts',
      summary: 'Each host of a run over time: requests, refusals, failures, and when it was rate-limited or suspended.',
      schema: shapes.lanes,
      value: ({ run }) => lanesOf(run),
    }),
    route({
      path: '/events',
      summary:
        'Changes as server-sent events: now, changed, queue, hosts, event. Send Last-Event-ID to resume a stream.',
      query: { run: z.string().max(200).optional().describe('Only events of this run.') },
      gives: { types: ['text/event-stream'] },
      handle: ({ query, request, signal }) => {
        const run = query.run === undefined ? null : runNamed(query.run, monitor.runs).id;
        if (monitor.streams >= MOST_STREAMS)
          throw new Problem(429, 'TOO_MANY_WATCHERS', 'too many event streams', { headers: { 'retry-after': '30' } });
        const lastId = request.headersDistinct['last-event-id']?.[0];
        return { kind: 'events', events: monitor.stream(run, lastId, signal) };
      },
    }),
  ];
}

function accountOf(run: RunWatch): object {
  const account = run.view.account();
  // What a run downloaded is part of `run`; here is no run to compare with.
  const { downloaded_this_run: _now, downloaded_earlier: _earlier, ...known } = account;
  const { prisma, by_resolver, by_reason, listed_by_file, repeated_by_file, unreadable_by_file, ...counts } = known;
  const { mailto: _mailto, ...asked } = run.file?.asked ?? {};
  return {
    asked: run.file ? asked : null,
    counts,
    prisma,
    outcomes: outcomesOf(account),
    by_resolver,
    listed_by_file,
    repeated_by_file,
    unreadable_by_file,
    reasons: Object.entries(by_reason).map(([value, works]) => ({ value, works, sentence: sentenceOf(value) })),
    licences: run.view.works.facets({ outcome: 'saved,local' }).licence,
    stages: run.figures().stages,
    run: run.file?.account ?? null,
  };
}

function lanesOf({ view }: RunWatch): z.output<typeof shapes.lanes> {
  const lanes = new Map<string, Lane>();
  const laneOf = (host: string): Lane => {
    const lane = lanes.get(host) ?? {
      host,
      requests: 0,
      bytes: 0,
      most: 0,
      cap: 0,
      refused: 0,
      failed: 0,
      waited_ms: 0,
      slices: [],
      holds: [],
    };
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
  for (const row of hostSlices(view.store)) {
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
    for (const { url, status, bytes, started_at: startedAt } of attemptsAtHosts(view.store)) {
      const outcome = String(status ?? 'none');
      const slice: Slice = [Date.parse(startedAt), 1_000, 1, Number(isRefusal(outcome)), Number(isFailure(outcome))];
      add(laneOf(URL.parse(url)?.host ?? ''), slice, bytes);
    }
  const sorted = [...lanes.values()].toSorted((a, b) => b.requests - a.requests || (a.host < b.host ? -1 : 1));
  return {
    from: isLogged ? 'log' : 'attempts',
    omitted: Math.max(0, sorted.length - MOST_HOSTS),
    items: sorted.slice(0, MOST_HOSTS),
  };
}

function joined(slices: readonly Slice[]): Slice[] {
  const sorted = slices.toSorted((a, b) => a[0] - b[0]);
  const pairs = sorted.filter((_, at) => at % 2 === 0).map((first, at) => [first, sorted[at * 2 + 1]] as const);
  return pairs.map(([a, b]) => (b ? [a[0], b[0] + b[1] - a[0], a[2] + b[2], a[3] + b[3], a[4] + b[4]] : a));
}
