import { z } from 'zod';

import type { Graph } from '../../ask/index.ts';
import { workLabel } from '../../ask/index.ts';
import type { EdgeKind, NodeKind } from '../../graph/index.ts';
import { EDGE_KINDS, NODE_KINDS } from '../../graph/index.ts';
import { Problem } from '../http/problem.ts';
import type { Answer, Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { Context } from './context.ts';
import { runOf } from './context.ts';
import { noQuery, runPath, wholeNumber, words } from './parameters.ts';
import * as shapes from './shapes/corpus.ts';

const name = words.min(1).describe('A node id, DOI, OpenAlex id, or words of a title.');
const edgeKind = z.enum(Object.keys(EDGE_KINDS) as [EdgeKind, ...EdgeKind[]]);
const nodeKind = z.enum(Object.keys(NODE_KINDS) as [NodeKind, ...NodeKind[]]);
const limit = wholeNumber(1, 1_000).optional();

/** Routes for the knowledge graph. */
export function graphRoutes(context: Context): Route[] {
  const ask = async (run: string, work: (graph: Graph) => unknown): Promise<Answer> => {
    const { graph } = runOf(context, run);
    if (!graph.isThere)
      throw new Problem(404, 'NO_GRAPH', 'this run has no graph yet', { hint: 'build one with docstokg graph build' });
    return { kind: 'json', value: await graph.use(work) };
  };
  const version = ({ path }: { readonly path: { readonly run: string } }): string | null =>
    runOf(context, path.run).graph.stamp;
  return [
    route({
      path: '/runs/{run}/graph',
      summary: 'Number of nodes and edges by kind, and works by year.',
      pathSchema: runPath,
      querySchema: noQuery,
      gives: { kind: 'json', schema: shapes.graph },
      version,
      handle: ({ path }) => ask(path.run, (graph) => ({ ...graph.stats(), timeline: graph.timeline() })),
    }),
    route({
      path: '/runs/{run}/graph/neighbours',
      summary: 'The edges of a node, the nodes at their other ends, and the first evidence of each.',
      pathSchema: runPath,
      querySchema: z.strictObject({
        node: name,
        kinds: words.optional().describe(`Edge kinds, comma-separated: ${Object.keys(EDGE_KINDS).join(', ')}.`),
        limit: limit.describe('Maximum number; default 200.'),
      }),
      gives: { kind: 'json', schema: shapes.neighbours },
      version,
      handle: ({ path, query }) =>
        ask(path.run, (graph) => ({
          node: graph.find(query.node),
          neighbours: graph.neighbours(query.node, { kinds: kindsOf(query.kinds), limit: query.limit ?? 200 }),
        })),
    }),
    route({
      path: '/runs/{run}/graph/evidence',
      summary: 'All evidence of an edge.',
      pathSchema: runPath,
      querySchema: z.strictObject({ source: name, kind: edgeKind, target: name }),
      gives: { kind: 'json', schema: shapes.evidences },
      version,
      handle: ({ path, query }) =>
        ask(path.run, (graph) => ({ items: graph.evidence(query.source, query.kind, query.target).slice(0, 1_000) })),
    }),
    route({
      path: '/runs/{run}/graph/search',
      summary: 'Nodes of a kind, those with the most works first; with q, only nodes whose label contains the words.',
      pathSchema: runPath,
      querySchema: z.strictObject({
        kind: nodeKind,
        q: words.optional(),
        limit: limit.describe('Maximum number; default 30.'),
      }),
      gives: { kind: 'json', schema: shapes.weighted },
      version,
      handle: ({ path, query }) =>
        ask(path.run, (graph) => ({ items: graph.most(query.kind, { like: query.q, limit: query.limit ?? 30 }) })),
    }),
    route({
      path: '/runs/{run}/graph/related',
      summary: 'Works related by co-citation or shared references.',
      pathSchema: runPath,
      querySchema: z.strictObject({ node: name, limit: limit.describe('Maximum number; default 20.') }),
      gives: { kind: 'json', schema: shapes.weighted },
      version,
      handle: ({ path, query }) => ask(path.run, (graph) => ({ items: graph.related(query.node, query.limit ?? 20) })),
    }),
    route({
      path: '/runs/{run}/graph/path',
      summary: 'A shortest path between two nodes; empty if there is none.',
      pathSchema: runPath,
      querySchema: z.strictObject({ from: name, to: name }),
      gives: { kind: 'json', schema: shapes.way },
      version,
      handle: ({ path, query }) => ask(path.run, (graph) => ({ items: graph.path(query.from, query.to, 4) ?? [] })),
    }),
    route({
      path: '/runs/{run}/graph/works',
      summary: 'The most cited works of the corpus, with coordinates for drawing.',
      pathSchema: runPath,
      querySchema: z.strictObject({ limit: limit.describe('Maximum number; default 500.') }),
      gives: { kind: 'json', schema: shapes.drawnWorks },
      version,
      handle: ({ path, query }) =>
        ask(path.run, (graph) => ({
          items: graph
            .works()
            .slice(0, query.limit ?? 500)
            .map(({ node }) => ({ id: node.id, label: workLabel(node) })),
        })),
    }),
    route({
      path: '/runs/{run}/graph/picture',
      summary: 'The neighbourhood of a work, with coordinates for drawing.',
      pathSchema: runPath,
      querySchema: z.strictObject({ node: name }),
      gives: { kind: 'json', schema: shapes.picture },
      version,
      handle: ({ path, query }) => ask(path.run, (graph) => graph.neighbourhood(query.node)),
    }),
    route({
      path: '/runs/{run}/graph/gaps',
      summary: 'Works that the corpus often cites but does not contain.',
      pathSchema: runPath,
      querySchema: z.strictObject({ limit: limit.describe('Maximum number; default 50.') }),
      gives: { kind: 'json', schema: shapes.weighted },
      version,
      handle: ({ path, query }) => ask(path.run, (graph) => ({ items: graph.gaps({ limit: query.limit ?? 50 }) })),
    }),
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
