import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { UnplacedNode } from './index.ts';
import { layOut, yearScale } from './index.ts';

const work = (id: string, year: number | null, cited = 0): UnplacedNode => ({
  id: `work:${id}`,
  kind: 'work',
  label: id,
  year,
  cited,
  inCorpus: true,
});

test('works are placed by year without overlaps, the first one in the middle row', () => {
  const nodes = [
    work('a', 2010),
    ...Array.from({ length: 40 }, (_, at) => work(`w${at}`, 2000 + (at % 7) * 4, at % 5)),
    work('undated', null),
    { ...work('t', null), id: 'term:t', kind: 'term' as const },
  ];
  const placed = layOut(nodes);
  const scale = yearScale(placed);
  assert.ok(scale);
  for (const { kind, year, x } of placed)
    if (kind === 'work' && year !== null) assert.ok(Math.abs(x - scale(year)) <= 1);
  assert.equal(placed[0]?.y, 0);
  assert.equal(new Set(placed.map(({ x, y }) => `${x} ${y}`)).size, placed.length);
  const [undated, term] = [placed.at(-2), placed.at(-1)];
  assert.ok((undated?.x ?? 0) < 0, 'works without a year are left of the first year');
  assert.ok((term?.y ?? 0) < Math.min(...placed.slice(0, -1).map(({ y }) => y)), 'other nodes are in a separate row');
  assert.deepEqual(layOut(nodes.toReversed()).slice(-1)[0]?.id, 'work:a');
  assert.deepEqual(layOut(nodes), placed);
});

test('works of one year have no axis', () => {
  assert.equal(yearScale(layOut([work('a', 2010), work('b', 2010)])), undefined);
});
