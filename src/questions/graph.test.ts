import assert from 'node:assert/strict';
import { test } from 'node:test';

import { changeGraph, memoryStore } from '../../test/support/graph.ts';
import type { Contribution, EdgeKind, EntityKind, NodeKind } from '../graph/index.ts';
import { Graph } from '../library/index.ts';
import { GRAPH_QUERIES } from './graph.ts';

/** A paper whose sentences name entities, given as `type name` under the sentence. */
function paper(doi: string, year: number, sentences: Readonly<Record<string, readonly string[]>>): Contribution {
  const work = `work:doi:${doi}`;
  const said = Object.entries(sentences).flatMap(([quote, entities], block) =>
    entities.map((entity) => {
      const [kind = '', ...words] = entity.split(' ');
      return { quote, block, kind: kind as EntityKind, name: words.join(' ') };
    }),
  );
  const node = (id: string, kind: NodeKind, label: string) => ({ id, kind, label, year: null, rank: 1, data: {} });
  return {
    owner: doi,
    work,
    fileSha256: null,
    references: [],
    nodes: [
      { ...node(work, 'work', `Paper ${doi}`), year },
      ...said.map(({ kind, name }) => node(`${kind}:name:${name.toLowerCase()}`, kind, name)),
    ],
    edges: said.map(({ kind, name, quote, block }) => ({
      source: work,
      kind: (kind === 'software' ? 'uses' : 'names') satisfies EdgeKind,
      target: `${kind}:name:${name.toLowerCase()}`,
      evidence: {
        place: { kind: 'text', fileSha256: null, block, start: 0, end: quote.length, quote, page: null, boxes: [] },
        method: 'tagger',
        version: 1,
        score: 0.9,
        detail: {},
      },
    })),
  };
}

function ask(what: string, asked: Readonly<Record<string, string>>): readonly string[] {
  using store = memoryStore();
  changeGraph(store, {
    add: [
      paper('10.5555/a', 2020, {
        'Rituximab cured lymphoma in Brazil.': ['chemical Rituximab', 'disease lymphoma', 'place Brazil'],
        'We used SPSS.': ['software SPSS'],
      }),
      paper('10.5555/b', 2022, {
        'Rituximab did not cure lymphoma.': ['chemical rituximab', 'disease Lymphoma'],
        'Brazil has a registry.': ['place Brazil'],
      }),
    ],
  });
  const graph = new Graph(store);
  const given = { node: '', to: '', type: '', kinds: [], least: 1, limit: 20, ...asked };
  const { items } = GRAPH_QUERIES[what]?.answer(graph, given) ?? { items: [] };
  return items.map(({ label, count, evidence }) =>
    [label, count, evidence].filter((each) => each !== null).join(' | '),
  );
}

test('entities are listed by type and number of works, and found by words', () => {
  assert.deepEqual(ask('entities', { type: 'place' }), ['Brazil | 2 | ']);
  assert.deepEqual(ask('find', { node: 'rituxi' }), ['Rituximab | 2 | ']);
});

test('the works about an entity are shown with its sentences, newest first', () => {
  assert.deepEqual(ask('about', { node: 'RITUXIMAB' }), [
    '2022 · Paper 10.5555/b | 10.5555/b: Rituximab did not cure lymphoma.',
    '2020 · Paper 10.5555/a | 10.5555/a: Rituximab cured lymphoma in Brazil.',
  ]);
});

test('what is beside an entity is in the same sentence, by type', () => {
  assert.deepEqual(ask('beside', { node: 'lymphoma', type: 'chemical' }), [
    'Rituximab | 2 | 10.5555/a: Rituximab cured lymphoma in Brazil.\n10.5555/b: Rituximab did not cure lymphoma.',
  ]);
  assert.deepEqual(
    ask('beside', { node: 'lymphoma' }).map((line) => line.split(' | ')[0]),
    ['Rituximab', 'Brazil'],
  );
});

test('studies are the works that name everything asked for', () => {
  assert.deepEqual(ask('studies', { node: 'Brazil, SPSS' }), [
    '2020 · Paper 10.5555/a | 10.5555/a: Rituximab cured lymphoma in Brazil.\n10.5555/a: We used SPSS.',
  ]);
});

test('each step of a path has a sentence', () => {
  assert.deepEqual(ask('path', { node: 'SPSS', to: '10.5555/b' }), [
    'SPSS | ',
    '2020 · Paper 10.5555/a | 10.5555/a: We used SPSS.',
    'lymphoma | 10.5555/a: Rituximab cured lymphoma in Brazil.',
    '2022 · Paper 10.5555/b | 10.5555/b: Rituximab did not cure lymphoma.',
  ]);
});

test('an unknown type says which there are', () => {
  assert.throws(() => ask('entities', { type: 'animal' }), { code: 'USAGE_GRAPH' });
});
