import type { DatabaseSync } from 'node:sqlite';

import type { EdgeKind } from '../schema.ts';
import { nodeOf } from './rows.ts';
import type { GraphNode } from './types.ts';

/** A node on a way, and the edge that led to it; the first has none. */
export interface PathStep {
  readonly node: GraphNode;
  readonly edge: EdgeKind | null;
  readonly direction: 'out' | 'in' | null;
}

type Link = { readonly from: string; readonly edge: EdgeKind; readonly direction: 'out' | 'in' };

/** A shortest way between two nodes, given by their keys; undefined when there is none of at most `most` steps. */
export function shortestPath(
  database: DatabaseSync,
  [start, goal]: readonly [start: string, goal: string],
  most: number,
): PathStep[] | undefined {
  const came = new Map<string, Link | null>([[start, null]]);
  const step = database.prepare(
    `SELECT target AS node, kind, 'out' AS direction FROM edges WHERE source = :node
     UNION ALL SELECT source, kind, 'in' FROM edges WHERE target = :node ORDER BY node, kind`,
  );
  let border = [start];
  for (let depth = 0; depth < most && border.length > 0 && !came.has(goal); depth += 1) {
    const next: string[] = [];
    for (const node of border)
      for (const row of step.all({ node })) {
        const other = String(row['node']);
        if (came.has(other)) continue;
        came.set(other, { from: node, edge: row['kind'] as EdgeKind, direction: row['direction'] as 'out' | 'in' });
        next.push(other);
      }
    border = next;
  }
  if (!came.has(goal)) return undefined;
  const byKey = database.prepare('SELECT * FROM nodes WHERE node = ?');
  const way: PathStep[] = [];
  for (let at: string | undefined = goal; at !== undefined;) {
    const row = byKey.get(at);
    const link: Link | null = came.get(at) ?? null;
    if (row) way.unshift({ node: nodeOf(row), edge: link?.edge ?? null, direction: link?.direction ?? null });
    at = link?.from;
  }
  return way;
}
