import type { EdgeKind, NodeKind } from '../../graph/index.ts';

export interface GraphNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly label: string;
  readonly year: number | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A row of evidence for an edge. */
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

export function nodeOf(row: Record<string, unknown>): GraphNode {
  return {
    id: String(row['id']),
    kind: row['kind'] as NodeKind,
    label: String(row['label']),
    year: row['year'] === null ? null : Number(row['year']),
    data: JSON.parse(String(row['data'])) as Record<string, unknown>,
  };
}

export function evidenceOf(row: Record<string, unknown>): ShownEvidence {
  const number = (name: string): number | null => (row[name] === null ? null : Number(row[name]));
  const text = (name: string): string | null => (row[name] === null ? null : (row[name] as string));
  return {
    document: String(row['owner']),
    method: String(row['method']),
    version: Number(row['version']),
    score: Number(row['score']),
    quote: text('quote'),
    block: number('block'),
    start: number('start_at'),
    end: number('end_at'),
    page: number('page'),
    boxes: JSON.parse(text('boxes') ?? '[]') as number[][],
    fileSha256: text('file_sha256'),
    origin: text('origin'),
    readAt: text('read_at'),
    detail: JSON.parse(String(row['detail'])) as Record<string, unknown>,
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
