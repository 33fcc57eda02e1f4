// One way to hold a graph, in a process of its own so that its memory is its own:  node bench/graph/side.ts sqlite|graphology|duckdb EDGES
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PER_NODE = 10;
const ASKED = 300;

/** What one side took. */
export interface Side {
  readonly edges: number;
  readonly loadCpuSeconds: number;
  readonly residentMegabytes: number;
  readonly fileMegabytes: number;
  readonly hopCpuMs: number;
}

type Edge = readonly [source: string, target: string];
interface Loaded {
  readonly file?: string;
  readonly hop: (source: string) => unknown;
}

function key(at: number): string {
  return at.toString(36).padStart(11, '0');
}

/** Edges in the order of their keys, ten from each node to others by chance; keys are as long as those of the graph. */
function* sortedEdges(edges: number): Generator<Edge> {
  const nodes = edges / PER_NODE;
  let state = 1;
  for (let at = 0; at < nodes; at += 1) {
    const targets = new Set<string>();
    while (targets.size < PER_NODE) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      targets.add(key(Math.floor((state / 2 ** 32) * nodes)));
    }
    for (const target of [...targets].sort()) yield [key(at), target];
  }
}

const SIDES: Readonly<Record<string, (edges: number, folder: string) => Promise<Loaded>>> = {
  async sqlite(edges, folder) {
    const { GraphStore } = await import('../../src/graph/store/graph-store.ts');
    const { RowInsert } = await import('../../src/graph/store/row-insert.ts');
    const file = join(folder, 'graph.sqlite');
    const { database } = new GraphStore(file);
    const index = String(database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'edges_back'").get()?.['sql']);
    database.exec('BEGIN; DROP INDEX edges_back');
    const insert = new RowInsert(database, 'edges', 4);
    for (const [source, target] of sortedEdges(edges)) insert.add(source, 'cites', target, 1);
    insert.flush();
    database.exec(`${index}; COMMIT`);
    const hop = database.prepare(
      'SELECT count(DISTINCT b.target) AS count FROM edges AS a JOIN edges AS b ON b.source = a.target WHERE a.source = ?',
    );
    return { file, hop: (source) => hop.get(source) };
  },
  async graphology(edges) {
    const { DirectedGraph } = await import('graphology');
    const graph = new DirectedGraph();
    for (const [source, target] of sortedEdges(edges)) graph.mergeEdge(source, target);
    return {
      hop: (source) => {
        const found = new Set<string>();
        graph.forEachOutNeighbor(source, (near) => graph.forEachOutNeighbor(near, (far) => void found.add(far)));
        return found.size;
      },
    };
  },
  async duckdb(edges, folder) {
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const file = join(folder, 'duck.db');
    const connection = await (await DuckDBInstance.create(file)).connect();
    await connection.run('CREATE TABLE edges (source VARCHAR, kind VARCHAR, target VARCHAR)');
    const appender = await connection.createAppender('edges');
    for (const [source, target] of sortedEdges(edges)) {
      appender.appendVarchar(source);
      appender.appendVarchar('cites');
      appender.appendVarchar(target);
      appender.endRow();
    }
    appender.closeSync();
    return {
      file,
      hop: (source) =>
        connection.runAndReadAll(
          `SELECT count(DISTINCT b.target) FROM edges AS a JOIN edges AS b ON b.source = a.target WHERE a.source = '${source}'`,
        ),
    };
  },
};

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

if (import.meta.main) {
  const [name = '', count = ''] = process.argv.slice(2);
  const folder = mkdtempSync(join(tmpdir(), 'bench-graph-side-'));
  try {
    const edges = Number(count);
    // What making the edges up costs is not what loading them costs.
    const idle = cpu();
    let made = 0;
    for (const [source] of sortedEdges(edges)) made += source.length;
    const generation = cpu() - idle;
    const nodes = made / 11 / PER_NODE;
    const some = Array.from({ length: ASKED }, (_, at) => key(Math.floor((at * nodes) / ASKED)));
    const before = cpu();
    const loaded = await SIDES[name]?.(edges, folder);
    if (!loaded) throw new Error(`there is no side ${name}`);
    const load = cpu() - before - generation;
    const resident = process.memoryUsage().rss / 1e6;
    for (const source of some.slice(0, 30)) await loaded.hop(source);
    const start = cpu();
    for (const source of some) await loaded.hop(source);
    const side: Side = {
      edges,
      loadCpuSeconds: load,
      residentMegabytes: resident,
      fileMegabytes: loaded.file === undefined ? 0 : statSync(loaded.file).size / 1e6,
      hopCpuMs: ((cpu() - start) * 1000) / some.length,
    };
    console.log(JSON.stringify(side));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
