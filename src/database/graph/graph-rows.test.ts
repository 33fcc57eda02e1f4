import assert from 'node:assert/strict';
import { test } from 'node:test';

import { changeGraph, graphHash, memoryStore } from '../../../test/support/graph.ts';
import type { Contribution, TextPlace } from '../../graph/index.ts';
import { isGraphUnfinished, updateGraph } from './graph-rows.ts';

const WORDS =
  'coral reef heat stress algae growth light carbon uptake model field survey larvae genes decline recovery'.split(' ');
const NAMES = ['Miller', 'Okafor', 'Tanaka', 'Silva', 'Novak', 'Dubois', 'Haddad', 'Lindgren'];

function place(quote: string): TextPlace {
  return { kind: 'text', fileSha256: null, block: 1, start: 0, end: quote.length, quote, page: 1, boxes: [] };
}

function title(number: number): string {
  return Array.from({ length: 7 }, (_, at) => WORDS[(number * 5 + at * (3 + (number % 4))) % WORDS.length]).join(' ');
}

/** A document that cites its two predecessors, its successor and an unknown work, by title. */
function paper(number: number): Contribution {
  const work = `work:doi:10.5555/${number}`;
  const author = NAMES[number % NAMES.length] ?? '';
  const cited = [number - 1, number - 2, number + 1, number + 100].filter((other) => other >= 0);
  const references = cited.map((other, at) => {
    const text = `${NAMES[other % NAMES.length]} A. ${title(other)}. Journal of Reefs. ${2000 + other};${other}:${other * 7 + 1}-9.`;
    return { id: `reference:${number}:${at}`, text, place: place(text) };
  });
  const record = {
    place: { kind: 'metadata', origin: 'test', readAt: null },
    method: 'record',
    version: 1,
    score: 1,
    detail: {},
  } as const;
  return {
    owner: `paper-${number}`,
    work,
    fileSha256: null,
    nodes: [
      {
        id: work,
        kind: 'work',
        label: title(number),
        year: 2000 + number,
        rank: 0,
        data: {
          title: title(number),
          authors: [`${author} A`],
          year: 2000 + number,
          source: 'Journal of Reefs',
          volume: String(number),
          pages: `${number * 7 + 1}-9`,
        },
      },
      {
        id: 'venue:name:reefs',
        kind: 'venue',
        label: number % 2 ? 'Journal of Reefs' : 'J Reefs',
        year: null,
        rank: 2,
        data: {},
      },
      ...references.map(({ id, text }) => ({
        id,
        kind: 'reference' as const,
        label: text,
        year: null,
        rank: 1,
        data: {},
      })),
    ],
    edges: [
      { source: work, kind: 'published_in', target: 'venue:name:reefs', evidence: record },
      ...references.map(({ id, text }) => ({
        source: work,
        kind: 'has_reference' as const,
        target: id,
        evidence: { place: place(text), method: 'references', version: 1, score: 1, detail: {} },
      })),
    ],
    references,
  };
}

const ALL = Array.from({ length: 9 }, (_, number) => paper(number));

function fresh(papers: readonly Contribution[]): string {
  using store = memoryStore();
  changeGraph(store, { add: papers });
  return graphHash(store);
}

test('a reference is linked to its work, whichever is added first', () => {
  using store = memoryStore();
  const cites = (): unknown[] =>
    store
      .all(
        `select target.id as id from edges join nodes as source on source.node = edges.source join nodes as target on target.node = edges.target
         where edges.kind = 'cites' and source.id = 'work:doi:10.5555/3' order by target.id`,
      )
      .map((row) => String(row['id']).replace(/printed:.*/, 'printed'));
  changeGraph(store, { add: [paper(3)] });
  assert.deepEqual(cites(), ['work:printed', 'work:printed', 'work:printed', 'work:printed']);
  changeGraph(store, { add: [paper(2), paper(4)] });
  assert.deepEqual(cites(), ['work:doi:10.5555/2', 'work:doi:10.5555/4', 'work:printed', 'work:printed']);
  changeGraph(store, { remove: ['paper-4'] });
  assert.deepEqual(cites(), ['work:doi:10.5555/2', 'work:printed', 'work:printed', 'work:printed']);
});

test('documents added and removed in any order give the same rows as a new build', () => {
  assert.equal(fresh(ALL.toReversed()), fresh(ALL), 'the order of a build does not matter');
  for (let seed = 1; seed <= 20; seed += 1) {
    let state = seed;
    const next = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    using store = memoryStore();
    const added = new Set<number>();
    for (let step = 0; step < 16; step += 1) {
      const number = next(ALL.length);
      if (added.delete(number)) changeGraph(store, { remove: [`paper-${number}`] });
      else {
        added.add(number);
        changeGraph(store, { add: [paper(number)] });
      }
    }
    assert.equal(graphHash(store), fresh(ALL.filter((_, at) => added.has(at))), `seed ${seed}`);
  }
});

test('an update that fails leaves a graph that the next update completes', () => {
  using store = memoryStore();
  const source = (contribution: Contribution, read = () => contribution) => {
    const { owner } = contribution;
    return { kind: 'document', owner, content: owner, read, hasStaleFindings: false } as const;
  };
  const broken = source(paper(5), () => {
    throw new Error('the disk is full');
  });
  assert.throws(() => updateGraph(store, [source(paper(1)), broken]), /disk is full/);
  assert.ok(isGraphUnfinished(store));
  const whole = updateGraph(
    store,
    ALL.map((each) => source(each)),
  );
  assert.deepEqual([whole.documents, whole.added, whole.removed], [9, 9, 0]);
  assert.ok(!isGraphUnfinished(store));
  using other = memoryStore();
  updateGraph(other, ALL.map((each) => source(each)).toReversed());
  assert.equal(graphHash(store), graphHash(other));
  assert.deepEqual([updateGraph(store, [source(paper(1))]).removed, store.count('graph_sources')], [8, 1]);
});
