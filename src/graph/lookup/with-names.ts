import type { Contribution, EdgeStatement, NodeStatement } from '../contribution.ts';
import { RANK } from '../contribution.ts';
import type { KeptAnswer, KnownWork } from './reference-answers.ts';
import { nameQuestion } from './cited-names.ts';

const BY_ID = /^work:([a-z]+):(.+)$/;

/** What a record says, with the works that it cites by an id called by their DOI and title where a directory knows them. */
export function withNames(
  contribution: Contribution,
  answerTo: (question: string) => KeptAnswer | undefined,
): Contribution {
  const known = new Map<string, KnownWork>();
  for (const { source, kind, target } of contribution.edges) {
    const [, origin = '', id = ''] = BY_ID.exec(target) ?? [];
    const answer =
      kind === 'cites' && source === contribution.work ? answerTo(nameQuestion(origin, id))?.answer : undefined;
    if (answer?.kind === 'known') known.set(target, answer);
  }
  if (known.size === 0) return contribution;
  return {
    ...contribution,
    nodes: contribution.nodes.map((node) => {
      const work = known.get(node.id);
      return work ? namedNode(node, work) : node;
    }),
    edges: contribution.edges.flatMap((edge) => {
      const work = edge.kind === 'cites' ? known.get(edge.target) : undefined;
      return work ? namedEdge(edge, work) : [edge];
    }),
  };
}

function namedNode(node: NodeStatement, { title, authors, year, venue, doi }: KnownWork): NodeStatement {
  return {
    ...node,
    id: nodeId(node.id, doi),
    label: title?.slice(0, 500) ?? node.label,
    year,
    // What a directory says is righter than what a list prints.
    rank: RANK.mention,
    data: { title, authors, year, source: venue, volume: null, pages: null },
  };
}

/** No work cites itself: a record that lists its own id has it twice. */
function namedEdge(edge: EdgeStatement, { doi }: KnownWork): EdgeStatement[] {
  const target = nodeId(edge.target, doi);
  if (target === edge.source) return [];
  const { evidence } = edge;
  return [
    { ...edge, target, evidence: { ...evidence, detail: { ...evidence.detail, cited_as: edge.target.slice(5) } } },
  ];
}

function nodeId(id: string, doi: string | null): string {
  return doi === null ? id : `work:doi:${doi.toLowerCase()}`;
}
