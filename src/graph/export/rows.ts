import type { Graph } from '../ask/graph.ts';

/** A node as it is stored. */
export interface ExportedNode {
  readonly node: string;
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly year: number | null;
  readonly data: string;
}

/** An edge as it is stored, with the number of its reasons. */
export interface ExportedEdge {
  readonly source: string;
  readonly kind: string;
  readonly target: string;
  readonly evidence: number;
}

/** Every node, in the order of their keys. */
export function* nodesOf({ database }: Graph, kind?: string): Generator<ExportedNode> {
  const rows =
    kind === undefined
      ? database.prepare('SELECT * FROM nodes ORDER BY node').iterate()
      : database.prepare('SELECT * FROM nodes WHERE kind = ? ORDER BY node').iterate(kind);
  for (const row of rows) yield row as unknown as ExportedNode;
}

/** Every edge, in the order of their ends. */
export function* edgesOf({ database }: Graph, kind?: string): Generator<ExportedEdge> {
  const order = 'ORDER BY source, kind, target';
  const rows =
    kind === undefined
      ? database.prepare(`SELECT * FROM edges ${order}`).iterate()
      : database.prepare(`SELECT * FROM edges WHERE kind = ? ${order}`).iterate(kind);
  for (const row of rows) yield row as unknown as ExportedEdge;
}

/** Text that may stand in XML: markup escaped, characters that XML forbids left out. */
export function xmlText(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);
}
