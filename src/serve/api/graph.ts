import { z } from 'zod';

import { workLabel } from '../../ask/index.ts';
import { Problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import type { RunWatch } from '../watch/run-watch.ts';
import type { Context } from './context.ts';
import { runRoute } from './context.ts';
import { words } from './parameters.ts';
import * as shapes from './shapes/corpus.ts';

/** What the page draws of the graph; the question `graph` answers the rest. */
export function graphRoutes(context: Context): Route[] {
  const graphOf = ({ graph }: RunWatch): RunWatch['graph'] => {
    if (graph.isThere) return graph;
    throw new Problem(404, 'NO_GRAPH', 'this run has no graph yet', { hint: 'build one with docstokg graph build' });
  };
  return [
    runRoute(context, {
      path: '/graph/works',
      summary: 'The most cited works of the corpus.',
      querySchema: z.strictObject({ limit: z.int().min(1).max(1_000).default(500) }),
      schema: shapes.drawnWorks,
      value: (run, { query: { limit } }) =>
        graphOf(run).use((graph) => {
          const works = graph.works().slice(0, limit);
          return { items: works.map(({ node }) => ({ id: node.id, label: workLabel(node) })) };
        }),
    }),
    runRoute(context, {
      path: '/graph/picture',
      summary: 'The neighbourhood of a work, with coordinates for drawing.',
      querySchema: z.strictObject({ node: words.min(1).describe('A node id, DOI, or words of a title.') }),
      schema: shapes.picture,
      value: (run, { query: { node } }) => graphOf(run).use((graph) => graph.neighbourhood(node)),
    }),
  ];
}
