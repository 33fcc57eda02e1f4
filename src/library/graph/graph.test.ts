import assert from 'node:assert/strict';
import { test } from 'node:test';

import { changeGraph, memoryStore } from '../../../test/support/graph.ts';
import type { Contribution, EdgeKind, EdgeStatement, NodeKind, NodeStatement } from '../../graph/index.ts';
import { Graph } from './graph.ts';

/** A document of `work` with edges to nodes given as `kind:name label`. */
function document(work: string, edges: readonly (readonly [EdgeKind, string, string])[]): Contribution {
  const node = (id: string, label: string): NodeStatement => ({
    id,
    kind: id.slice(0, id.indexOf(':')) as NodeKind,
    label,
    year: null,
    rank: 1,
    data: {},
  });
  const evidence: EdgeStatement['evidence'] = {
    place: { kind: 'metadata', origin: 'test', readAt: null },
    method: 'record',
    version: 1,
    score: 1,
    detail: {},
  };
  return {
    owner: work,
    work: `work:doi:${work}`,
    fileSha256: null,
    nodes: [node(`work:doi:${work}`, `Paper ${work}`), ...edges.map(([, id, label]) => node(id, label))],
    edges: edges.map(([kind, target]) => ({ source: `work:doi:${work}`, kind, target, evidence })),
    references: [],
  };
}

test('queries about one node use indexes and never scan all edges or all evidence', async () => {
  using store = memoryStore();
  changeGraph(store, {
    add: [
      document('10.5555/a', [['cites', 'work:doi:10.5555/b', 'Paper b']]),
      document('10.5555/b', [['uses', 'software:name:spss', 'SPSS']]),
    ],
  });
  const { database } = store;
  const prepare = database.prepare.bind(database);
  const statements = new Set<string>();
  database.prepare = (sql) => {
    statements.add(sql);
    return prepare(sql);
  };
  const graph = new Graph(store);
  graph.neighbours('10.5555/a');
  graph.citedBy('10.5555/b');
  graph.related('10.5555/a');
  graph.neighbourhood('10.5555/a');
  graph.path('10.5555/a', 'software:name:spss');
  assert.ok(statements.size >= 6);
  const checkPlans = (): void => {
    for (const sql of statements) {
      const steps = prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail));
      assert.ok(
        !steps.some((step) => /SCAN (?:edges|evidence|nodes|a|b|mention|listed|resolved)\b/.test(step)),
        `${sql}\n${steps.join('\n')}`,
      );
    }
  };
  checkPlans();
  // Nor with the statistics of this small graph, or of a graph that looks small but is not.
  database.exec('ANALYZE');
  checkPlans();
  database.exec("UPDATE sqlite_stat1 SET stat = '1 1 1 1' WHERE tbl IN ('edges', 'nodes', 'evidence')");
  database.exec('ANALYZE sqlite_schema');
  checkPlans();
});

test('a program, a journal or a term is found by its label or its abbreviation', async () => {
  using store = memoryStore();
  const [work, term] = document('10.5555/a', [['defines', 'term:text:heat stress', 'heat stress']]).nodes;
  assert.ok(work && term);
  changeGraph(store, {
    add: [
      document('10.5555/b', [
        ['uses', 'software:name:spss', 'SPSS'],
        ['published_in', 'venue:issn:1', 'Journal of Seas'],
      ]),
      { ...document('10.5555/a', []), nodes: [work, { ...term, data: { abbreviation: 'HS' } }] },
    ],
  });
  const graph = new Graph(store);
  assert.equal(graph.find('spss').id, 'software:name:spss');
  assert.equal(graph.find('journal of seas').id, 'venue:issn:1');
  assert.equal(graph.find('HS').id, 'term:text:heat stress');
  assert.throws(() => graph.find('SAS'), { code: 'GRAPH_NO_NODE' });
});

test('a name that is an entity and a term is the entity', async () => {
  using store = memoryStore();
  changeGraph(store, {
    add: [
      document('10.5555/a', [
        ['about', 'term:text:acropora millepora', 'Acropora millepora'],
        ['names', 'organism:name:acropora millepora', 'Acropora millepora'],
      ]),
    ],
  });
  const graph = new Graph(store);
  assert.equal(graph.find('Acropora Millepora').id, 'organism:name:acropora millepora');
  assert.equal(graph.find('term:text:acropora millepora').kind, 'term');
});

test('a genus takes in its species and their strains, and no other names that begin with its word', () => {
  using store = memoryStore();
  const naming = (work: string, kind: string, label: string): Contribution =>
    document(work, [['names', `${kind}:name:${label.toLowerCase()}`, label]]);
  changeGraph(store, {
    add: [
      naming('10.5555/a', 'organism', 'Bacillus cereus'),
      naming('10.5555/b', 'organism', 'Bacillus subtilis ATCC 6633'),
      naming('10.5555/c', 'organism', 'Bacillus'),
      naming('10.5555/d', 'organism', 'Bacillus cereus-like flora'),
      naming('10.5555/e', 'disease', 'Bacillus infection'),
      naming('10.5555/f', 'organism', 'Salmonella enterica'),
      naming('10.5555/g', 'organism', 'Salmonella enterica serovar Typhi'),
      naming('10.5555/h', 'organism', 'Salmonella virus P22'),
    ],
  });
  const graph = new Graph(store);
  const works = (name: string): string[] => graph.worksNaming([name]).map(({ node }) => node.id.slice(-1));
  assert.deepEqual(works('Bacillus'), ['a', 'b', 'c']);
  assert.deepEqual(works('Bacillus cereus'), ['a']);
  // No work names the genus itself.
  assert.deepEqual(works('Salmonella'), ['f', 'g']);
  assert.deepEqual(graph.namedTogether('Salmonella'), []);
});

test('around a name are the works that name it, and around a work its names, those of other works first', () => {
  using store = memoryStore();
  const coral = ['names', 'organism:name:acropora', 'Acropora'] as const;
  const others = Array.from({ length: 40 }, (_, at) => ['names', `chemical:name:a${at}`, `A${at}`] as const);
  changeGraph(store, { add: [document('10.5555/a', [...others, coral]), document('10.5555/b', [coral])] });
  const graph = new Graph(store);
  const drawn = (name: string): string[] => {
    const { nodes, edges } = graph.neighbourhood(name);
    return edges.map(({ source, target, kind }) => `${nodes[source]?.id} ${kind} ${nodes[target]?.id}`);
  };
  assert.deepEqual(drawn('Acropora'), [
    'work:doi:10.5555/a names organism:name:acropora',
    'work:doi:10.5555/b names organism:name:acropora',
  ]);
  const names = drawn('10.5555/a');
  assert.equal(names.length, 24);
  assert.equal(names[0], 'work:doi:10.5555/a names organism:name:acropora');
  assert.equal(graph.neighbourhood('10.5555/a').leftOut.names, 17);
});

test('a finding leads to the other works that name what it is about', () => {
  using store = memoryStore();
  const coral = ['names', 'organism:name:acropora', 'Acropora'] as const;
  const own = document('10.5555/a', [coral, ['states', 'finding:1', 'Heat bleaches Acropora']]);
  const about = own.edges
    .slice(0, 1)
    .map((edge) => ({ ...edge, source: 'finding:1', kind: 'has_object' as const, target: 'organism:name:acropora' }));
  changeGraph(store, { add: [{ ...own, edges: [...own.edges, ...about] }, document('10.5555/b', [coral])] });
  const { nodes, edges } = new Graph(store).neighbourhood('finding:1');
  assert.deepEqual(
    edges.map(({ source, target, kind }) => `${nodes[source]?.id} ${kind} ${nodes[target]?.id}`),
    [
      'work:doi:10.5555/a states finding:1',
      'finding:1 has_object organism:name:acropora',
      'work:doi:10.5555/a names organism:name:acropora',
      'work:doi:10.5555/b names organism:name:acropora',
    ],
  );
});

test('a path prefers citations, and uses a shared program only if there is no other', async () => {
  using store = memoryStore();
  const spss = ['uses', 'software:name:spss', 'SPSS'] as const;
  changeGraph(store, {
    add: [
      document('10.5555/a', [spss, ['cites', 'work:doi:10.5555/b', 'Paper 10.5555/b']]),
      document('10.5555/b', [['cites', 'work:doi:10.5555/c', 'Paper 10.5555/c']]),
      document('10.5555/c', [spss]),
      document('10.5555/d', [spss]),
    ],
  });
  const graph = new Graph(store);
  const through = (to: string): (string | undefined)[] | undefined =>
    graph.path('10.5555/a', to)?.map(({ node }) => node.label);
  assert.deepEqual(through('10.5555/c'), ['Paper 10.5555/a', 'Paper 10.5555/b', 'Paper 10.5555/c']);
  assert.deepEqual(through('10.5555/d'), ['Paper 10.5555/a', 'SPSS', 'Paper 10.5555/d']);
  assert.equal(graph.path('10.5555/a', '10.5555/d', 1), undefined);
});

test('words of a title find a work of the corpus before one that is only cited', async () => {
  using store = memoryStore();
  const own = document('10.5555/a', [['cites', 'work:doi:10.5555/b', 'Metallic glass']]);
  const nodes = own.nodes.map((each) =>
    each.id === 'work:doi:10.5555/a' ? { ...each, label: 'Phases of metallic glass', data: { inCorpus: true } } : each,
  );
  changeGraph(store, { add: [{ ...own, nodes }] });
  assert.equal(new Graph(store).find('metallic glass').id, 'work:doi:10.5555/a');
});
