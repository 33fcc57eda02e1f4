import type { DatabaseSync } from 'node:sqlite';

const DAMPING = 0.85;
const MOST_ROUNDS = 100;
const SETTLED = 1e-9;

interface Citations {
  readonly nodes: readonly string[];
  /** For each work the indexes of the works it cites. */
  readonly cites: readonly (readonly number[])[];
}

function readCitations(database: DatabaseSync): Citations {
  const edges = database
    .prepare("SELECT source, target FROM edges WHERE kind = 'cites' ORDER BY source, target")
    .all() as { source: string; target: string }[];
  const nodes = [...new Set(edges.flatMap(({ source, target }) => [source, target]))].sort();
  const place = new Map(nodes.map((node, at) => [node, at]));
  const cites: number[][] = nodes.map(() => []);
  for (const { source, target } of edges) cites[place.get(source) ?? 0]?.push(place.get(target) ?? 0);
  return { nodes, cites };
}

/** PageRank of the works by citations; the sum is 1. */
export function pageRank(database: DatabaseSync): Map<string, number> {
  const { nodes, cites } = readCitations(database);
  const count = nodes.length;
  let rank = new Float64Array(count).fill(1 / count);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const next = new Float64Array(count);
    let loose = 0;
    for (let at = 0; at < count; at += 1) {
      const cited = cites[at] ?? [];
      const share = rank[at] ?? 0;
      if (cited.length === 0) loose += share;
      for (const other of cited) next[other] = (next[other] ?? 0) + share / cited.length;
    }
    let moved = 0;
    for (let at = 0; at < count; at += 1) {
      const value = (1 - DAMPING) / count + DAMPING * ((next[at] ?? 0) + loose / count);
      moved += Math.abs(value - (rank[at] ?? 0));
      next[at] = value;
    }
    rank = next;
    if (moved < SETTLED) break;
  }
  return new Map(nodes.map((node, at) => [node, rank[at] ?? 0]));
}
