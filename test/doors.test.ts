import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { promisedNames } from '../scripts/doors.ts';

const promised = promisedNames();

test('every name that a door of the package exports has a sentence, and so has every field', () => {
  assert.deepEqual([...new Set(promised.flatMap(({ undocumented }) => undocumented))], []);
});

test('every door is an entry of package.json, and every entry is a door', () => {
  const { exports } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly 'docstokg-source': string }>>;
  };
  const entries = Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [entry['docstokg-source'].replace('./src/', '')],
  );
  assert.deepEqual(entries.sort(), [...new Set(promised.map(({ door }) => door))].sort());
});
