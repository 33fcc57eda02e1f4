import type { EdgeKind, NodeKind } from '../schema.ts';

/** The neighbourhood of a work as plain data, for the served page and the report. */
export interface GraphPicture {
  /** The first is the work itself. */
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
  readonly leftOut: Readonly<Partial<Record<PictureEdgeKind, number>>>;
}

/** Kinds of edges, and `related` for works with common citations. */
export type PictureEdgeKind = EdgeKind | 'related';

export interface PictureNode {
  readonly id: string;
  readonly kind: NodeKind;
  /** Author, year and title of a work; the name of anything else. */
  readonly label: string;
  readonly year: number | null;
  /** By how many works of the graph it is cited, or if it is no work, how many have it. */
  readonly cited: number;
  readonly inCorpus: boolean;
  readonly x: number;
  readonly y: number;
}

export interface PictureEdge {
  /** Places among the nodes. */
  readonly source: number;
  readonly target: number;
  readonly kind: PictureEdgeKind;
  readonly evidence: readonly PictureEvidence[];
  /** For `related`: how many works cite both, and how many both cite. */
  readonly shared?: readonly [cocited: number, coupled: number];
}

export interface PictureEvidence {
  readonly document: string;
  readonly quote: string | null;
  readonly page: number | null;
  readonly block: number | null;
  readonly start: number | null;
  readonly end: number | null;
  readonly origin: string | null;
}

/** Size of the drawing, and the width of a label of some thirty characters. */
const WIDTH = 1000;
const HEIGHT = 900;
const LABEL_WIDTH = 330;
const MOST_ROW = 90;
const UNDATED = -140;

export type UnplacedNode = Omit<PictureNode, 'x' | 'y'>;

/** Works by year from left to right, in rows whose labels do not overlap; the rest below. Deterministic. */
export function layOut(nodes: readonly UnplacedNode[]): PictureNode[] {
  const years = nodes.flatMap(({ kind, year }) => (kind === 'work' && year !== null ? [year] : []));
  const [first, last] = [Math.min(...years), Math.max(...years)];
  const rows = new Rows();
  const places = new Map<UnplacedNode, readonly [x: number, row: number]>();
  const works = nodes.filter(({ kind }) => kind === 'work');
  for (const work of [...works.slice(0, 1), ...works.slice(1).toSorted(byWeight)]) {
    const x = work.year === null ? UNDATED : first === last ? 0 : ((work.year - first) / (last - first)) * WIDTH;
    places.set(work, [x, rows.nearest(x)]);
  }
  const used = [...places.values()].map(([, row]) => row);
  const lowest = Math.min(0, ...used);
  const height = Math.min(MOST_ROW, HEIGHT / (Math.max(0, ...used) - lowest + 1));
  const perRow = Math.floor((WIDTH + LABEL_WIDTH) / LABEL_WIDTH);
  const others = [...Map.groupBy(nodes.filter(({ kind }) => kind !== 'work').toSorted(byWeight), ({ kind }) => kind)];
  let row = lowest - 2;
  for (const [, group] of others.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    for (const [at, node] of group.entries())
      places.set(node, [(at % perRow) * LABEL_WIDTH, row - Math.floor(at / perRow)]);
    row -= Math.ceil(group.length / perRow) + 1;
  }
  return nodes.map((node) => {
    const [x, at] = places.get(node) ?? [0, 0];
    return { ...node, x: Math.round(x), y: Math.round(at * height) };
  });
}

/** Maps a year to an x coordinate; undefined unless works have different years. */
export function yearScale(nodes: readonly PictureNode[]): ((year: number) => number) | undefined {
  const dated = nodes.filter(({ kind, year }) => kind === 'work' && year !== null);
  const [first, last] = [dated.toSorted(byYear)[0], dated.toSorted(byYear).at(-1)];
  if (!first || !last || first.year === null || last.year === null || first.year === last.year) return undefined;
  const [from, span, width] = [first.year, last.year - first.year, last.x - first.x];
  return (year) => first.x + ((year - from) / span) * width;
}

function byYear(a: PictureNode, b: PictureNode): number {
  return (a.year ?? 0) - (b.year ?? 0);
}

function byWeight(a: UnplacedNode, b: UnplacedNode): number {
  return b.cited - a.cited || (a.id < b.id ? -1 : 1);
}

class Rows {
  readonly #taken = new Map<number, number[]>();

  /** Occupies and returns the row nearest to the middle that has room at `x`. */
  nearest(x: number): number {
    // Labels are to the right of their node, at the right edge to the left.
    const from = x > WIDTH - LABEL_WIDTH ? x - LABEL_WIDTH : x;
    for (let distance = 0; ; distance += 1)
      for (const row of distance === 0 ? [0] : [distance, -distance]) {
        const taken = this.#taken.get(row) ?? [];
        if (taken.some((other) => Math.abs(other - from) < LABEL_WIDTH)) continue;
        this.#taken.set(row, [...taken, from]);
        return row;
      }
  }
}
