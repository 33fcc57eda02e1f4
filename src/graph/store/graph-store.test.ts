import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import type { Contribution, TextPlace } from '../contribution.ts';
import { RANK } from '../contribution.ts';
import { GraphStore } from './graph-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'graph-store-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const WORDS =
  'coral reef heat stress algae growth light carbon uptake model field survey larvae genes decline recovery'.split(' ');
const NAMES = ['Miller', 'Okafor', 'Tanaka', 'Silva', 'Novak', 'Dubois', 'Haddad', 'Lindgren'];

function place(quote: string): TextPlace {
  return { kind: 'text', fileSha256: null, block: 1, start: 0, end: quote.length, quote, page: 1, boxes: [] };
}

function title(number: number): string {
  return Array.from({ length: 7 }, (_, at) => WORDS[(number * 5 + at * (3 + (number % 4))) % WORDS.length]).join(' ');
}

/** A document that cites its two predecessors and its successor by what they are called, and one work nobody has. */
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
        rank: RANK.record,
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
        rank: RANK.mention,
        data: {},
      },
      ...references.map(({ id, text }) => ({
        id,
        kind: 'reference' as const,
        label: text,
        year: null,
        rank: RANK.document,
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

async function copyOf(store: GraphStore): Promise<Buffer> {
  const path = join(folder, 'copy.sqlite');
  await store.writeCopy(path);
  return readFileSync(path);
}

async function fresh(papers: readonly Contribution[]): Promise<Buffer> {
  using store = new GraphStore(':memory:');
  await store.apply({ add: papers });
  return await copyOf(store);
}

test('a reference is linked to the work that it means, whichever comes first', async () => {
  using store = new GraphStore(':memory:');
  const cites = (): unknown[] =>
    store.database
      .prepare(
        `SELECT target.id AS id FROM edges JOIN nodes AS source ON source.node = edges.source JOIN nodes AS target ON target.node = edges.target
         WHERE edges.kind = 'cites' AND source.id = 'work:doi:10.5555/3' ORDER BY target.id`,
      )
      .all()
      .map((row) => String(row['id']).replace(/printed:.*/, 'printed'));
  await store.apply({ add: [paper(3)] });
  assert.deepEqual(cites(), ['work:printed', 'work:printed', 'work:printed', 'work:printed']);
  await store.apply({ add: [paper(2), paper(4)] });
  assert.deepEqual(cites(), ['work:doi:10.5555/2', 'work:doi:10.5555/4', 'work:printed', 'work:printed']);
  await store.apply({ remove: ['paper-4'] });
  assert.deepEqual(cites(), ['work:doi:10.5555/2', 'work:printed', 'work:printed', 'work:printed']);
});

test('documents added and removed in any order leave the file that a build from nothing writes', async () => {
  const whole = await fresh(ALL);
  assert.ok((await fresh(ALL.toReversed())).equals(whole), 'the order of a build does not matter');
  const path = join(folder, 'kept.sqlite');
  using kept = new GraphStore(path);
  await kept.apply({ add: [...ALL, paper(50)] });
  await kept.apply({ remove: ['paper-50'] });
  await kept.writeCopy(path);
  assert.ok(readFileSync(path).equals(whole), 'a file in use is written as if it were new');
  for (let seed = 1; seed <= 20; seed += 1) {
    let state = seed;
    const next = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    using store = new GraphStore(':memory:');
    const kept = new Set<number>();
    for (let step = 0; step < 16; step += 1) {
      const number = next(ALL.length);
      if (kept.delete(number)) await store.apply({ remove: [`paper-${number}`] });
      else {
        kept.add(number);
        await store.apply({ add: [paper(number)] });
      }
    }
    const left = ALL.filter((_, at) => kept.has(at));
    assert.ok((await copyOf(store)).equals(await fresh(left)), `seed ${seed}`);
  }
});

test('a change that fails leaves the graph as it was', async () => {
  using store = new GraphStore(':memory:');
  await store.apply({ add: [paper(1)] });
  const counts = (): unknown =>
    store.database
      .prepare('SELECT (SELECT count(*) FROM nodes) AS nodes, (SELECT count(*) FROM evidence) AS evidence')
      .get();
  const before = counts();
  const endless = (function* () {
    yield paper(2);
    throw new Error('the disk is full');
  })();
  await assert.rejects(store.apply({ add: endless }), /disk is full/);
  assert.deepEqual(counts(), before);
  assert.deepEqual([...store.documents().keys()], ['paper-1']);
});
