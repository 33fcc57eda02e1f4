import assert from 'node:assert/strict';
import { test } from 'node:test';

import { slug } from './kept-files.ts';

test('an OpenAlex id is its own file name, and ids that differ only in case get different names', () => {
  assert.equal(slug('W2741809807'), 'W2741809807');
  assert.equal(slug('PMC3531190'), 'PMC3531190');
  assert.match(slug('w2741809807'), /^w2741809807-[0-9a-f]{12}$/);
});

test('ids with separators, dots, device names or too many bytes become safe, distinct names', () => {
  for (const id of ['../../x', '10.1/a b', 'CON', 'nul', '', '.', 'ä'.repeat(300), 'a/b', 'a_b/'])
    assert.match(slug(id), /^[^./\\:][^/\\:]*-[0-9a-f]{12}$/u, id);
  assert.notEqual(slug('10.1/a b'), slug('10.1/a_b'));
  assert.notEqual(slug('Abc'), slug('abc'));
  assert.ok(Buffer.byteLength(slug('ä'.repeat(300))) <= 120);
});
