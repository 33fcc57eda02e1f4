import * as z from 'zod';

import { AppError } from '../base/index.ts';
import type { Graph, GraphNode, ShownEvidence, Weighted, WorkEffect } from '../library/index.ts';
import { agreementOf, workLabel } from '../library/index.ts';
import { fields, number, text } from '../library/shapes/index.ts';
import type { EdgeKind, EntityKind } from '../graph/index.ts';
import { EDGE_KINDS, ENTITY_KINDS } from '../graph/index.ts';
import { counted, question } from './question.ts';

const MOST_ROWS = 500;
/** Neighbours of each type that are shown with an entity. */
const BESIDE_BY_TYPE = 3;
const FOUND_KINDS = ['term', ...ENTITY_KINDS, 'work', 'author', 'quantity'] as const;

interface Asked {
  readonly node: string;
  readonly to: string;
  readonly type: string;
  readonly kinds: readonly EdgeKind[];
  readonly least: number;
  readonly limit: number;
}

/** The same for assistants, over HTTP and for `graph list`. */
interface GraphQuery {
  readonly gives: string;
  /** Inputs in the order of the command line; optional ones in brackets. */
  readonly takes: readonly string[];
  readonly answer: (graph: Graph, asked: Asked) => { readonly says: string; readonly items: Row[] };
}

const rowFields = z.object({
  ...fields(z.string(), 'id', 'kind', 'label'),
  ...fields(text, 'edge', 'direction'),
  ...fields(number, 'year', 'count'),
  evidence: z.string().describe('Sentences that support the edge.'),
  quotes: z
    .array(z.object({ document: z.string(), page: number, quote: z.string() }))
    .describe('The same, with their places.'),
});
type Row = z.output<typeof rowFields>;

export const GRAPH_QUERIES: Readonly<Record<string, GraphQuery>> = {
  stats: {
    gives: 'documents, nodes and edges by kind, and the works with the highest PageRank',
    takes: [],
    answer: (graph, { limit }) => {
      const { documents, nodes, edges, evidence } = graph.stats();
      const countRows = (kind: string, counts: Readonly<Record<string, number>>): Row[] =>
        Object.entries(counts).map(([label, count]) => row({ kind, label, count }));
      return {
        says: `${counted(documents, 'document')}, ${counted(evidence, 'piece')} of evidence, ${counted(graph.communities(), 'community', 'communities')} of works.`,
        items: [
          ...countRows('node', nodes),
          ...countRows('edge', edges),
          ...graph.mostCentral(limit).map(({ node, weight }) => nodeRow(node, { count: Number(weight.toFixed(4)) })),
        ],
      };
    },
  },
  terms: {
    gives: 'terms by number of works',
    takes: ['[node]'],
    answer: (graph, { node, limit }) => weighted(['term'], graph.most('term', { like: node, limit })),
  },
  entities: {
    gives: 'what papers name, of a type, by number of works: ' + ENTITY_KINDS.join(', '),
    takes: ['type', '[node]'],
    answer: (graph, { type, node, limit }) => weighted([type], graph.most(entityKind(type), { like: node, limit })),
  },
  about: {
    gives: 'the works that name an entity, newest first, what they found about it, and what is named beside it by type',
    takes: ['node'],
    answer: (graph, { node, limit }) => {
      const { says, items } = naming(graph, [node], limit);
      const findings = graph.findingsAbout(node, limit);
      const beside = ENTITY_KINDS.flatMap((kind) => graph.namedTogether(node, { kind, limit: BESIDE_BY_TYPE }));
      return {
        says: `${says.slice(0, -1)}; ${counted(findings.length, 'finding')}.`,
        items: [
          ...items,
          ...findings.map(({ finding, evidence }) => nodeRow(finding, { evidence })),
          ...beside.map(({ node: other, works, evidence }) => nodeRow(other, { count: works, evidence })),
        ].slice(0, limit),
      };
    },
  },
  effect: {
    gives: 'what each work found of the effect of one thing on another, or on anything, and whether the works agree',
    takes: ['node', '[to]'],
    answer: (graph, { node, to, limit }) => {
      const effects = graph.effects(node, to === '' ? undefined : to, limit);
      const items = effects.map(({ work, direction, findings, evidence }) =>
        nodeRow(work, { edge: direction, count: findings.length, evidence }),
      );
      return { says: `Effect of ${node}${to === '' ? '' : ` on ${to}`}: ${effectsSaid(effects, to !== '')}`, items };
    },
  },
  beside: {
    gives: 'what is named in the same sentences as an entity, of one type or all, by number of works',
    takes: ['node', '[type]'],
    answer: (graph, { node, type, limit }) => {
      const found = graph.namedTogether(node, { ...(type !== '' && { kind: entityKind(type) }), limit });
      const { label, kind } = graph.find(node);
      return {
        says: `${counted(found.length, 'entity', 'entities')} in the sentences about ${label} (${kind}).`,
        items: found.map(({ node: other, works, evidence }) => nodeRow(other, { count: works, evidence })),
      };
    },
  },
  studies: {
    gives:
      'the works that name all of some places, designs, programs, diseases and so on, or studied a population (comma-separated)',
    takes: ['node'],
    answer: (graph, { node, limit }) => {
      const names = node.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
      if (names.length === 0)
        throw new AppError('USAGE_GRAPH', 'studies requires at least one name', {
          hint: 'for example "Brazil, malaria"',
        });
      return naming(graph, names, limit);
    },
  },
  quantities: {
    gives:
      'the quantities about a subject in tables, and counts, each with its sentence; type `unsure`: values in text too',
    takes: ['node', '[type]'],
    answer: (graph, { node, type, limit }) => {
      if (type !== '' && type !== 'unsure')
        throw new AppError('USAGE_GRAPH', `unknown type of quantities "${type.slice(0, 100)}"`, { hint: 'unsure' });
      const items = graph
        .quantities(node, { limit, unsure: type === 'unsure' })
        .map(({ quantity, evidence }) => nodeRow(quantity, { evidence: [evidence] }));
      return { says: `${counted(items.length, 'quantity', 'quantities')} about "${node}".`, items };
    },
  },
  measured: {
    gives: 'by what means works measured something, each with its sentence',
    takes: ['node'],
    answer: (graph, { node, limit }) => {
      const found = graph.measuredHow(node, limit);
      return {
        says: `${counted(new Set(found.map(({ work }) => work.id)).size, 'work')} measured ${node}.`,
        items: found.map(({ work, what, how, evidence }) =>
          row({
            id: work.id,
            kind: 'procedure',
            label: `${nodeName(work)} | ${what} by ${how}`,
            year: work.year,
            evidence,
          }),
        ),
      };
    },
  },
  funding: {
    gives:
      'funders by number of works, and the works that name funders; or the works of a funder, the funders of a work, or of the works that name something',
    takes: ['[node]'],
    answer: (graph, { node, limit }) => {
      if (node === '') {
        const half = Math.ceil(limit / 2);
        const [funders, works] = [graph.most('funder', { limit: half }), graph.funded(limit - half)];
        const { items } = weighted(['funder'], [...funders, ...works]);
        const of = `${counted(funders.length, 'funder')}, of most works first, and ${counted(works.length, 'work')}`;
        return { says: `${of} that say who paid.`, items };
      }
      const found = graph.funding(node, limit);
      return {
        says: `${counted(found.length, 'entry', 'entries')} of funding for ${node}.`,
        items: found.map(({ funder, work, evidence }) =>
          row({
            id: funder.id,
            kind: 'funder',
            label: `${funder.label} | ${nodeName(work)}`,
            year: work.year,
            evidence,
          }),
        ),
      };
    },
  },
  timeline: {
    gives: 'works by year: in the corpus and cited by it',
    takes: [],
    answer: (graph) => {
      const items = graph
        .timeline()
        .map(({ year, corpus, cited }) =>
          row({ kind: 'year', label: `${year}: ${corpus} in the corpus, ${cited} cited`, year, count: corpus + cited }),
        );
      return { says: `${counted(items.length, 'year')}.`, items };
    },
  },
  gaps: {
    gives: 'works that the corpus often cites but does not contain',
    takes: [],
    answer: (graph, { least, limit }) =>
      weighted(['cited work is not in the corpus', 'cited works are not in the corpus'], graph.gaps({ least, limit })),
  },
  'cited-by': {
    gives: 'the works that cite a work, newest first, with the reference as printed',
    takes: ['node'],
    answer: (graph, { node, limit }) => edgesOf(graph, node, graph.citedBy(node).slice(0, limit)),
  },
  related: {
    gives: 'works related to a work by co-citation or shared references',
    takes: ['node'],
    answer: (graph, { node, limit }) => weighted(['related work'], graph.related(node, limit)),
  },
  find: {
    gives: 'nodes by words',
    takes: ['node'],
    answer: (graph, { node, limit }) =>
      weighted(
        [`node for "${node}"`, `nodes for "${node}"`],
        FOUND_KINDS.flatMap((kind) => graph.most(kind, { like: node, limit })),
      ),
  },
  neighbours: {
    gives: 'the edges of a node',
    takes: ['node'],
    answer: (graph, { node, kinds, limit }) => edgesOf(graph, node, graph.neighbours(node, { kinds, limit })),
  },
  path: {
    gives: 'a shortest path between two nodes, each step with a sentence',
    takes: ['node', 'to'],
    answer: (graph, { node, to }) => {
      const way = graph.path(node, to);
      return {
        says: way ? `A path of ${counted(way.length - 1, 'step')}.` : 'No path with six or fewer steps.',
        items: (way ?? []).map(({ node: at, edge, direction, evidence }) => nodeRow(at, { edge, direction, evidence })),
      };
    },
  },
  evidence: {
    gives: 'the evidence of an edge of a kind',
    takes: ['node', 'to', 'kind'],
    answer: (graph, { node, to, kinds: [edge], limit }) => {
      const [from, target] = [graph.find(node), graph.find(to)];
      const found = edge ? graph.evidence(from.id, edge, target.id).slice(0, limit) : [];
      return {
        says: `${counted(found.length, 'piece')} of evidence for ${from.label} ${edge} ${target.label}.`,
        items: found.map((each) => nodeRow(target, { edge: edge ?? null, direction: 'out', evidence: [each] })),
      };
    },
  },
};

export const graphQuestion = question({
  name: 'graph',
  title: 'Ask the knowledge graph',
  description: `Queries the knowledge graph of a corpus: ${Object.entries(GRAPH_QUERIES)
    .map(([name, { gives }]) => `${gives} (${name})`)
    .join('; ')}.`,
  input: {
    ask: z.enum(Object.keys(GRAPH_QUERIES)),
    node: z.string().max(500).optional().describe('A node id, DOI, work id, entity, term, or words of a title.'),
    to: z.string().max(500).optional().describe('The other end, for path and evidence; for effect, on what.'),
    type: z
      .string()
      .max(50)
      .optional()
      .describe(`The type of entities: ${ENTITY_KINDS.join(', ')}. For quantities: unsure.`),
    kind: z
      .string()
      .max(500)
      .optional()
      .describe(
        `Only edges of these kinds, comma-separated; for evidence, that of the edge: ${Object.keys(EDGE_KINDS).join(', ')}.`,
      ),
    min_citations: z.int().min(1).default(2).describe('gaps: minimum number of citing works.'),
    limit: z.int().min(1).max(MOST_ROWS).default(MOST_ROWS).describe('Maximum number of rows.'),
  },
  head: {
    run: z.string(),
    says: z.string(),
  },
  list: 'rows',
  item: rowFields.shape,
  text: 'evidence',
  omitted: ['quotes'],
  line: ({ id, kind, label, edge, direction, count, evidence }) => {
    const arrow = edge === null ? '' : direction === 'in' ? `← ${edge} ` : `→ ${edge} `;
    const more = [id === '' ? null : id, count].flatMap((each) => (each === null ? [] : [` · ${each}`]));
    return `${arrow}${kind} ${label}${more.join('')}${evidence === '' ? '' : `\n${evidence}`}`;
  },
  async ask({ ask, node = '', to = '', type = '', kind = '', min_citations: least, limit }, runs) {
    const run = runs.find(({ corpus }) => corpus.graph.exists);
    if (!run)
      throw new AppError('GRAPH_MISSING', 'there is no knowledge graph yet', {
        hint: 'docstokg graph build makes one',
      });
    const query = GRAPH_QUERIES[ask];
    const given: Readonly<Record<string, string>> = { node, to, type, kind };
    const missing = query?.takes.find((input) => given[input] === '');
    if (!query || missing !== undefined)
      throw new AppError('USAGE_GRAPH', `this graph query requires ${missing}`, { hint: `see the input of ${ask}` });
    using graph = run.corpus.graph.open(run.warn);
    const kinds = kind.split(',').flatMap((each) => edgeKind(each.trim()));
    const { says, items } = query.answer(graph, { node, to, type, kinds, least, limit });
    return { head: { run: run.id, says }, items, summary: says };
  },
});

function edgeKind(name: string): EdgeKind[] {
  if (name === '') return [];
  if (Object.hasOwn(EDGE_KINDS, name)) return [name as EdgeKind];
  throw new AppError('USAGE_GRAPH', `unknown kind of edges "${name.slice(0, 100)}"`, {
    hint: `one of ${Object.keys(EDGE_KINDS).join(', ')}`,
  });
}

function entityKind(name: string): EntityKind {
  const found = ENTITY_KINDS.find((kind) => kind === name.trim());
  if (found) return found;
  throw new AppError('USAGE_GRAPH', `unknown type of entities "${name.slice(0, 100)}"`, {
    hint: `one of ${ENTITY_KINDS.join(', ')}`,
  });
}

function naming(graph: Graph, names: readonly string[], limit: number): { says: string; items: Row[] } {
  const items = graph.worksNaming(names, limit).map(({ node, evidence }) => nodeRow(node, { evidence }));
  return { says: `${counted(items.length, 'work')} naming ${names.join(' and ')}.`, items };
}

/** How many works say what, and whether they agree. */
function effectsSaid(effects: readonly WorkEffect[], isOneThing: boolean): string {
  if (effects.length === 0) return 'no finding says anything of it.';
  const byDirection = Map.groupBy(effects, ({ direction }) => direction);
  const counts = [...byDirection].map(([direction, group]) => `${direction} in ${counted(group.length, 'work')}`);
  // Effects on many things are not comparable.
  return `${counts.join(', ')}.${isOneThing ? AGREEMENT[agreementOf(effects)] : ''}`;
}

const AGREEMENT = {
  agree: ' They agree.',
  contradict: ' They contradict each other.',
  differ: ' They say different things that do not exclude each other.',
  'one paper': '',
} as const;

function weighted(
  [one, many]: readonly [one: string, many?: string],
  found: readonly Weighted[],
): { says: string; items: Row[] } {
  return {
    says: `${counted(found.length, one, many)}.`,
    items: found.map(({ node, weight }) => nodeRow(node, { count: weight })),
  };
}

function edgesOf(graph: Graph, name: string, found: ReturnType<Graph['neighbours']>): { says: string; items: Row[] } {
  const node = graph.find(name);
  return {
    says: `${counted(found.length, 'edge')} of ${nodeName(node)} (${node.id}, a ${node.kind}).`,
    items: found.map(({ kind: edge, direction, node: other, evidence }) =>
      nodeRow(other, { edge, direction, evidence }),
    ),
  };
}

function nodeName(node: GraphNode): string {
  return node.kind === 'work' ? workLabel(node) : node.label;
}

type RowFields = Partial<Omit<Row, 'evidence' | 'quotes'>> & { readonly evidence?: readonly ShownEvidence[] };

function nodeRow(node: GraphNode, more: RowFields): Row {
  return row({ id: node.id, kind: node.kind, label: nodeName(node), year: node.year, ...more });
}

/** Where in a table a cell stands, in the words of its column and its row. */
function cellOf({ columnName, rowName }: ShownEvidence['detail']): string {
  const names = [columnName, rowName].filter((name) => typeof name === 'string' && name !== '');
  return names.length === 0 ? '' : `, in a table (${names.join('; ')})`;
}

function row(fields: RowFields & Pick<Row, 'kind' | 'label'>): Row {
  const { id = '', kind, label, year = null, edge = null, direction = null, count = null, evidence = [] } = fields;
  // Those with a place first: `quotes` are the beginning of `evidence`.
  const sorted = evidence.toSorted((a, b) => Number(a.quote === null) - Number(b.quote === null));
  const sources = sorted.map(({ document, page, quote, origin, readAt, detail }) => {
    if (quote === null) return `according to ${origin ?? document}${readAt === null ? '' : `, read ${readAt}`}`;
    return `${document}${page === null ? '' : `, p. ${page}`}${cellOf(detail)}: ${quote}`;
  });
  const quotes = sorted.flatMap(({ document, page, quote }) => (quote === null ? [] : [{ document, page, quote }]));
  return { id, kind, label, year, edge, direction, count, evidence: sources.join('\n'), quotes };
}
