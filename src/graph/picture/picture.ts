import type { EdgeKind, NodeKind } from '../schema.ts';

/** The neighbourhood of a work as it is drawn and listed: plain data, the same for a page in a file and one that is served. */
export interface GraphPicture {
  /** The first is the work itself. */
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
  /** How many neighbours of a kind were left out. */
  readonly leftOut: Readonly<Partial<Record<PictureEdgeKind, number>>>;
}

/** Edges of the graph, and works that are like the one in the middle by what they cite and who cites them. */
export type PictureEdgeKind = EdgeKind | 'related';

export interface PictureNode {
  readonly id: string;
  readonly kind: NodeKind;
  /** Author, year and title of a work; the name of anything else. */
  readonly label: string;
  readonly year: number | null;
  /** By how many works of the graph it is cited. */
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

/** Why an edge is there: a quote at its place, or a catalogue. */
export interface PictureEvidence {
  readonly document: string;
  readonly quote: string | null;
  readonly page: number | null;
  readonly block: number | null;
  readonly start: number | null;
  readonly end: number | null;
  readonly origin: string | null;
}
