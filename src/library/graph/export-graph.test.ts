import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { openRowReader } from '../../parse/index.ts';
import { changeGraph, memoryStore } from '../../../test/support/graph.ts';
import type { Contribution } from '../../graph/index.ts';
import type { CorpusStore } from '../../database/index.ts';
import { Graph } from './graph.ts';
import type { GraphFormat } from './export-graph.ts';
import { GRAPH_FORMATS, exportGraph } from './export-graph.ts';

const folder = mkdtempSync(join(tmpdir(), 'graph-export-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function paper(number: number, cites: readonly number[]): Contribution {
  const id = (each: number): string => `work:doi:10.5555/${each}`;
  const node = (each: number, rank: number) =>
    ({
      id: id(each),
      kind: 'work',
      label: `Work "${each}" <of> ours & others`,
      year: 2000 + each,
      rank,
      data: { authors: ['Silva A'] },
    }) as const;
  return {
    owner: `paper-${number}`,
    work: id(number),
    fileSha256: null,
    nodes: [node(number, 0), ...cites.map((each) => node(each, 3))],
    edges: cites.map((each) => ({
      source: id(number),
      kind: 'cites',
      target: id(each),
      evidence: {
        place: { kind: 'text', fileSha256: null, block: 3, start: 0, end: 5, quote: 'Silva', page: 2, boxes: [] },
        method: 'test',
        version: 1,
        score: 1,
        detail: {},
      },
    })),
    references: [],
  };
}

async function write(store: CorpusStore, name: string): Promise<string> {
  const graph = new Graph(store);
  for (const format of Object.keys(GRAPH_FORMATS) as GraphFormat[])
    await exportGraph(graph, format, join(folder, name, `graph${GRAPH_FORMATS[format].ending}`));
  return join(folder, name);
}

test('every format has all nodes and edges, and can be read', async () => {
  using store = memoryStore();
  changeGraph(store, { add: [paper(1, [2, 3]), paper(2, [3])] });
  const to = await write(store, 'a');
  const text = (name: string): string => readFileSync(join(to, name), 'utf8');
  assert.equal(text('graph.graphml').match(/<node /g)?.length, 3);
  assert.match(text('graph.graphml'), /Work &quot;1&quot; &lt;of&gt; ours &amp; others/);
  assert.equal(text('graph.graphml').match(/<edge /g)?.length, 3);
  const { network } = JSON.parse(text('graph.vosviewer.json')) as {
    network: { items: { label: string; weights: { Citations: number } }[]; links: unknown[] };
  };
  assert.deepEqual(
    [
      network.items.length,
      network.links.length,
      network.items.map(({ weights }) => weights.Citations).sort((a, b) => a - b),
    ],
    [3, 3, [0, 1, 2]],
  );
  assert.equal(text('graph-neo4j/nodes.csv').trim().split('\n').length, 4);
  assert.match(text('graph-neo4j/load.cypher'), /LOAD CSV WITH HEADERS FROM 'file:\/\/\/edges\.csv'/);
  const evidence = await openRowReader(join(to, 'graph-parquet', 'evidence.parquet'));
  const rows = await Array.fromAsync(evidence.rows());
  assert.deepEqual([rows.length, rows[0]?.['quote'], rows[0]?.['page']], [3, 'Silva', 2]);
  const notes = globSync('**/*.md', { cwd: join(to, 'graph-vault') });
  assert.equal(notes.length, 3);
  for (const note of notes)
    for (const [, link] of text(join('graph-vault', note)).matchAll(/\[\[([^|\]]+)\|/g))
      assert.ok(existsSync(join(to, 'graph-vault', 'work', `${link}.md`)), link);
});

test('after papers are added, changed and removed, every export equals that of a new build', async () => {
  // Its reference has no id: it is linked once its work is added.
  const print = 'Silva A. Work of ours and others about warm seas. J Seas. 2002;3:1-9.';
  const printing: Contribution = {
    ...paper(5, [3]),
    references: [
      {
        id: 'reference:paper-5#1',
        text: print,
        place: { kind: 'text', fileSha256: null, block: 9, start: 0, end: 5, quote: 'Silva', page: 4, boxes: [] },
      },
    ],
  };
  const second = paper(2, [3]);
  const [own, ...others] = second.nodes;
  assert.ok(own);
  const meant: Contribution = {
    ...second,
    nodes: [
      {
        ...own,
        label: 'Work of ours and others about warm seas',
        data: {
          authors: ['Silva A'],
          title: 'Work of ours and others about warm seas',
          year: 2002,
          source: 'J Seas',
          volume: '3',
          pages: '1-9',
        },
      },
      ...others,
    ],
  };
  using store = memoryStore();
  changeGraph(store, { add: [paper(4, [1, 3]), paper(1, [2, 4]), printing] });
  await write(store, 'b');
  changeGraph(store, { add: [meant, paper(1, [2, 3])], remove: ['paper-4'] });
  const changed = await write(store, 'b');
  using fresh = memoryStore();
  changeGraph(fresh, { add: [paper(1, [2, 3]), meant, printing] });
  const wanted = await write(fresh, 'c');
  const files = (from: string): string[] => globSync('**/*.*', { cwd: from }).sort();
  assert.deepEqual(files(changed), files(wanted));
  for (const name of files(wanted))
    if (name.endsWith('.parquet'))
      assert.deepEqual(await rowsOf(join(changed, name)), await rowsOf(join(wanted, name)), name);
    else assert.equal(readFileSync(join(changed, name), 'utf8'), readFileSync(join(wanted, name), 'utf8'), name);
  const linked = await rowsOf(join(wanted, 'graph-parquet', 'evidence.parquet'));
  assert.ok(
    linked.some(({ method }) => method === 'reference-match'),
    'the reference is linked to the added work',
  );
});

async function rowsOf(path: string): Promise<Record<string, unknown>[]> {
  return await Array.fromAsync((await openRowReader(path)).rows());
}
