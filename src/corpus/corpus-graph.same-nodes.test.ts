import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { graphHash } from '../../test/support/graph.ts';
import { paper } from '../../test/support/graph-papers.ts';
import { writeBlockLines } from '../parse/index.ts';
import { removeStore } from '../database/index.ts';
import { openCorpus } from './corpus.ts';

/** A folder with the facts of papers, by the sentences and what each of them names. */
function writeFacts(
  folder: string,
  papers: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>,
): void {
  const data = join(folder, 'Data');
  for (const each of ['DocTagsFiles', 'GraphFacts']) mkdirSync(join(data, each), { recursive: true });
  for (const [name, sentences] of Object.entries(papers)) {
    const metadata = { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } };
    writeFileSync(join(data, 'DocTagsFiles', `${name}.jsonl`), writeBlockLines({ pages: [], blocks: [], metadata }));
    const known = { title: name, authors: [], doi: null };
    const contribution = paper(`10.5555/${name}`, 2020, sentences);
    writeFileSync(join(data, 'GraphFacts', `${name}.json`), JSON.stringify({ known, contribution }));
  }
}

const PAPERS = {
  a: { 'Heart failure kills.': ['disease Heart failure'] },
  b: { 'Cardiac failure kills.': ['disease Cardiac failure'] },
};

test('nodes that a person merges are one in every question, after every build, until it is undone', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'same-nodes-'));
  writeFacts(folder.path, PAPERS);
  await using corpus = await openCorpus(folder.path);
  const diseases = (): string[] => {
    using graph = corpus.graph.open();
    return graph.most('disease').map(({ node, weight }) => `${node.label} ${weight}`);
  };
  assert.deepEqual(await corpus.graph.decide(), []);
  assert.deepEqual(diseases(), ['Cardiac failure 1', 'Heart failure 1']);
  const before = graphHash(folder.path);
  const merge = { node: 'cardiac failure', into: 'heart failure' };
  await corpus.graph.decide({ kind: 'merge', ...merge });
  assert.deepEqual(diseases(), ['Heart failure 2']);
  {
    using graph = corpus.graph.open();
    assert.equal(graph.worksNaming(['cardiac failure']).length, 2);
    assert.equal(graph.find('cardiac failure').label, 'Heart failure');
  }
  const merged = graphHash(folder.path);
  await assert.rejects(corpus.graph.decide({ kind: 'merge', ...merge }), { code: 'USAGE_SAME_NODE' });
  removeStore(folder.path);
  assert.equal((await corpus.graph.decide()).length, 1);
  assert.deepEqual(diseases(), ['Heart failure 2']);
  assert.equal(graphHash(folder.path), merged, 'a graph that is built again has the decision');
  assert.deepEqual(await corpus.graph.decide({ kind: 'undo merge', ...merge }), []);
  assert.deepEqual(diseases(), ['Cardiac failure 1', 'Heart failure 1']);
  assert.equal(graphHash(folder.path), before);
});

test('a name that a person splits off is a node of its own, until it is undone', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'same-nodes-'));
  writeFacts(folder.path, PAPERS);
  await using corpus = await openCorpus(folder.path);
  const diseases = (): string[] => {
    using graph = corpus.graph.open();
    return graph.most('disease').map(({ node }) => node.id);
  };
  await corpus.graph.decide();
  const before = graphHash(folder.path);
  // The helper prints every name in lower case.
  const split = { node: 'heart failure', name: 'heart failure' };
  await corpus.graph.decide({ kind: 'split', ...split });
  assert.deepEqual(diseases(), ['disease:name:cardiac failure', 'disease:name:heart failure@10.5555/a']);
  await corpus.graph.decide({ kind: 'undo split', node: 'disease:name:heart failure', name: split.name });
  assert.equal(graphHash(folder.path), before);
});
