import type { EdgeKind, NodeKind } from './schema.ts';

/** Priority of statements about a node: the lowest wins. */
export const RANK = { record: 0, document: 1, mention: 2, reference: 3, guess: 4 } as const;

/** A statement of a document about a node. */
export interface NodeStatement {
  /** Such as `work:doi:10.1000/182`; the first part is the kind. */
  readonly id: string;
  readonly kind: NodeKind;
  readonly label: string;
  readonly year: number | null;
  readonly rank: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A place in a document's text; the quote is the block's text from `start` to `end`. */
export interface TextPlace {
  readonly kind: 'text';
  readonly fileSha256: string | null;
  /** The block's place in reading order; a cell's text is meant when `detail` names a row and a column. */
  readonly block: number;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
  readonly page: number | null;
  /** Page, left, top, right, bottom of every piece of the block. */
  readonly boxes: readonly (readonly number[])[];
}

/** A record of a service, and when it was read. */
export interface MetadataPlace {
  readonly kind: 'metadata';
  readonly origin: string;
  readonly readAt: string | null;
}

/** The reason for an edge. */
export interface Evidence {
  readonly place: TextPlace | MetadataPlace;
  readonly method: string;
  readonly version: number;
  readonly score: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** An edge with one reason for it; the same edge may be stated again with another. */
export interface EdgeStatement {
  readonly source: string;
  readonly kind: EdgeKind;
  readonly target: string;
  readonly evidence: Evidence;
}

/** A reference without an identifier; it is compared with the works of the graph. */
export interface OpenReference {
  /** The id of its node. */
  readonly id: string;
  readonly text: string;
  readonly place: TextPlace;
}

/** All nodes and edges of one document. */
export interface Contribution {
  /** The document's name, under which its statements are stored and removed. */
  readonly owner: string;
  /** The id of the work that the document is a copy of. */
  readonly work: string;
  readonly fileSha256: string | null;
  readonly nodes: readonly NodeStatement[];
  readonly edges: readonly EdgeStatement[];
  readonly references: readonly OpenReference[];
}
