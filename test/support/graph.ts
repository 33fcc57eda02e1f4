import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Contribution, GraphInput } from '../../src/graph/index.ts';
import { graphSources } from '../../src/graph/index.ts';
import type { GraphUpdate } from '../../src/database/graph/index.ts';
import { GraphRows, updateGraph } from '../../src/database/graph/index.ts';
import { CorpusStore } from '../../src/database/index.ts';
import { Graph } from '../../src/library/index.ts';

const GRAPH_TABLES =
  'graph_sources statements evidence printed printed_keys work_keys open_references nodes edges'.split(' ');

/** A database in memory. */
export function memoryStore(): CorpusStore {
  return CorpusStore.open(join(tmpdir(), 'a folder that does not exist'));
}

/** The graph of a database, to be asked. */
export function graphOf(store: CorpusStore): Graph {
  return new Graph(store);
}

/** Adds and removes documents, and links their references. */
export function changeGraph(
  store: CorpusStore,
  { add = [], remove = [] }: { readonly add?: readonly Contribution[]; readonly remove?: readonly string[] },
): void {
  const rows = new GraphRows(store);
  rows.apply({ add: add.map((each) => ({ ...each, content: hash(JSON.stringify(each)) })), remove });
  while (rows.link() > 0);
}

/** Builds the graph of a folder from facts that were extracted, and from records. */
export function buildGraph(folder: string, input: GraphInput): GraphUpdate {
  using store = CorpusStore.create(folder);
  return updateGraph(store, graphSources(input));
}

/** The hash of every row of the graph. */
export function graphHash(from: CorpusStore | string): string {
  if (typeof from === 'string') {
    using store = CorpusStore.open(from);
    return graphHash(store);
  }
  // Row by row: the rows of a thousand papers are longer than a string may be.
  const whole = createHash('sha256');
  for (const table of GRAPH_TABLES) {
    whole.update(`${table}\n`);
    const rows = from.all(`select * from ${table}`).map((row) => hash(JSON.stringify(row)));
    for (const row of rows.sort()) whole.update(row);
  }
  return whole.digest('hex');
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
