import { z } from 'zod';

import type { Graph } from '../../ask/index.ts';
import { workLabel } from '../../ask/index.ts';
import type { EdgeKind, NodeKind } from '../../graph/index.ts';
import { EDGE_KINDS, NODE_KINDS } from '../../graph/index.ts';
import { Problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import type { Context } from './context.ts';
import { runRoute } from './context.ts';
import type { noQuery, runPath } from './parameters.ts';
import { wholeNumber, words } from './parameters.ts';
import * as shapes from './shapes/corpus.ts';

const name = words.min(1).describe('A node id, DOI, OpenAlex id, or words of a title.');
const edgeKind = z.enum(Object.keys(EDGE_KINDS) as [EdgeKind, ...EdgeKind[]]);
const nodeKind = z.enum(Object.keys(NODE_KINDS) as [NodeKind, ...NodeKind[]]);
const limit = wholeNumber(1, 1_000).optional();

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
      '/evidence',
      'All evidence of an edge.',
      shapes.evidences,
      (graph, { source, kind, target }) => ({ items: graph.evidence(source, kind, target).slice(0, 1_000) }),
      z.strictObject({ source: name, kind: edgeKind, target: name }),
    ),
    graphRoute(
      '/search',
      'Nodes of a kind, those with the most works first; with q, only nodes whose label contains the words.',
      shapes.weighted,
      (graph, { kind, q, limit: most = 30 }) => ({ items: graph.most(kind, { like: q, limit: most }) }),
      z.strictObject({ kind: nodeKind, q: words.optional(), limit: limit.describe('Maximum number; default 30.') }),
    ),
    graphRoute(
      '/related',
      'Works related by co-citation or shared references.',
      shapes.weighted,
      (graph, { node, limit: most = 20 }) => ({ items: graph.related(node, most) }),
      z.strictObject({ node: name, limit: limit.describe('Maximum number; default 20.') }),
    ),
    graphRoute(
      '/path',
      'A shortest path between two nodes; empty if there is none.',
      shapes.way,
      (graph, { from, to }) => ({ items: graph.path(from, to, 4) ?? [] }),
      z.strictObject({ from: name, to: name }),
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
    graphRoute(
      '/gaps',
      'Works that the corpus often cites but does not contain.',
      shapes.weighted,
      (graph, { limit: most = 50 }) => ({ items: graph.gaps({ limit: most }) }),
      z.strictObject({ limit: limit.describe('Maximum number; default 50.') }),
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
