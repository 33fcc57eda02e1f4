import type { EdgeKind, NodeKind } from '../schema.ts';

/** A node as it is shown. */
export interface GraphNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly label: string;
  readonly year: number | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Why an edge is there, as it is shown. */
export interface ShownEvidence {
  readonly document: string;
  readonly method: string;
  readonly version: number;
  readonly score: number;
  readonly quote: string | null;
  readonly block: number | null;
  readonly start: number | null;
  readonly end: number | null;
  readonly page: number | null;
  readonly boxes: readonly (readonly number[])[];
  readonly fileSha256: string | null;
  readonly origin: string | null;
  readonly readAt: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** An edge from or to a node, with the node at its other end. */
export interface Neighbour {
  readonly kind: EdgeKind;
  readonly direction: 'out' | 'in';
  readonly node: GraphNode;
  readonly evidence: readonly ShownEvidence[];
}

/** A node with a number that says how much it counts. */
export interface Weighted {
  readonly node: GraphNode;
  readonly weight: number;
}
