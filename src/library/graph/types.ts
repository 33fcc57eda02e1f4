import { parseStored } from '../../database/index.ts';
import type { EdgeKind, NodeKind } from '../../graph/index.ts';

export interface GraphNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly label: string;
  readonly year: number | null;
  readonly data: Readonly<Record<string, unknown>>;
}

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

export interface Weighted {
  readonly node: GraphNode;
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
