import { z } from 'zod';

import { AppError } from '../base/index.ts';
import type { Graph, ShownEvidence } from '../ask/index.ts';
import type { EdgeKind } from '../graph/index.ts';
import { EDGE_KINDS } from '../graph/index.ts';
import { question } from './question.ts';

const MOST_ROWS = 500;
const EDGES = Object.keys(EDGE_KINDS) as [EdgeKind, ...EdgeKind[]];
const input = z.object({
  ask: z.enum(['stats', 'neighbours', 'path', 'evidence', 'find', 'gaps']),
  node: z.string().max(500).optional().describe('A node id, DOI, work id, term, or words of a title.'),
  to: z.string().max(500).optional().describe('The other end, for path and evidence.'),
  kind: z.enum(EDGES).optional().describe('Only edges of this kind; for evidence, the kind of the edge.'),
});
const rowFields = z.object({
  id: z.string(),
  kind: z.string(),
  label: z.string(),
  year: z.number().nullable(),
  edge: z.string().nullable(),
  direction: z.string().nullable(),
  count: z.number().nullable(),
  evidence: z.string().describe('Sentences that support the edge.'),
});
type Row = z.output<typeof rowFields>;

export const graphQuestion = question({
  name: 'graph',
  title: 'Ask the knowledge graph',
  description:
    'Queries the knowledge graph of a corpus: counts by kind (stats), the neighbours of a node (neighbours), a shortest path between two nodes (path), the evidence of an edge (evidence), nodes by words (find), works that are often cited but not in the corpus (gaps).',
  input: input.shape,
  head: {
    run: z.string(),
    says: z.string(),
  },
  list: 'rows',
  item: rowFields.shape,
  text: 'evidence',
  line: ({ id, kind, label, year, edge, direction, count, evidence }) => {
    const arrow = edge === null ? '' : direction === 'in' ? `← ${edge} ` : `→ ${edge} `;
    const more = [year, id === '' ? null : id, count].flatMap((each) => (each === null ? [] : [` · ${each}`]));
    return `${arrow}${kind} ${label}${more.join('')}${evidence === '' ? '' : `\n${evidence}`}`;
  },
  async ask(asked, runs) {
    const run = runs.find(({ corpus }) => corpus.graph.exists);
    if (!run)
      throw new AppError('GRAPH_MISSING', 'there is no knowledge graph yet', {
        hint: 'docstokg graph build makes one',
      });
    using graph = run.corpus.graph.open();
    const { says, items } = answer(graph, asked);
    return { head: { run: run.id, says }, items, summary: says };
  },
});

function answer(graph: Graph, asked: z.output<typeof input>): { readonly says: string; readonly items: Row[] } {
  const { ask, kind } = asked;
  switch (ask) {
    case 'stats': {
      const { documents, nodes, edges, evidence } = graph.stats();
      const rows = [
        ...Object.entries(nodes).map(([name, count]) => row({ kind: 'node', label: name, count })),
        ...Object.entries(edges).map(([name, count]) => row({ kind: 'edge', label: name, count })),
      ];
      return { says: `${documents} documents, ${evidence} pieces of evidence.`, items: rows };
    }
    case 'find': {
      const words = needed(asked.node, 'node');
      const like = ['term', 'work', 'author', 'software', 'dataset', 'material'] as const;
      const found = like.flatMap((each) => graph.most(each, { like: words, limit: 20 }));
      return {
        says: `${found.length} nodes for "${words}".`,
        items: found.map(({ node, weight }) => row({ ...node, count: weight })),
      };
    }
    case 'gaps': {
      const found = graph.gaps({ limit: MOST_ROWS });
      return {
        says: `${found.length} works are cited but not in the corpus.`,
        items: found.map(({ node, weight }) => row({ ...node, count: weight })),
      };
    }
    case 'neighbours': {
      const node = graph.find(needed(asked.node, 'node'));
      const kinds = kind ? [kind] : undefined;
      const found = graph.neighbours(node.id, { kinds, limit: MOST_ROWS });
      return {
        says: `${found.length} edges of ${node.label} (${node.id}, a ${node.kind}).`,
        items: found.map(({ kind: edge, direction, node: other, evidence }) =>
          row({ ...other, edge, direction, evidence }),
        ),
      };
    }
    case 'path': {
      const [from, to] = [needed(asked.node, 'node'), needed(asked.to, 'to')];
      const way = graph.path(from, to);
      return {
        says: way ? `A path of ${way.length - 1} steps.` : 'No path with six or fewer steps.',
        items: (way ?? []).map(({ node, edge, direction }) => row({ ...node, edge, direction })),
      };
    }
    case 'evidence': {
      const [from, to] = [graph.find(needed(asked.node, 'node')), graph.find(needed(asked.to, 'to'))];
      const edge = needed(kind, 'kind') as EdgeKind;
      const found = graph.evidence(from.id, edge, to.id).slice(0, MOST_ROWS);
      return {
        says: `${found.length} pieces of evidence for ${from.label} ${edge} ${to.label}.`,
        items: found.map((each) => row({ ...to, edge, direction: 'out', evidence: [each] })),
      };
    }
  }
}

function row(
  fields: Partial<Omit<Row, 'evidence'>> &
    Pick<Row, 'kind' | 'label'> & { readonly evidence?: readonly ShownEvidence[] },
): Row {
  const { id = '', kind, label, year = null, edge = null, direction = null, count = null, evidence = [] } = fields;
  const quotes = evidence
    .filter(({ quote }) => quote !== null)
    .map(({ document, page, quote }) => `${document}${page === null ? '' : `, p. ${page}`}: ${quote ?? ''}`);
  return { id, kind, label, year, edge, direction, count, evidence: quotes.join('\n') };
}

function needed(value: string | undefined, name: string): string {
  if (value !== undefined && value !== '') return value;
  throw new AppError('USAGE_GRAPH', `this graph query requires ${name}`, { hint: 'see the input schema of the tool' });
}
