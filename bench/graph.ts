// The graph: loading edges with their evidence, two hops, beside DuckDB; extraction against parsing.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { renderPdf, writePaper } from '../sim/content/index.ts';
import { paperSpec } from '../sim/server/paper-spec.ts';
import { World } from '../sim/world/world.ts';
import { extractDocument } from '../src/graph/extract/extract-document.ts';
import type { Contribution, EdgeStatement, NodeStatement } from '../src/graph/index.ts';
import { GraphStore } from '../src/graph/index.ts';
import { parsePdf } from '../src/parse/doctags/pdf.ts';
import type { Figure } from './measure.ts';
import { cpuSeconds, quick, report } from './measure.ts';

const NODES = quick ? 20_000 : 100_000;
const EDGES = quick ? 200_000 : 1_000_000;
const folder = mkdtempSync(join(tmpdir(), 'bench-graph-'));
const figures: Figure[] = [];

let state = 1;
function next(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

/** Works that cite others, thirty to a document. */
function* contributions(): Generator<Contribution> {
  const perDocument = Math.round(EDGES / NODES);
  const id = (at: number): string => `work:doi:10.5555/${at}`;
  const node = (at: number, rank: number): NodeStatement => ({
    id: id(at),
    kind: 'work',
    label: `Work ${at}`,
    year: 2000,
    rank,
    data: {},
  });
  for (let at = 0; at < NODES; at += 1) {
    const cited = new Set(Array.from({ length: perDocument }, () => next(NODES)));
    const edges = [...cited].map((other): EdgeStatement => {
      const evidence = {
        place: { kind: 'metadata', origin: 'bench', readAt: null },
        method: 'bench',
        version: 1,
        score: 1,
        detail: {},
      } as const;
      return { source: id(at), kind: 'cites', target: id(other), evidence };
    });
    yield {
      owner: `d${String(at).padStart(7, '0')}`,
      work: id(at),
      fileSha256: null,
      nodes: [node(at, 0), ...[...cited].map((other) => node(other, 4))],
      edges,
      references: [],
    };
  }
}

try {
  const path = join(folder, 'graph.sqlite');
  using store = new GraphStore(path);
  const load = await cpuSeconds(() => store.apply({ add: contributions() }, ({ owner }) => owner));
  const edges = Number(store.database.prepare('SELECT count(*) AS count FROM edges').get()?.['count']);
  figures.push(
    { name: `${edges.toLocaleString('en')} edges with evidence, loaded`, value: load, unit: 'CPU s' },
    { name: 'resident memory', value: process.memoryUsage().rss / 1e6, unit: 'MB' },
    { name: 'file', value: statSync(path).size / 1e6, unit: 'MB' },
  );
  const rows = store.database.prepare('SELECT source, kind, target FROM edges ORDER BY source, kind, target').all() as {
    source: string;
    kind: string;
    target: string;
  }[];
  const bare = new GraphStore(join(folder, 'bare.sqlite'));
  const insert = bare.database.prepare('INSERT INTO edges VALUES (?, ?, ?, 1)');
  bare.database.exec('DROP INDEX edges_back');
  const table = await cpuSeconds(() => {
    bare.database.exec('BEGIN');
    for (const { source, kind, target } of rows) insert.run(source, kind, target);
    bare.database.exec('CREATE INDEX edges_back ON edges (target, kind, source)');
    bare.database.exec('COMMIT');
  });
  figures.push({
    name: 'the table of edges and its index alone, sorted',
    value: table,
    unit: 'CPU s',
    ...(!quick && { atMost: 3 }),
  });
  const hop = store.database.prepare(
    'SELECT count(DISTINCT b.target) AS count FROM edges AS a JOIN edges AS b ON b.source = a.target WHERE a.source = ?',
  );
  const asked = rows.filter((_, at) => at % Math.ceil(rows.length / 500) === 0);
  for (const { source } of asked.slice(0, 50)) hop.get(source);
  const hops = await cpuSeconds(() => {
    for (const { source } of asked) hop.get(source);
  });
  figures.push({ name: 'two hops', value: (hops * 1000) / asked.length, unit: 'CPU ms', atMost: 1 });
  await besideDuckDb(rows, asked);
  await extraction();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
report('graph', { nodes: NODES, edges: EDGES }, figures);

async function besideDuckDb(
  rows: readonly { source: string; kind: string; target: string }[],
  asked: readonly { source: string }[],
): Promise<void> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(join(folder, 'duck.db'))).connect();
  await connection.run('CREATE TABLE edges (source VARCHAR, kind VARCHAR, target VARCHAR)');
  const load = await cpuSeconds(async () => {
    const appender = await connection.createAppender('edges');
    for (const { source, kind, target } of rows) {
      appender.appendVarchar(source);
      appender.appendVarchar(kind);
      appender.appendVarchar(target);
      appender.endRow();
    }
    appender.closeSync();
  });
  const some = asked.slice(0, 40);
  const hops = await cpuSeconds(async () => {
    for (const { source } of some)
      await connection.runAndReadAll(
        `SELECT count(DISTINCT b.target) FROM edges AS a JOIN edges AS b ON b.source = a.target WHERE a.source = '${source}'`,
      );
  });
  figures.push(
    { name: 'DuckDB: the table of edges, loaded', value: load, unit: 'CPU s' },
    { name: 'DuckDB: two hops', value: (hops * 1000) / some.length, unit: 'CPU ms' },
  );
}

async function extraction(): Promise<void> {
  const world = new World({ seed: 3, works: 400, hosts: 40, profile: 'calm' });
  const pdfs: Uint8Array[] = [];
  for (let work = 0; work < (quick ? 12 : 40); work += 1)
    pdfs.push(await renderPdf(writePaper(paperSpec(world, work)), work % 2 === 0 ? 'L1' : 'L2'));
  let parse = 0;
  let extract = 0;
  for (const [at, pdf] of pdfs.entries()) {
    let document: Awaited<ReturnType<typeof parsePdf>> | undefined;
    const parsed = await cpuSeconds(async () => (document = await parsePdf(pdf)));
    const read = await cpuSeconds(() => document && extractDocument(`paper-${at}`, document));
    // The first papers warm the code of both.
    if (at < 4) continue;
    parse += parsed;
    extract += read;
  }
  figures.push({ name: 'extraction / parsing', value: extract / parse, unit: 'of its CPU', atMost: 0.2 });
}
