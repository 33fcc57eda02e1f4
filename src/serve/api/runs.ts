import { z } from 'zod';

import { outcomesOf, sentenceOf } from '../../ask/index.ts';
import type { Route } from '../http/route.ts';
import { jsonRoute, route } from '../http/route.ts';
import type { RunWatch } from '../watch/run-watch.ts';
import type { Context } from './context.ts';
import { runOf, runRoute } from './context.ts';
import * as corpus from './shapes/corpus.ts';
import * as course from './shapes/course.ts';
import * as shapes from './shapes/operating.ts';

const EVENTS = 50;

/** Routes for runs, their progress and results, and the event stream. */
export function runRoutes(context: Context): Route[] {
  const { world, clock } = context;
  return [
    jsonRoute({
      path: '/',
      summary: 'The runs served, and whether there is a queue.',
      schema: shapes.about,
      value: () => ({
        name: 'docstokg',
        version: context.version,
        now: new Date(clock.now()).toISOString(),
        steering: context.steering.isAllowed,
        queue: world.queue !== undefined,
        mcp: context.hasMcp,
        runs: [...world.runs.values()].map((run) => run.line()),
      }),
    }),
    runRoute(context, { path: '', summary: 'One run.', schema: shapes.run, value: (run) => run.line() }),
    runRoute(context, {
      path: '/now',
      summary:
        'Progress of a run: works, downloaded, parsed, chunked, embedded, with rates, time left and the latest events.',
      schema: shapes.now,
      value: (run) => {
        const history = run.series.points.map(({ at, ...counts }) => ({ at: new Date(at).toISOString(), ...counts }));
        return { ...run.figures(), run: run.line(), history, events: world.events.last(EVENTS, run.id) };
      },
    }),
    runRoute(context, {
      path: '/account',
      summary: 'The query, its results as a PRISMA flow, and what is missing and why.',
      schema: corpus.account,
      value: accountOf,
    }),
    runRoute(context, {
      path: '/sources',
      summary: 'Where full texts came from: by resolver and kind, with failed attempts and hosts that did not deliver.',
      schema: course.sources,
      value: ({ view }) => view.sources(),
    }),
    runRoute(context, {
      path: '/stages',
      summary: 'How long each stage took per document, the slowest documents, and failures by category.',
      schema: course.stages,
      value: ({ view }) => ({ items: view.stages() }),
    }),
    route({
      path: '/events',
      summary: 'Changes as server-sent events: now, queue, hosts, event. Send Last-Event-ID to resume a stream.',
      querySchema: z.strictObject({ run: z.string().max(200).optional().describe('Only events of this run.') }),
      gives: { kind: 'bytes', types: ['text/event-stream'] },
      handle: ({ query, request }) => {
        const run = query.run === undefined ? null : runOf(context, query.run).id;
        const lastId = request.headers['last-event-id'];
        return { kind: 'watch', run, lastId: typeof lastId === 'string' ? lastId.slice(0, 100) : null };
      },
    }),
  ];
}

function accountOf(run: RunWatch): object {
  const account = run.view.account();
  const { prisma, by_resolver, by_reason, listed_by_file, unreadable_by_file, ...counts } = account;
  const { mailto: _mailto, ...asked } = run.file?.asked ?? {};
  return {
    asked: run.file ? asked : null,
    counts,
    prisma,
    outcomes: outcomesOf(account),
    by_resolver,
    listed_by_file,
    unreadable_by_file,
    reasons: Object.entries(by_reason).map(([value, works]) => ({ value, works, sentence: sentenceOf(value) })),
    licences: run.view.works.facets({ outcome: 'saved,own' }).licence,
    stages: run.figures().stages,
    run: run.file?.account ?? null,
  };
}
