import type { Neighbour, ShownEvidence } from './types.ts';

/** Reasons of an edge that are shown. */
export const EVIDENCE_SHOWN = 5;

/**
 * What is next to a node. A node that has several ids may have the same edge under each: that is one neighbour, with all that
 * speaks for it, sentences first.
 */
export function neighboursOf<Edge extends Omit<Neighbour, 'evidence'>>(
  edges: readonly Edge[],
  evidenceOf: (edge: Edge) => readonly ShownEvidence[],
): Neighbour[] {
  const same = Map.groupBy(edges, ({ kind, direction, node }) => `${kind} ${direction} ${node.id}`);
  return [...same.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const evidence = group.flatMap(evidenceOf);
    const sentences = evidence.filter(({ quote }) => quote !== null);
    const others = evidence.filter(({ quote }) => quote === null);
    const { kind, direction, node } = first;
    return [{ kind, direction, node, evidence: [...sentences, ...others].slice(0, EVIDENCE_SHOWN) }];
  });
}
