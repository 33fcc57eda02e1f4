import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { GraphPicture, PictureNode } from '../../src/graph/picture/index.ts';
import { joined, NamePlaces, yearBands } from '../../src/serve/page/views/graph-model.ts';
import { ofKinds } from '../../src/serve/page/views/graph-rows.ts';

const node = (id: string, more: object = {}): PictureNode => ({
  id,
  kind: 'work',
  label: id,
  year: 2000,
  cited: 0,
  inCorpus: true,
  x: 0,
  y: 0,
  ...more,
});
const cites = (source: number, target: number) => ({ source, target, kind: 'cites' as const, evidence: [] });

test('neighbourhoods are joined where they meet, and the second stands around its own work', () => {
  const first: GraphPicture = { nodes: [node('a'), node('b', { x: 100 })], edges: [cites(0, 1)], leftOut: {} };
  const second: GraphPicture = {
    nodes: [node('b'), node('a', { x: 7 }), node('c', { x: 5, y: 6 })],
    edges: [cites(1, 0), cites(0, 2)],
    leftOut: {},
  };
  const { nodes, edges } = joined([first, second]);
  assert.deepEqual([...nodes.keys()], ['a', 'b', 'c']);
  assert.deepEqual([nodes.get('b')?.x, nodes.get('c')?.x, nodes.get('c')?.y], [100, 105, 6]);
  assert.deepEqual(
    edges.map(({ from, to }) => `${from} ${to}`),
    ['a b', 'b c'],
    'each edge once',
  );
});

test('nodes are grouped by their type where they have one, else by their kind', () => {
  const nodes = [
    node('a'),
    node('b', { inCorpus: false }),
    node('c', { kind: 'term', type: 'chemical_compound' }),
    node('d', { kind: 'has_reference' }),
  ];
  const groups = [...joined([{ nodes, edges: [], leftOut: {} }]).nodes.values()].map(({ group }) => group);
  assert.deepEqual(groups, ['in the library', 'cited work', 'chemical compound', 'has reference']);
});

test('no name covers another: it goes to the other side of its node, or is left out', () => {
  const names = new NamePlaces(12);
  const at = (x: number, y: number) => names.take({ x, y, size: 6 }, 100, 400);
  assert.equal(at(200, 50), 210, 'right of its node');
  assert.equal(at(205, 55), 95, 'left, since the right is taken');
  assert.equal(at(210, 52), undefined);
  assert.equal(at(210, 90), 220, 'another line');
  assert.equal(at(390, 150), 280, 'inside the drawing');
  names.clear();
  assert.equal(at(210, 52), 220);
});

test('what was found about a thing comes before the works that name it; rows of one kind stay one list', () => {
  const rows = ['work', 'finding', 'work', 'organism'].map((kind, at) => ({ kind, at }));
  assert.deepEqual(
    ofKinds(rows).map(([name, of]) => [name, of.map(({ at }) => at)]),
    [
      ['Findings', [1]],
      ['Works', [0, 2]],
      ['Names', [3]],
    ],
  );
  assert.deepEqual(
    ofKinds(rows.filter(({ kind }) => kind === 'work')).map(([, of]) => of.length),
    [2],
  );
});

test('years are coloured in bands of about as many works, a year in one band only', () => {
  const of = (...years: readonly number[]) =>
    yearBands(years.map((year, at) => node(String(at), { year }))).map(({ from, to }) => [from, to]);
  assert.deepEqual(of(), []);
  assert.deepEqual(of(2001, 2001), [[2001, 2001]]);
  assert.deepEqual(of(2001, 1999), [
    [1999, 1999],
    [2001, 2001],
  ]);
  const bands = of(1950, 1980, 1990, 1991, 2000, 2000, 2000, 2000, 2010, 2020);
  assert.deepEqual(bands, [
    [1950, 1980],
    [1990, 1991],
    [2000, 2000],
    [2010, 2010],
    [2020, 2020],
  ]);
  assert.deepEqual(yearBands([node('a', { year: null }), node('b', { kind: 'term', year: 2000 })]), []);
});
