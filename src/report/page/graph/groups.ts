import type { GraphPicture, PictureEdge, PictureEdgeKind } from '../../../graph/picture/index.ts';

/** Edges of one kind and direction, with the node at the other end. */
interface EdgeGroup {
  readonly name: string;
  readonly edges: readonly { readonly at: number; readonly other: number }[];
}

const NAMES: Readonly<Partial<Record<PictureEdgeKind, readonly [out: string, back: string]>>> = {
  cites: ['Cites', 'Cited by'],
  related: ['Related: cited together or citing the same', ''],
  version_of: ['Version of', 'Has version'],
  retracts: ['Retracts', 'Retracted by'],
  authored_by: ['Authors', ''],
  published_in: ['Published in', ''],
  funded_by: ['Funded by', ''],
  about: ['About', ''],
  defines: ['Defines', ''],
  uses: ['Uses', ''],
  measures: ['Measures', ''],
  states: ['Claims', ''],
};

/** What a kind of edge is called. */
export function relationName(kind: PictureEdgeKind): string {
  return (NAMES[kind]?.[0] ?? kind).split(':')[0]?.toLowerCase().replaceAll('_', ' ') ?? kind;
}

/** The edges of the work in the middle by kind and direction, then those between its neighbours. */
export function groupsOf(picture: GraphPicture, shown: (edge: PictureEdge) => boolean): EdgeGroup[] {
  const groups = new Map<string, { at: number; other: number }[]>();
  for (const [at, edge] of picture.edges.entries()) {
    if (!shown(edge)) continue;
    const { source, target, kind } = edge;
    const [out = kind, back = kind] = NAMES[kind] ?? [];
    const name = source === 0 ? out : target === 0 ? back : `${picture.nodes[source]?.label ?? ''} cites`;
    groups.set(name, [...(groups.get(name) ?? []), { at, other: target === 0 ? source : target }]);
  }
  const own = new Set(Object.values(NAMES).flat());
  return [...groups]
    .map(([name, edges]) => ({ name, edges }))
    .toSorted((a, b) => Number(!own.has(a.name)) - Number(!own.has(b.name)));
}
