import type { NodeKind } from '../schema.ts';
import type { GraphNode, ShownEvidence } from './types.ts';

/** A row of the table of nodes as it is shown. */
export function nodeOf(row: Record<string, unknown>): GraphNode {
  return {
    id: String(row['id']),
    kind: row['kind'] as NodeKind,
    label: String(row['label']),
    year: row['year'] === null ? null : Number(row['year']),
    data: JSON.parse(String(row['data'])) as Record<string, unknown>,
  };
}

/** A row of the table of evidence as it is shown. */
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
