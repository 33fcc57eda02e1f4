import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { commitPart, partPath } from '../../base/index.ts';
import type { Graph } from './graph.ts';

/** Export formats, with the ending of the file or folder. */
export const EXPORT_FORMATS = { graphml: '.graphml', neo4j: '-neo4j' } as const;

export type ExportFormat = keyof typeof EXPORT_FORMATS;

/** Writes a graph for another program: a file, or a folder of files. */
export async function exportGraph(graph: Graph, format: ExportFormat, path: string): Promise<void> {
  await (format === 'graphml' ? writeText(path, graphMl(graph)) : writeNeo4j(graph, path));
}

/** A node as stored. */
interface ExportedNode {
  readonly node: string;
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly year: number | null;
  readonly data: string;
}

/** An edge as stored, with the number of its evidence rows. */
interface ExportedEdge {
  readonly source: string;
  readonly kind: string;
  readonly target: string;
  readonly evidence: number;
}

function* nodesOf({ database }: Graph): Generator<ExportedNode> {
  for (const row of database.prepare('SELECT * FROM nodes ORDER BY node').iterate())
    yield row as unknown as ExportedNode;
}

function* edgesOf({ database }: Graph): Generator<ExportedEdge> {
  for (const row of database.prepare('SELECT * FROM edges ORDER BY source, kind, target').iterate())
    yield row as unknown as ExportedEdge;
}

/** GraphML, for Gephi, Cytoscape, yEd, igraph and NetworkX. */
function* graphMl(graph: Graph): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n';
  for (const [id, where, type] of [
    ['id', 'node', 'string'],
    ['kind', 'node', 'string'],
    ['label', 'node', 'string'],
    ['year', 'node', 'int'],
    ['relation', 'edge', 'string'],
    ['evidence', 'edge', 'int'],
  ])
    yield `<key id="${id}" for="${where}" attr.name="${id}" attr.type="${type}"/>\n`;
  yield '<graph edgedefault="directed">\n';
  for (const { node, id, kind, label, year } of nodesOf(graph))
    yield `<node id="${node}"><data key="id">${xmlText(id)}</data><data key="kind">${kind}</data><data key="label">${xmlText(label)}</data>${year === null ? '' : `<data key="year">${year}</data>`}</node>\n`;
  for (const { source, kind, target, evidence } of edgesOf(graph))
    yield `<edge source="${source}" target="${target}"><data key="relation">${kind}</data><data key="evidence">${evidence}</data></edge>\n`;
  yield '</graph>\n</graphml>\n';
}

/** Escapes markup and drops characters that XML forbids. */
function xmlText(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);
}

/** Nodes and edges as CSV with the headers that `neo4j-admin database import` reads, and a script for a running server. */
async function writeNeo4j(graph: Graph, folder: string): Promise<void> {
  const csv = (...cells: (string | number)[]): string =>
    `${cells.map((cell) => `"${String(cell).replaceAll('"', '""').replace(/\s+/g, ' ')}"`).join(',')}\n`;
  const titled = (kind: string): string => kind.slice(0, 1).toUpperCase() + kind.slice(1);
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

const BUFFERED_CHARACTERS = 1 << 20;

/** Writes a file piece by piece; it gets its name when it is complete and synced. */
async function writeText(path: string, pieces: Iterable<string>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const part = partPath(path);
  {
    await using file = await open(part, 'wx');
    let buffer = '';
    for (const piece of pieces) {
      buffer += piece;
      if (buffer.length < BUFFERED_CHARACTERS) continue;
      await file.writeFile(buffer);
      buffer = '';
    }
    await file.writeFile(buffer);
    await file.sync();
  }
  await commitPart(part, path);
}
