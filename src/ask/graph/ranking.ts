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

/**
 * Communities of works by citations (Louvain, Blondel et al. 2008). Works are processed in the order of their keys, so that the
 * same graph gives the same groups.
 */
export function communities(database: DatabaseSync): Map<string, number> {
  const { nodes, cites } = readCitations(database);
  let groups = nodes.map((_, at) => at);
  let links = undirected(cites);
  const member = nodes.map((_, at) => at);
  for (let level = 0; level < 10; level += 1) {
    const moved = moveOnce(links);
    const names = new Map<number, number>();
    for (const group of moved) if (!names.has(group)) names.set(group, names.size);
    groups = moved.map((group) => names.get(group) ?? 0);
    for (const [at, group] of member.entries()) member[at] = groups[group] ?? 0;
    if (names.size === links.length) break;
    links = joined(links, groups, names.size);
  }
  return new Map(nodes.map((node, at) => [node, member[at] ?? 0]));
}

type Links = readonly ReadonlyMap<number, number>[];

function undirected(cites: readonly (readonly number[])[]): Links {
  const links = cites.map(() => new Map<number, number>());
  for (const [at, cited] of cites.entries())
    for (const other of cited) {
      if (other === at) continue;
      links[at]?.set(other, (links[at]?.get(other) ?? 0) + 1);
      links[other]?.set(at, (links[other]?.get(at) ?? 0) + 1);
    }
  return links;
}

/** Moves each node to the neighbouring group with the highest gain, until none moves. */
function moveOnce(links: Links): number[] {
  const group = links.map((_, at) => at);
  const degree = links.map((each) => [...each.values()].reduce((sum, weight) => sum + weight, 0));
  const total = degree.reduce((sum, each) => sum + each, 0) || 1;
  const inside = [...degree];
  for (let round = 0; round < 20; round += 1) {
    let changes = 0;
    for (let at = 0; at < links.length; at += 1) {
      const own = group[at] ?? 0;
      const mine = degree[at] ?? 0;
      const toward = new Map<number, number>([[own, 0]]);
      for (const [other, weight] of links[at] ?? []) {
        const theirs = group[other] ?? 0;
        if (other !== at) toward.set(theirs, (toward.get(theirs) ?? 0) + weight);
      }
      inside[own] = (inside[own] ?? 0) - mine;
      let best = own;
      let most = Number.NEGATIVE_INFINITY;
      for (const [other, weight] of [...toward].sort(([a], [b]) => a - b)) {
        const gain = weight - ((inside[other] ?? 0) * mine) / total;
        if (gain > most + 1e-12) [best, most] = [other, gain];
      }
      inside[best] = (inside[best] ?? 0) + mine;
      if (best !== own) changes += 1;
      group[at] = best;
    }
    if (changes === 0) break;
  }
  return group;
}

function joined(links: Links, groups: readonly number[], count: number): Links {
  const result = Array.from({ length: count }, () => new Map<number, number>());
  for (const [at, each] of links.entries())
    for (const [other, weight] of each) {
      const from = groups[at] ?? 0;
      const to = groups[other] ?? 0;
      result[from]?.set(to, (result[from]?.get(to) ?? 0) + weight);
    }
  return result;
}
