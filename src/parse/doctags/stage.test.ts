import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';

import { doctagsItems } from './stage.ts';

const settings = { mode: 'auto', engine: { kind: 'embedded' } } as const;
const idOf = (...files: readonly string[]): string[] =>
  files.map(
    (
      (item) => (file: string) =>
        item(file).itemId
    )(doctagsItems('Data', settings)),
  );

test('names keep their letters in every Unicode normalisation', () => {
  assert.deepEqual(idOf('/papers/Mu\u0308ller 2020.pdf'), ['Müller_2020']);
  assert.deepEqual(idOf('/a/हिन्दी.pdf'), ['हिन्दी']);
});

test('long names are shortened to file system limits, and stay distinct', () => {
  const long = '魚'.repeat(80);
  const [first = '', second = ''] = idOf(`/papers/${long}.pdf`, `/papers/${long}い.pdf`);
  assert.notEqual(first, second);
  for (const item of [`/papers/${long}.pdf`].map(doctagsItems('Data', settings)))
    for (const output of Object.values(item.outputs)) assert.ok(Buffer.byteLength(basename(output)) <= 200, output);
});
