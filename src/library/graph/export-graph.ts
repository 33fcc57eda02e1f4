import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { AtomicText } from '../../base/index.ts';
import { escapeHtml, openRowWriter } from '../../parse/index.ts';
import type { Graph } from './graph.ts';
import { communities, readCitations } from './graph.ts';
import { jsonLd, nQuads, turtle } from './rdf.ts';
import type { NodeRow } from './types.ts';
import { familyName } from './types.ts';

export const GRAPH_FORMATS = {
  graphml: { ending: '.graphml', write: (graph: Graph, path: string) => writeText(path, graphMl(graph)) },
  vosviewer: { ending: '.vosviewer.json', write: (graph: Graph, path: string) => writeText(path, vosViewer(graph)) },
  neo4j: { ending: '-neo4j', write: writeNeo4j },
  'graph-parquet': { ending: '-parquet', write: writeParquet },
  turtle: { ending: '.ttl', write: (graph: Graph, path: string) => writeText(path, turtle(graph)) },
  'n-quads': { ending: '.nq', write: (graph: Graph, path: string) => writeText(path, nQuads(graph)) },
  'json-ld': { ending: '.jsonld', write: (graph: Graph, path: string) => writeText(path, jsonLd(graph)) },
  'graph-obsidian': { ending: '-vault', write: writeVault },
} as const;

export type GraphFormat = keyof typeof GRAPH_FORMATS;

export async function exportGraph(graph: Graph, format: GraphFormat, path: string): Promise<void> {
  await GRAPH_FORMATS[format].write(graph, path);
}

type EdgeRow = Readonly<Record<'source' | 'kind' | 'target', string>> & { readonly evidence: number };

function nodesOf({ store }: Graph): Iterable<NodeRow> {
  return store.iterate<NodeRow>('SELECT * FROM nodes ORDER BY node');
}

function edgesOf({ store }: Graph): Iterable<EdgeRow> {
  return store.iterate<EdgeRow>('SELECT * FROM edges ORDER BY source, kind, target');
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
  return escapeHtml(text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, ''));
}

/** Works and citations for VOSviewer: communities are clusters, citations within the graph are weights. */
function* vosViewer(graph: Graph): Generator<string> {
  const cluster = communities(graph.store);
  const { nodes, cites } = readCitations(graph.store);
  const cited = new Map<string, number>();
  const links = cites.flatMap((targets, at) =>
    targets.map((target) => {
      const key = nodes[target] ?? '';
      cited.set(key, (cited.get(key) ?? 0) + 1);
      return JSON.stringify({ source_id: nodes[at], target_id: key, strength: 1 });
    }),
  );
  yield '{"network":{"items":[\n';
  let separator = '';
  for (const node of nodesOf(graph)) {
    const group = cluster.get(node.node);
    if (group === undefined) continue;
    yield separator;
    yield JSON.stringify({
      id: node.node,
      label: shortLabel(node),
      description: node.label,
      cluster: group + 1,
      weights: { Citations: cited.get(node.node) ?? 0 },
      ...(node.year !== null && { scores: { 'Publication year': node.year } }),
    });
    separator = ',\n';
  }
  yield `],"links":[\n${links.join(',\n')}]}}\n`;
}

/** "Silva (2010)", or the beginning of the title. */
function shortLabel({ label, year, data }: NodeRow): string {
  const [author] = (JSON.parse(data) as { readonly authors?: readonly string[] }).authors ?? [];
  return author === undefined ? label.slice(0, 40) : `${familyName(author)} (${year ?? 'n.d.'})`;
}

/** CSV with the headers of `neo4j-admin database import`, and a script for a running server. */
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

const TABLES = { nodes: 'node', edges: 'source, kind, target', evidence: 'owner, part, number' } as const;
const COLUMN_TYPES: Readonly<Record<string, 'string' | 'integer' | 'float'>> = {
  text: 'string',
  integer: 'integer',
  real: 'float',
};

/** Nodes, edges and evidence as three Parquet files; null texts become empty ones. */
async function writeParquet({ store }: Graph, folder: string): Promise<void> {
  for (const [table, order] of Object.entries(TABLES)) {
    const types = store.map(
      "SELECT name, lower(type) FROM pragma_table_info(?) WHERE name NOT IN ('part', 'number')",
      table,
    );
    const columns = Object.fromEntries(Array.from(types, ([name, type]) => [name, COLUMN_TYPES[type] ?? 'string']));
    await using writer = await openRowWriter(join(folder, `${table}.parquet`), {
      metadata: { schema: `docstokg/graph/${table}/1` },
      columns,
    });
    for (const row of store.iterate(`SELECT * FROM ${table} ORDER BY ${order}`))
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

/** Lists the notes of an earlier export. */
const NOTES = '.docstokg-notes.json';
const NOTED_KINDS: ReadonlySet<string> = new Set(
  'work author term software dataset material venue topic institution funder'.split(' '),
);

/** Notes for Obsidian: one per work, author, term and program, linked, with the sentence of each link. */
async function writeVault(graph: Graph, folder: string): Promise<void> {
  const list = join(folder, NOTES);
  const before = existsSync(list) ? (JSON.parse(await readFile(list, 'utf8')) as string[]) : [];
  const written = new Set<string>();
  for (const node of nodesOf(graph)) {
    if (!NOTED_KINDS.has(node.kind)) continue;
    const note = `${node.kind}/${noteName(node.kind, node.id)}.md`;
    await writeText(join(folder, note), [noteOf(graph, node), '\n']);
    written.add(note);
  }
  // Notes of nodes that are gone are deleted. Notes that the reader wrote are not in the list and stay.
  for (const note of before) if (!written.has(note)) await rm(join(folder, note), { force: true });
  await writeText(list, [JSON.stringify([...written].sort()), '\n']);
}

function noteOf(graph: Graph, node: NodeRow): string {
  const lines = [
    '---',
    `id: ${JSON.stringify(node.id)}`,
    `kind: ${node.kind}`,
    ...(node.year === null ? [] : [`year: ${node.year}`]),
    `aliases: [${JSON.stringify(node.kind === 'work' ? shortLabel(node) : node.label)}]`,
    '---',
    '',
    `# ${node.label.replace(/\s+/g, ' ')}`,
    '',
  ];
  let group = '';
  for (const { kind, direction, node: other, evidence } of graph.neighbours(node.id, { limit: 500 })) {
    if (!NOTED_KINDS.has(other.kind)) continue;
    const heading = direction === 'out' ? kind : `${kind} (from)`;
    if (heading !== group) lines.push(`## ${heading}`, '');
    group = heading;
    const quote = evidence[0]?.quote?.replace(/\s+/g, ' ').slice(0, 300);
    const label = other.label.replace(/[[\]|\n]+/g, ' ').slice(0, 120);
    lines.push(`- [[${noteName(other.kind, other.id)}|${label}]]${quote === undefined ? '' : ` — “${quote}”`}`);
  }
  return lines.join('\n');
}

/** A file name that is valid on every system. */
function noteName(kind: string, id: string): string {
  return id
    .slice(kind.length + 1)
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .slice(0, 120);
}

async function writeText(path: string, pieces: Iterable<string>): Promise<void> {
  using file = new AtomicText(path);
  for (const piece of pieces) file.write(piece);
  await file.commit();
}
