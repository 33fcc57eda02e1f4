import type { GraphPicture, PictureEdge, PictureNode } from '../../../graph/picture/index.ts';

/** A node of the drawing, with the group that gives it its colour. */
export interface DrawnNode extends PictureNode {
  readonly group: string;
}

/** An edge between nodes by their ids. */
export interface DrawnEdge extends Omit<PictureEdge, 'source' | 'target'> {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

/** The neighbourhoods that are shown, as one graph. The first node is that of the first. */
export interface DrawnGraph {
  readonly nodes: ReadonlyMap<string, DrawnNode>;
  readonly edges: readonly DrawnEdge[];
}

/** Nodes and edges of several neighbourhoods, each once. Those of a further one begin around the node it belongs to. */
export function joined(pictures: readonly GraphPicture[]): DrawnGraph {
  const nodes = new Map<string, DrawnNode>();
  const edges = new Map<string, DrawnEdge>();
  for (const picture of pictures) {
    const [centre] = picture.nodes;
    const known = centre && nodes.get(centre.id);
    const [dx, dy] = known ? [known.x - centre.x, known.y - centre.y] : [0, 0];
    for (const node of picture.nodes)
      if (!nodes.has(node.id)) nodes.set(node.id, { ...node, x: node.x + dx, y: node.y + dy, group: groupOf(node) });
    for (const { source, target, ...edge } of picture.edges) {
      const [from, to] = [picture.nodes[source]?.id, picture.nodes[target]?.id];
      if (from === undefined || to === undefined) continue;
      const key = `${edge.kind} ${from} ${to}`;
      if (!edges.has(key)) edges.set(key, { ...edge, key, from, to });
    }
  }
  return { nodes, edges: [...edges.values()] };
}

/** Works of the library, other works, and of everything else its type where it is known, or its kind. */
function groupOf(node: PictureNode): string {
  if (node.kind === 'work') return node.inCorpus ? 'in the library' : 'cited work';
  const { type } = node as { readonly type?: unknown };
  return (typeof type === 'string' && type !== '' ? type : node.kind).replaceAll('_', ' ');
}

/** Whether the name of a work is only an id, since its title is not known. */
export function isBareId({ kind, label }: PictureNode): boolean {
  return kind === 'work' && /^(?:openalex|doi|pmid|pmcid|arxiv):/.test(label);
}

/** Between a name and its node, and between names. */
const GAP = 4;

/** Where names of nodes are written, right or left of them, so that none covers another. */
export class NamePlaces {
  readonly #height: number;
  #taken: { readonly left: number; readonly right: number; readonly y: number }[] = [];

  constructor(pixels: number) {
    this.#height = pixels;
  }

  clear(): void {
    this.#taken = [];
  }

  /** The left end of a name of this width; undefined if there is no room for it. */
  take(
    node: { readonly x: number; readonly y: number; readonly size: number },
    width: number,
    within: number,
  ): number | undefined {
    const { x, y, size } = node;
    const left = [x + size + GAP, x - size - GAP - width].find((at) => this.#isFree(at, at + width, y, within));
    if (left !== undefined) this.#taken.push({ left, right: left + width, y });
    return left;
  }

  #isFree(left: number, right: number, y: number, within: number): boolean {
    if (left < 0 || right > within) return false;
    return this.#taken.every(
      (name) => Math.abs(name.y - y) > this.#height + 2 || name.left > right + GAP || name.right + GAP < left,
    );
  }
}

/** Works of some years, with the colour of them all. */
export interface YearBand {
  readonly from: number;
  readonly to: number;
  readonly colour: string;
}

/** From the oldest to the newest; read on light and dark grounds. */
const YEAR_COLOURS = ['#8a63b8', '#4f7fc4', '#2a9d8f', '#7f9f2e', '#d0791f'];

/** The years of works in bands of about as many works each, oldest first. */
export function yearBands(nodes: Iterable<PictureNode>): readonly YearBand[] {
  const years = [...nodes]
    .flatMap(({ kind, year }) => (kind === 'work' && year !== null ? [year] : []))
    .toSorted((a, b) => a - b);
  const distinct = [...new Set(years)];
  const many = Math.min(YEAR_COLOURS.length, distinct.length);
  const bands: YearBand[] = [];
  let after = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < many; at += 1) {
    const rest = distinct.filter((year) => year > after);
    const least = years.filter((year) => year > after).length / (many - at);
    // A year is in one band; each further band has one at least.
    const to = rest
      .slice(0, rest.length - (many - at - 1))
      .find(
        (year, place, { length }) =>
          place === length - 1 || years.filter((each) => each > after && each <= year).length >= least,
      );
    const [from] = rest;
    if (from === undefined || to === undefined) break;
    const colour = YEAR_COLOURS[many === 1 ? 0 : Math.round((at * (YEAR_COLOURS.length - 1)) / (many - 1))] ?? '';
    bands.push({ from, to, colour });
    after = to;
  }
  return bands;
}
