import * as z from 'zod';

import { eventStream } from '../../corpus/index.ts';
import { workLabel } from '../../library/index.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import { LINES_TYPE } from '../http/send.ts';
import type { Context } from './context.ts';
import { checkControl, turnsOf, words } from './context.ts';
import * as shapes from './shapes.ts';

/** What the page draws of the graph, and builds; the question `graph` answers the rest. */
export function graphRoutes(context: Context): Route[] {
  // Two concurrent builds would read the same papers.
  const turns = turnsOf(context.clock, { build: 1 });
  return [
    route({
      path: '/runs/{run}/graph/works',
      summary: 'The most cited works of the corpus.',
      query: { limit: z.int().min(1).max(1_000).default(500) },
      schema: shapes.drawnWorks,
      value: ({ run, query: { limit } }) => {
        using graph = run.corpus.graph.open();
        return { items: graph.works(limit).map((node) => ({ id: node.id, label: workLabel(node) })) };
      },
    }),
    route({
      path: '/runs/{run}/graph/picture',
      summary: 'The neighbourhood of a work or another node, with coordinates for drawing.',
      query: { node: words.min(1).describe('A node id, DOI, or words of a title.') },
      schema: shapes.picture,
      value: ({ run, query: { node } }) => {
        using graph = run.corpus.graph.open();
        return graph.neighbourhood(node);
      },
    }),
    route({
      path: '/runs/{run}/graph/build',
      summary:
        'Builds the graph or brings it up to date, streamed; a client that disconnects stops it, and the same request resumes.',
      body: z.strictObject({}),
      gives: { types: [LINES_TYPE], schema: shapes.graphLine },
      handle: ({ run, signal }) => {
        checkControl(context, 'build the graph');
        const lines = eventStream<z.output<typeof shapes.graphLine>>(async (tell, stop) => {
          using _turn = await turns.take('build', stop);
          for await (const event of run.corpus.graph.build({}, stop)) {
            if (event.kind === 'warning') tell(event);
            else if (event.kind === 'built') {
              const { scheduled, skipped, failed } = event.outcome;
              tell({ kind: 'built', documents: scheduled + skipped, failed });
            } else if (event.event.kind === 'progress') {
              const { done, total = null } = event.event.progress;
              tell({ kind: 'progress', done, total });
            }
          }
        }, signal);
        return { kind: 'lines', lines };
      },
    }),
  ];
}
