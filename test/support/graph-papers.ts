import { linkFindings } from '../../src/graph/findings/link-findings.ts';
import type { CorpusStore } from '../../src/database/index.ts';
import type { Contribution, EdgeKind, EntityKind, NodeKind, NodeStatement } from '../../src/graph/index.ts';
import { changeGraph, memoryStore } from './graph.ts';

/** What a sentence says: an entity as `type name`, or any other node with the edge that leads to it. */
export type Said = string | { readonly edge: EdgeKind; readonly node: NodeStatement };

/** A node that a document states. */
export const node = (id: string, kind: NodeKind, label: string, data: object = {}): NodeStatement => ({
  id,
  kind,
  label,
  year: null,
  rank: 1,
  data: { ...data },
});

/** A paper by its sentences and what each of them says. */
export function paper(doi: string, year: number, sentences: Readonly<Record<string, readonly Said[]>>): Contribution {
  const work = `work:doi:${doi}`;
  const said = Object.entries(sentences).flatMap(([quote, all], block) =>
    all.map((each) => {
      if (typeof each !== 'string') return { quote, block, ...each };
      const [kind = '', ...words] = each.split(' ');
      const name = words.join(' ');
      const edge: EdgeKind = kind === 'software' ? 'uses' : 'names';
      return { quote, block, edge, node: node(`${kind}:name:${name.toLowerCase()}`, kind as EntityKind, name) };
    }),
  );
  return {
    owner: doi,
    work,
    fileSha256: null,
    references: [],
    nodes: [{ ...node(work, 'work', `Paper ${doi}`), year }, ...said.map((each) => each.node)],
    edges: said.map(({ edge, node: { id: target }, quote, block }) => ({
      source: work,
      kind: edge,
      target,
      evidence: {
        place: { kind: 'text', fileSha256: null, block, start: 0, end: quote.length, quote, page: null, boxes: [] },
        method: 'tagger',
        version: 1,
        score: 0.9,
        detail: { printed: target.split(':').at(-1) },
      },
    })),
  };
}

/** A finding, given as `subject · relation · object · comparator · population`. */
export function finding(text: string): Said {
  const [subject, relation, object, comparator = null, population = null] = text.split(' · ');
  const data = { subject, relation, object, comparator, population, value: null };
  return { edge: 'states', node: node(`finding:${text}`, 'finding', `${subject} · ${relation} · ${object}`, data) };
}

/** A database in memory with the graph of these papers. */
export function graphOf(...papers: readonly Contribution[]): CorpusStore {
  const store = memoryStore();
  changeGraph(store, { add: papers.map(linkFindings) });
  return store;
}
