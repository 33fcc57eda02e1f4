import assert from 'node:assert/strict';
import { test } from 'node:test';

import { entryAt } from '../../src/serve/page/reader/chosen-entry.ts';

test('beside the page the passage that was found is chosen, not the one before it with the same block', () => {
  const entries = [
    { id: 'a', blocks: [1, 2] },
    { id: 'b', blocks: [2, 3] },
  ];
  assert.equal(entryAt(entries, 2, 'b'), 1);
  assert.equal(entryAt(entries, 2), 0);
  assert.equal(entryAt(entries, 3, 'of another page'), 1);
  assert.equal(entryAt(entries, 9), -1);
});
