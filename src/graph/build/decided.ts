import { entityName } from '../extract/entity-names.ts';
import { THIS_WORK } from '../extract/reading.ts';
import type { Contribution, EntityKind, NodeKind, NodeStatement } from '../schema.ts';
import { RANK } from '../schema.ts';

// What people decided about nodes: two are one, or a name that papers print is another thing than the node it was taken for.

/** A decision about a node: it is the same as `of`, or what papers print as `name` is not it. One of both is ''. */
export interface DecidedNode {
  readonly node: string;
  readonly of: string;
  readonly name: string;
  readonly at: string;
}

/** The owner of what people decided. */
export const DECIDED_OWNER = 'record:decided nodes';

/** The merges, as edges from one node to the other. */
export function decidedMerges(decided: readonly DecidedNode[]): Contribution | undefined {
  const merges = decided.filter(({ of }) => of !== '');
  if (merges.length === 0) return undefined;
  return {
    owner: DECIDED_OWNER,
    work: THIS_WORK,
    fileSha256: null,
    references: [],
    nodes: merges.flatMap(({ node, of }) => [nodeOf(node), nodeOf(of)]),
    edges: merges.map(({ node, of, at }) => ({
      source: node,
      kind: 'same_as',
      target: of,
      evidence: {
        place: { kind: 'metadata', origin: 'decision', readAt: at },
        method: 'decision',
        version: 1,
        score: 1,
        detail: { reason: 'a person decided it' },
      },
    })),
  };
}

/** A node that stays if no paper names it any more. */
function nodeOf(id: string): NodeStatement {
  const [kind = '', , ...name] = id.split(':');
  return { id, kind: kind as NodeKind, label: name.join(':') || id, year: null, rank: RANK.guess, data: {} };
}

/** Gives names that were split off a node of their own, with the sentences that print them. */
export function withSplitNames(contribution: Contribution, decided: readonly DecidedNode[]): Contribution {
  const split = new Map(decided.flatMap(({ node, name }) => (name === '' ? [] : [[`${node} ${name}`, name] as const])));
  if (split.size === 0) return contribution;
  const added = new Map<string, NodeStatement>();
  const edges = contribution.edges.map((edge) => {
    const printed = edge.evidence.detail['printed'];
    const name = typeof printed === 'string' ? split.get(`${edge.target} ${printed}`) : undefined;
    const whole = contribution.nodes.find(({ id }) => id === edge.target);
    if (name === undefined || !whole) return edge;
    const own = `${whole.kind}:name:${entityName(name, whole.kind as EntityKind)}`;
    // "Cancer", the zodiac sign, has the name of the disease: what this paper prints is its own.
    const id = own === edge.target ? `${own}@${contribution.owner}` : own;
    added.set(id, { ...whole, id, label: name });
    return { ...edge, target: id };
  });
  const targets = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const gone = new Set(decided.map(({ node }) => node).filter((node) => !targets.has(node)));
  return {
    ...contribution,
    nodes: [...contribution.nodes.filter(({ id }) => !gone.has(id)), ...added.values()],
    edges,
  };
}
