import { z } from 'zod';

import type { Graph } from '../../ask/index.ts';
import { workLabel } from '../../ask/index.ts';
import type { EdgeKind } from '../../graph/index.ts';
import { EDGE_KINDS } from '../../graph/index.ts';
import { Problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import type { Context } from './context.ts';
import { runRoute } from './context.ts';
import type { noQuery, runPath } from './parameters.ts';
import { wholeNumber, words } from './parameters.ts';
import * as shapes from './shapes/corpus.ts';

const name = words.min(1).describe('A node id, DOI, OpenAlex id, or words of a title.');
const limit = wholeNumber(1, 1_000).optional();

/** Routes for the knowledge graph. */
export function graphRoutes(context: Context): Route[] {
  const graphRoute = <Q extends z.ZodObject = typeof noQuery>(
    path: string,
    summary: string,
    schema: z.ZodType,
    value: (graph: Graph, query: z.output<Q>) => unknown,
    querySchema?: Q,
  ): Route =>
    runRoute<typeof runPath, Q>(context, {
      path: `/graph${path}`,
      summary,
      ...(querySchema && { querySchema }),
      schema,
      value: ({ graph }, { query }) => {
        if (!graph.isThere)
          throw new Problem(404, 'NO_GRAPH', 'this run has no graph yet', {
            hint: 'build one with docstokg graph build',
          });
        return graph.use((opened) => value(opened, query));
      },
    });
  return [
    graphRoute('', 'Number of nodes and edges by kind, and works by year.', shapes.graph, (graph) => ({
      ...graph.stats(),
      timeline: graph.timeline(),
    })),
    graphRoute(
      '/neighbours',
      'The edges of a node, the nodes at their other ends, and the first evidence of each.',
      shapes.neighbours,
      (graph, { node, kinds, limit: most = 200 }) => ({
        node: graph.find(node),
        neighbours: graph.neighbours(node, { kinds: kindsOf(kinds), limit: most }),
      }),
      z.strictObject({
        node: name,
        kinds: words.optional().describe(`Edge kinds, comma-separated: ${Object.keys(EDGE_KINDS).join(', ')}.`),
        limit: limit.describe('Maximum number; default 200.'),
      }),
    ),
    graphRoute(
      '/works',
      'The most cited works of the corpus, with coordinates for drawing.',
      shapes.drawnWorks,
      (graph, { limit: most = 500 }) => {
        const works = graph.works().slice(0, most);
        return { items: works.map(({ node }) => ({ id: node.id, label: workLabel(node) })) };
      },
      z.strictObject({ limit: limit.describe('Maximum number; default 500.') }),
    ),
    graphRoute(
      '/picture',
      'The neighbourhood of a work, with coordinates for drawing.',
      shapes.picture,
      (graph, { node }) => graph.neighbourhood(node),
      z.strictObject({ node: name }),
    ),
  ];
}

function kindsOf(text: string | undefined): EdgeKind[] | undefined {
  if (text === undefined || text === '') return undefined;
  return text.split(',').map((each) => {
    const kind = each.trim();
    if (Object.hasOwn(EDGE_KINDS, kind)) return kind as EdgeKind;
    throw new Problem(400, 'USAGE_FILTER', `"${kind.slice(0, 100)}" is not an edge kind`, {
      hint: Object.keys(EDGE_KINDS).join(', '),
    });
  });
}
