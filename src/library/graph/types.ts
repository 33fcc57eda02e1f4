import { parseStored } from '../../database/index.ts';
import type { EdgeKind, NodeKind } from '../../graph/index.ts';

/** A work, a person, a term or another thing that papers name. */
export interface GraphNode {
  /** For example a DOI, or the kind and the name. */
  readonly id: string;
  readonly kind: NodeKind;
  /** What people call it. */
  readonly label: string;
  /** The year of a work; null for others. */
  readonly year: number | null;
  /** More about it, by its kind. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Where an edge is said, and who read it there. */
export interface ShownEvidence {
  /** The document that says it. */
  readonly document: string;
  /** How it was found, for example a rule or a model. */
  readonly method: string;
  /** The version of that method. */
  readonly version: number;
  /** How sure the method is, from 0 to 1. */
  readonly score: number;
  /** The words; null if the source is a record. */
  readonly quote: string | null;
  /** The block of the document; null if the source is a record. */
  readonly block: number | null;
  /** Where the quote begins in its block. */
  readonly start: number | null;
  /** Where the quote ends in its block. */
  readonly end: number | null;
  /** The page, from 1; null for documents without pages. */
  readonly page: number | null;
  /** Its boxes on the pages: page, left, top, right, bottom. */
  readonly boxes: readonly (readonly number[])[];
  /** The hash of the file that was read; null if the source is a record. */
  readonly fileSha256: string | null;
  /** The service that says it; null if a document does. */
  readonly origin: string | null;
  /** When the service was asked; null if a document says it. */
  readonly readAt: string | null;
  /** More about it, by the kind of the edge. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** An edge from or to a node, with the node at its other end. */
export interface Neighbour {
  readonly kind: EdgeKind;
  /** Whether the edge leads from the node that was asked about, or to it. */
  readonly direction: 'out' | 'in';
  /** The node at the other end. */
  readonly node: GraphNode;
  /** The sentences that the edge is based on. */
  readonly evidence: readonly ShownEvidence[];
}

/** A node and how often it counts. */
export interface Weighted {
  /** The node. */
  readonly node: GraphNode;
  /** For example the number of works that name it. */
  readonly weight: number;
}

export type NodeRow = Omit<GraphNode, 'data'> & { readonly node: string; readonly data: string };

export function nodeOf({ id, kind, label, year, data }: NodeRow): GraphNode {
  return { id, kind, label, year, data: parseStored<GraphNode['data']>(data) };
}

export const EVIDENCE = `owner as document, method, version, score, quote, block, start_at as start, end_at as "end", page, boxes,
  file_sha256 as fileSha256, origin, read_at as readAt, detail`;

export type EvidenceRow = Omit<ShownEvidence, 'boxes' | 'detail'> & {
  readonly boxes: string | null;
  readonly detail: string;
};

export function evidenceOf({ boxes, detail, ...row }: EvidenceRow): ShownEvidence {
  return {
    ...row,
    boxes: parseStored<ShownEvidence['boxes']>(boxes ?? '[]'),
    detail: parseStored<ShownEvidence['detail']>(detail),
  };
}

/** Author, year and title of a work, as far as known. */
export function workLabel({ label, year, data }: Pick<GraphNode, 'label' | 'year' | 'data'>): string {
  const authors = Array.isArray(data['authors'])
    ? data['authors'].filter((name): name is string => typeof name === 'string' && name !== '')
    : [];
  const who = authors.length === 0 ? '' : `${familyName(authors[0] ?? '')}${authors.length > 1 ? ' et al.' : ''}`;
  const named = [who, year === null ? '' : String(year)].filter((part) => part !== '').join(' ');
  return named === '' ? label : `${named} · ${label}`;
}

/** The family name of `Silva A`, `Silva, Ana` and `Ana Silva`. */
export function familyName(name: string): string {
  const [before, after] = name.split(',', 2);
  if (after !== undefined) return (before ?? '').trim();
  const words = name.trim().split(/\s+/);
  const initials = words.length > 1 && /^\p{Lu}{1,4}$/u.test(words.at(-1) ?? '');
  return initials ? words.slice(0, -1).join(' ') : (words.at(-1) ?? name);
}
