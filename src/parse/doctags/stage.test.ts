import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';

import { doctagsItems } from './stage.ts';

const settings = { mode: 'auto', engine: { kind: 'embedded' } } as const;
const idOf = (...files: readonly string[]): string[] => {
  const { item } = doctagsItems('Data', settings);
  return files.map((file) => item(file).itemId);
};

test('two files of one name stay apart, and a file keeps its name when it comes again', () => {
  const [first, second, again, other] = idOf('/a/W1.pdf', '/b/w1.pdf', '/a/W1.pdf', '/b/w1.pdf');
  assert.deepEqual([first, again], ['W1', 'W1']);
  assert.match(second ?? '', /^w1-[0-9a-f]{8}$/);
  assert.equal(other, second);
});

test('names keep their letters in every Unicode normalisation', () => {
  assert.deepEqual(idOf('/papers/Mu\u0308ller 2020.pdf'), ['Müller_2020']);
  assert.deepEqual(idOf('/a/हिन्दी.pdf'), ['हिन्दी']);
});

test('long names are shortened to file system limits, and stay distinct', () => {
  const long = '魚'.repeat(80);
  const [first = '', second = ''] = idOf(`/papers/${long}.pdf`, `/papers/${long}い.pdf`);
  assert.notEqual(first, second);
  for (const item of [`/papers/${long}.pdf`].map(doctagsItems('Data', settings).item))
    for (const output of Object.values(item.outputs)) assert.ok(Buffer.byteLength(basename(output)) <= 200, output);
});
