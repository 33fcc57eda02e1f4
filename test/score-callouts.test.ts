import assert from 'node:assert/strict';
import { test } from 'node:test';

import { around, writeOutRanges } from '../scripts/score/callout-context.ts';
import type { Block } from '../src/parse/index.ts';

test('works of a citation range under one link are scored at the position of the range', () => {
  const text = 'Seas2–5 are deep7,8–10 here, others11 too';
  const blocks: Block[] = [{ kind: 'text', order: 0, regions: [], text }];
  const callout = (printed: string, from: number, reference: number) => {
    const start = text.indexOf(printed, from);
    return { block: 0, start, end: start + printed.length, references: [reference], further: [] };
  };
  const found = [
    callout('2', 0, 2),
    callout('–', 0, 3),
    callout('–', 0, 4),
    callout('5', 0, 5),
    callout('7', 0, 7),
    callout('8', 0, 8),
    callout('–', 8, 9),
    callout('10', 0, 10),
    callout('11', 0, 11),
  ];
  const written = writeOutRanges(blocks, found, String);
  const [block] = written.blocks;
  assert.equal(block?.text, 'Seas2–3–4–5 are deep7,8–9–10 here, others11 too');
  assert.deepEqual(
    written.callouts.map(({ start, end }) => block?.text.slice(start, end)),
    ['2', '3', '4', '5', '7', '8', '9', '10', '11'],
  );
  const fourth = written.callouts[2];
  assert.deepEqual(around(written.blocks, 0, fourth?.start ?? 0, fourth?.end ?? 0), {
    before: 'Seas2–3–',
    after: '–5 are deep7,8–9–10 here, others11 too',
  });
  assert.deepEqual(found[2], callout('–', 0, 4), 'existing callouts are unchanged');
});
