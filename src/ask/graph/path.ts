import type { DatabaseSync } from 'node:sqlite';

import type { EdgeKind } from '../../graph/index.ts';
import { nodeOf } from './types.ts';
import type { GraphNode } from './types.ts';

/** A node on a path and the edge to it; the first has none. */
export interface PathStep {
  readonly node: GraphNode;
  readonly edge: EdgeKind | null;
  readonly direction: 'out' | 'in' | null;
}

type Link = { readonly from: string; readonly edge: EdgeKind; readonly direction: 'out' | 'in' };

/** Kinds of nodes that make a path meaningful. */
const TELLING_KINDS: ReadonlySet<string> = new Set([
  'work',
  'reference',
  'passage',
  'author',
  'dataset',
  'claim',
  'figure',
  'table',
]);

/**
 * A shortest path between two nodes, given by their keys; undefined when there is none of at most `most` steps. Programs,
 * journals and topics connect unrelated works, so that a path uses them only if there is no other.
 */
export function shortestPath(
  database: DatabaseSync,
  ends: readonly [start: string, goal: string],
  most: number,
): PathStep[] | undefined {
  return search(database, ends, most, TELLING_KINDS) ?? search(database, ends, most, undefined);
}

function search(
  database: DatabaseSync,
  [start, goal]: readonly [start: string, goal: string],
  most: number,
  through: ReadonlySet<string> | undefined,
): PathStep[] | undefined {
  const cameFrom = new Map<string, Link | null>([[start, null]]);
  const edges = database.prepare(
    `SELECT target AS node, edges.kind, 'out' AS direction, nodes.kind AS node_kind
     FROM edges CROSS JOIN nodes ON nodes.node = edges.target WHERE source = :node
     UNION ALL SELECT source, edges.kind, 'in', nodes.kind
     FROM edges CROSS JOIN nodes ON nodes.node = edges.source WHERE target = :node ORDER BY 1, 2`,
  );
  let border = [start];
  for (let depth = 0; depth < most && border.length > 0 && !cameFrom.has(goal); depth += 1) {
    const next: string[] = [];
    for (const node of border)
      for (const row of edges.all({ node })) {
        const other = String(row['node']);
        if (cameFrom.has(other) || (other !== goal && through?.has(String(row['node_kind'])) === false)) continue;
        cameFrom.set(other, { from: node, edge: row['kind'] as EdgeKind, direction: row['direction'] as 'out' | 'in' });
        next.push(other);
      }
    border = next;
  }
  if (!cameFrom.has(goal)) return undefined;
  const byKey = database.prepare('SELECT * FROM nodes WHERE node = ?');
  const path: PathStep[] = [];
  for (let at: string | undefined = goal; at !== undefined;) {
    const row = byKey.get(at);
    const link: Link | null = cameFrom.get(at) ?? null;
    if (row) path.unshift({ node: nodeOf(row), edge: link?.edge ?? null, direction: link?.direction ?? null });
    at = link?.from;
  }
  return path;
}
