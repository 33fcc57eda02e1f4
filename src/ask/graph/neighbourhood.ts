import type { DatabaseSync, StatementSync } from 'node:sqlite';

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
import type { Graph } from './graph.ts';
import type { EvidenceRow, GraphNode, ShownEvidence } from './types.ts';
import { EVIDENCE, evidenceOf, workLabel } from './types.ts';

/** Most neighbours drawn per kind, so that the picture stays readable. */
const MOST_OF_A_KIND: Readonly<Partial<Record<PictureEdgeKind, number>>> = { cites: 40, related: 20 };
const MOST_OTHERS = 12;
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
  'measures',
  'states',
];

/** The neighbourhood of a work: its edges with evidence, related works, and citations among them. */
export function neighbourhoodOf(graph: Graph, name: string): GraphPicture {
  return new NeighbourhoodReader(graph).read(name);
}

/** A neighbour under its preferred id, with the edges to any of its ids. */
interface Found {
  readonly other: GraphNode;
  readonly ends: (readonly [source: string, target: string])[];
}

class NeighbourhoodReader {
  readonly #graph: Graph;
  readonly #database: DatabaseSync;
  readonly #places = new Map<string, number>();
  readonly #nodes: UnplacedNode[] = [];
  readonly #edges: PictureEdge[] = [];
  readonly #leftOut: Partial<Record<PictureEdgeKind, number>> = {};
  readonly #cited: StatementSync;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#database = graph.database;
    this.#cited = this.#database.prepare(
      `SELECT count(DISTINCT source) AS count FROM edges WHERE kind = 'cites' AND target IN
         (SELECT :node UNION ALL SELECT same.source FROM edges AS same WHERE same.target = :node AND same.kind = 'same_as')`,
    );
  }

  read(name: string): GraphPicture {
    const work = this.#graph.find(name);
    this.#place(work);
    const edges = Map.groupBy(this.#graph.edgesOf(work.id, DRAWN), ({ kind, direction }) => `${kind} ${direction}`);
    for (const kind of DRAWN)
      for (const direction of ['out', 'in'] as const) {
        const found = new Map<string, Found>();
        for (const { node, source, target } of edges.get(`${kind} ${direction}`) ?? []) {
          const other = this.#graph.find(node.id);
          const known = found.get(other.id) ?? { other, ends: [] };
          known.ends.push([source, target]);
          found.set(other.id, known);
        }
        this.#draw(kind, direction, [...found.values()]);
      }
    this.#drawRelated(work);
    this.#drawBetween();
    return { nodes: layOut(this.#nodes), edges: this.#edges, leftOut: this.#leftOut };
  }

  /** Most cited first, then by id. */
  #draw(kind: EdgeKind, direction: 'out' | 'in', found: readonly Found[]): void {
    const weight = new Map(found.map(({ other }) => [other.id, this.#timesCited(other.id)]));
    const sorted = found.toSorted(
      (a, b) => (weight.get(b.other.id) ?? 0) - (weight.get(a.other.id) ?? 0) || (a.other.id < b.other.id ? -1 : 1),
    );
    const most = MOST_OF_A_KIND[kind] ?? MOST_OTHERS;
    if (sorted.length > most) this.#leftOut[kind] = (this.#leftOut[kind] ?? 0) + sorted.length - most;
    for (const { other, ends } of sorted.slice(0, most)) {
      const at = this.#place(other);
      if (at === 0) continue;
      const [source, target] = direction === 'out' ? [0, at] : [at, 0];
      this.#edges.push({ source, target, kind, evidence: this.#evidence(kind, ends) });
    }
  }

  #drawRelated(work: GraphNode): void {
    for (const { node, cocited, coupled } of this.#graph.related(work.id, MOST_OF_A_KIND.related)) {
      const target = this.#place(this.#graph.find(node.id));
      if (target !== 0)
        this.#edges.push({ source: 0, target, kind: 'related', evidence: [], shared: [cocited, coupled] });
    }
  }

  /** Citations between the works that are drawn. */
  #drawBetween(): void {
    const works = this.#nodes.flatMap(({ id, kind }, at) =>
      kind === 'work' && at > 0 ? [[nodeKey(id), at] as const] : [],
    );
    const places = new Map(works);
    const rows = this.#database
      .prepare(
        `SELECT source, target FROM edges WHERE kind = 'cites' AND source IN (SELECT value FROM json_each(:works))
           AND target IN (SELECT value FROM json_each(:works)) ORDER BY source, target LIMIT ${MOST_BETWEEN}`,
      )
      .all({ works: JSON.stringify([...places.keys()]) });
    for (const row of rows) {
      const [from, to] = [String(row['source']), String(row['target'])];
      const [source, target] = [places.get(from), places.get(to)];
      if (source !== undefined && target !== undefined)
        this.#edges.push({ source, target, kind: 'cites', evidence: this.#evidence('cites', [[from, to]]) });
    }
  }

  /** The index of a node, which is added if it is new. */
  #place(node: GraphNode): number {
    const known = this.#places.get(node.id);
    if (known !== undefined) return known;
    const at = this.#nodes.length;
    this.#places.set(node.id, at);
    this.#nodes.push({
      id: node.id,
      kind: node.kind,
      label: node.kind === 'work' ? workLabel(node) : node.label,
      year: node.year,
      cited: this.#timesCited(node.id),
      inCorpus: node.data['inCorpus'] === true,
    });
    return at;
  }

  #timesCited(id: string): number {
    return Number(this.#cited.get({ node: nodeKey(id) })?.['count'] ?? 0);
  }

  /** Citing sentences first, then the entry of the reference list, then services. */
  #evidence(kind: EdgeKind, ends: readonly (readonly [source: string, target: string])[]): PictureEvidence[] {
    const rows = [
      ...ends.flatMap(([source, target]) => (kind === 'cites' ? this.#callouts(source, target) : [])),
      ...ends.flatMap(([source, target]) => this.#graph.evidenceOf(source, kind, target, EVIDENCE_OF_AN_EDGE)),
    ].map(evidenceLine);
    const quoted = rows.filter(({ quote }) => quote !== null);
    const told = rows.filter(
      ({ quote }, at) => quote === null && rows.findIndex(({ origin }) => origin === rows[at]?.origin) === at,
    );
    return [...quoted, ...told].slice(0, EVIDENCE_OF_AN_EDGE);
  }

  #callouts(source: string, target: string): ShownEvidence[] {
    const rows = this.#database
      .prepare(
        `SELECT ${EVIDENCE} FROM edges AS listed
         JOIN edges AS resolved ON resolved.source = listed.target AND resolved.kind = 'resolves_to' AND resolved.target = :target
         JOIN edges AS mention ON mention.target = listed.target AND mention.kind = 'mentions'
         JOIN evidence ON evidence.source = mention.source AND evidence.kind = 'mentions' AND evidence.target = mention.target
         WHERE listed.source = :source AND listed.kind = 'has_reference'
         ORDER BY evidence.owner, evidence.block, evidence.start_at LIMIT ${EVIDENCE_OF_AN_EDGE}`,
      )
      .all({ source, target });
    return (rows as unknown as EvidenceRow[]).map(evidenceOf);
  }
}

function evidenceLine({ document, quote, page, block, start, end, origin }: ShownEvidence): PictureEvidence {
  return { document, quote: quote?.slice(0, QUOTE_CHARS) ?? null, page, block, start, end, origin };
}
