import { join } from 'node:path';

import { openRowWriter } from '../../parse/index.ts';
import type { Graph } from '../ask/graph.ts';
import { edgesOf, nodesOf } from './rows.ts';
import { writeText } from './write-text.ts';

/** Nodes and edges as CSV with the headers that `neo4j-admin database import` reads, and a script for a running server. */
export async function writeNeo4j(graph: Graph, folder: string): Promise<void> {
  const csv = (...cells: (string | number)[]): string =>
    `${cells.map((cell) => `"${String(cell).replaceAll('"', '""').replace(/\s+/g, ' ')}"`).join(',')}\n`;
  await writeText(
    join(folder, 'nodes.csv'),
    (function* () {
      yield 'node:ID,id,label,year:int,data,:LABEL\n';
      for (const each of nodesOf(graph))
        yield csv(each.node, each.id, each.label, each.year ?? '', each.data, titled(each.kind));
    })(),
  );
  await writeText(
    join(folder, 'edges.csv'),
    (function* () {
      yield ':START_ID,evidence:int,:END_ID,:TYPE\n';
      for (const each of edgesOf(graph)) yield csv(each.source, each.evidence, each.target, each.kind.toUpperCase());
    })(),
  );
  await writeText(join(folder, 'load.cypher'), [
    '// Copy nodes.csv and edges.csv into the import folder of the server, then: cypher-shell -f load.cypher\n',
    'CREATE CONSTRAINT node_key IF NOT EXISTS FOR (n:Node) REQUIRE n.node IS UNIQUE;\n',
    "LOAD CSV WITH HEADERS FROM 'file:///nodes.csv' AS row\nCALL (row) { MERGE (n:Node {node: row['node:ID']}) SET n.id = row.id, n.label = row.label, n.year = toInteger(row['year:int']), n.data = row.data, n.kind = row[':LABEL'] } IN TRANSACTIONS OF 5000 ROWS;\n",
    "LOAD CSV WITH HEADERS FROM 'file:///edges.csv' AS row\nCALL (row) { MATCH (a:Node {node: row[':START_ID']}), (b:Node {node: row[':END_ID']}) MERGE (a)-[r:EDGE {kind: row[':TYPE']}]->(b) SET r.evidence = toInteger(row['evidence:int']) } IN TRANSACTIONS OF 5000 ROWS;\n",
  ]);
}

function titled(kind: string): string {
  return kind.slice(0, 1).toUpperCase() + kind.slice(1);
}

const TABLES = {
  nodes: { node: 'string', id: 'string', kind: 'string', label: 'string', year: 'integer', data: 'string' },
  edges: { source: 'string', kind: 'string', target: 'string', evidence: 'integer' },
  evidence: {
    owner: 'string',
    source: 'string',
    kind: 'string',
    target: 'string',
    method: 'string',
    version: 'integer',
    score: 'float',
    file_sha256: 'string',
    block: 'integer',
    start_at: 'integer',
    end_at: 'integer',
    quote: 'string',
    page: 'integer',
    boxes: 'string',
    origin: 'string',
    read_at: 'string',
    detail: 'string',
  },
} as const;

/** Nodes, edges and evidence as three Parquet files. A text that is not there is empty. */
export async function writeParquet(graph: Graph, folder: string): Promise<void> {
  for (const [name, columns] of Object.entries(TABLES)) {
    const order = name === 'nodes' ? 'node' : name === 'edges' ? 'source, kind, target' : 'owner, part, number';
    await using writer = await openRowWriter(join(folder, `${name}.parquet`), {
      metadata: { schema: `docstokg/graph/${name}/1` },
      columns,
    });
    for (const row of graph.database
      .prepare(`SELECT ${Object.keys(columns).join(', ')} FROM ${name} ORDER BY ${order}`)
      .iterate())
      await writer.write(
        Object.fromEntries(
          Object.entries(columns).map(([column, type]) => [
            column,
            row[column] ?? (type === 'string' ? '' : undefined),
          ]),
        ),
      );
    await writer.finish();
  }
}
