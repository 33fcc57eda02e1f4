import type {
  GraphPicture,
  PictureEdge,
  PictureEdgeKind,
  PictureEvidence,
  UnplacedNode,
} from '../../graph/picture/index.ts';
import { layOut } from '../../graph/picture/index.ts';
import { nodeKey } from '../../graph/index.ts';
import type { EdgeKind } from '../../graph/index.ts';
import type { CorpusStore } from '../../database/index.ts';
import type { EvidenceRow, GraphNode, Neighbour, ShownEvidence, Weighted } from './types.ts';
import { EVIDENCE, evidenceOf, workLabel } from './types.ts';

/** Most neighbours drawn per kind, so that the picture stays readable. */
const MOST_OF_A_KIND = { cites: 40, related: 20, names: 24 } as const;
const MOST_OTHERS = 12;
/** Most works drawn for each thing that a finding is about. */
const MOST_BEYOND = 8;
const MOST_BETWEEN = 200;
const EVIDENCE_OF_AN_EDGE = 3;
const QUOTE_CHARS = 600;

/** Kinds of edges that are drawn. Passages, references, figures and tables are evidence and not drawn. */
const DRAWN: readonly EdgeKind[] = [
  'cites',
  'version_of',
  'retracts',
  'authored_by',
  'published_in',
  'funded_by',
  'about',
  'defines',
  'uses',
  'states',
  'names',
  'studies',
  'determines',
  'has_subject',
  'has_object',
  'in_population',
  'compared_with',
];
/** From a name one goes to the works that have it, and to the findings about it. */
const MOST_OF_NAMES = 40;
/** Edges from a finding to what it is about. */
const OF_FINDINGS: ReadonlySet<EdgeKind> = new Set(['has_subject', 'has_object', 'in_population', 'compared_with']);
/** Edges from a work to a name. */
const NAMING: readonly EdgeKind[] = ['names', 'about', 'defines', 'uses'];
/** Edges from a work to what is no work. */
const OF_WORKS: readonly EdgeKind[] = [
  ...NAMING,
  'authored_by',
  'published_in',
  'funded_by',
  'states',
  'studies',
  'determines',
];

/** A neighbour under its preferred id, with the edges to any of its ids. */
interface Found {
  readonly other: GraphNode;
  readonly ends: (readonly [source: string, target: string])[];
}

/** What of the graph is drawn. */
interface DrawnGraph {
  readonly store: CorpusStore;
  find(name: string): GraphNode;
  edgesOf(name: string, kinds: readonly EdgeKind[]): (Omit<Neighbour, 'evidence'> & EdgeEnds)[];
  related(name: string, limit?: number): (Weighted & { readonly cocited: number; readonly coupled: number })[];
  evidenceOf(source: string, kind: EdgeKind, target: string, limit?: number): ShownEvidence[];
}

interface EdgeEnds {
  readonly source: string;
  readonly target: string;
}

/** A work or a name, and what it is connected to, placed for drawing. */
export function neighbourhoodOf(graph: DrawnGraph, name: string): GraphPicture {
  const places = new Map<string, number>();
  const nodes: UnplacedNode[] = [];
  const edges: PictureEdge[] = [];
  const leftOut: Partial<Record<PictureEdgeKind, number>> = {};
  const centre = graph.find(name);
  const isWork = centre.kind === 'work';
  const worksAt = ({ id, kind }: GraphNode): number =>
    graph.store.number(
      `SELECT count(DISTINCT source) FROM edges WHERE kind IN (SELECT value FROM json_each(:kinds)) AND target IN
         (SELECT :node UNION ALL SELECT same.source FROM edges AS same WHERE same.target = :node AND same.kind = 'same_as')`,
      { node: nodeKey(id), kinds: JSON.stringify(kind === 'work' ? ['cites'] : OF_WORKS) },
    );

  const place = (node: GraphNode): number => {
    const known = places.get(node.id);
    if (known !== undefined) return known;
    const { id, kind, year } = node;
    const label = kind === 'work' ? workLabel(node) : node.label;
    places.set(id, nodes.length);
    nodes.push({ id, kind, label, year, cited: worksAt(node), inCorpus: node.data['inCorpus'] === true });
    return nodes.length - 1;
  };

  /** Draws the neighbours that most works cite or have, then by id. */
  const draw = (from: number, kind: EdgeKind, direction: 'out' | 'in', found: readonly Found[], most: number): void => {
    const weight = new Map(found.map(({ other }) => [other.id, worksAt(other)]));
    const sorted = found.toSorted(
      (a, b) => (weight.get(b.other.id) ?? 0) - (weight.get(a.other.id) ?? 0) || (a.other.id < b.other.id ? -1 : 1),
    );
    if (sorted.length > most) leftOut[kind] = (leftOut[kind] ?? 0) + sorted.length - most;
    for (const { other, ends } of sorted.slice(0, most)) {
      const at = place(other);
      if (at === from) continue;
      const [source, target] = direction === 'out' ? [from, at] : [at, from];
      edges.push({ source, target, kind, evidence: evidenceOfEdge(graph, kind, ends) });
    }
  };

  place(centre);
  const most = { ...(isWork ? MOST_OF_A_KIND : { cites: MOST_OF_A_KIND.cites }) } as Partial<Record<EdgeKind, number>>;
  for (const { kind, direction, found } of neighboursOf(graph, centre.id, DRAWN)) {
    draw(0, kind, direction, found, most[kind] ?? (isWork ? MOST_OTHERS : MOST_OF_NAMES));
    // A finding leads to the other works that name what it is about.
    if (centre.kind !== 'finding' || !OF_FINDINGS.has(kind)) continue;
    for (const { other } of found)
      for (const named of neighboursOf(graph, other.id, NAMING))
        draw(place(other), named.kind, named.direction, named.found, MOST_BEYOND);
  }
  for (const { node, cocited, coupled } of graph.related(centre.id, MOST_OF_A_KIND.related)) {
    const target = place(graph.find(node.id));
    if (target !== 0) edges.push({ source: 0, target, kind: 'related', evidence: [], shared: [cocited, coupled] });
  }
  edges.push(...citationsBetween(graph, nodes));
  return { nodes: layOut(nodes), edges, leftOut };
}

/** The neighbours of a node by kind of edge and direction, each once under its preferred id. */
function* neighboursOf(graph: DrawnGraph, name: string, kinds: readonly EdgeKind[]) {
  const edges = Map.groupBy(graph.edgesOf(name, kinds), ({ kind, direction }) => `${kind} ${direction}`);
  for (const kind of kinds)
    for (const direction of ['out', 'in'] as const) {
      const found = new Map<string, Found>();
      for (const { node, source, target } of edges.get(`${kind} ${direction}`) ?? []) {
        const other = graph.find(node.id);
        const known = found.get(other.id) ?? { other, ends: [] };
        known.ends.push([source, target]);
        found.set(other.id, known);
      }
      if (found.size > 0) yield { kind, direction, found: [...found.values()] };
    }
}

/** Citations between the drawn works, except of the first one. */
function citationsBetween(graph: DrawnGraph, nodes: readonly UnplacedNode[]): PictureEdge[] {
  const places = new Map(
    nodes.flatMap(({ id, kind }, at) => (kind === 'work' && at > 0 ? [[nodeKey(id), at] as const] : [])),
  );
  const rows = graph.store.all<{ from: string; to: string }>(
    `SELECT source AS "from", target AS "to" FROM edges WHERE kind = 'cites'
       AND source IN (SELECT value FROM json_each(:works)) AND target IN (SELECT value FROM json_each(:works))
     ORDER BY source, target LIMIT ${MOST_BETWEEN}`,
    { works: JSON.stringify([...places.keys()]) },
  );
  return rows.flatMap(({ from, to }): PictureEdge[] => {
    const [source, target] = [places.get(from), places.get(to)];
    if (source === undefined || target === undefined) return [];
    return [{ source, target, kind: 'cites', evidence: evidenceOfEdge(graph, 'cites', [[from, to]]) }];
  });
}

/** Citing sentences first, then the entry of the reference list, then services. */
function evidenceOfEdge(graph: DrawnGraph, kind: EdgeKind, ends: Found['ends']): PictureEvidence[] {
  const rows = [
    ...ends.flatMap(([source, target]) => (kind === 'cites' ? callouts(graph, source, target) : [])),
    ...ends.flatMap(([source, target]) => graph.evidenceOf(source, kind, target, EVIDENCE_OF_AN_EDGE)),
  ].map(evidenceLine);
  const quoted = rows.filter(({ quote }) => quote !== null);
  const recorded = rows.filter(
    ({ quote }, at) => quote === null && rows.findIndex(({ origin }) => origin === rows[at]?.origin) === at,
  );
  return [...quoted, ...recorded].slice(0, EVIDENCE_OF_AN_EDGE);
}

function callouts(graph: DrawnGraph, source: string, target: string): ShownEvidence[] {
  const rows = graph.store.all<EvidenceRow>(
    `SELECT ${EVIDENCE} FROM edges AS listed
     JOIN edges AS resolved ON resolved.source = listed.target AND resolved.kind = 'resolves_to' AND resolved.target = :target
     JOIN edges AS mention ON mention.target = listed.target AND mention.kind = 'mentions'
     JOIN evidence ON evidence.source = mention.source AND evidence.kind = 'mentions' AND evidence.target = mention.target
     WHERE listed.source = :source AND listed.kind = 'has_reference'
     ORDER BY evidence.owner, evidence.block, evidence.start_at LIMIT ${EVIDENCE_OF_AN_EDGE}`,
    { source, target },
  );
  return rows.map(evidenceOf);
}

function evidenceLine({ document, quote, page, block, start, end, origin }: ShownEvidence): PictureEvidence {
  return { document, quote: quote?.slice(0, QUOTE_CHARS) ?? null, page, block, start, end, origin };
}
