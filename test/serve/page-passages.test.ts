import assert from 'node:assert/strict';
import { test } from 'node:test';

import { byPaper } from '../../src/serve/page/views/by-paper.ts';

test('a paper is listed once, where its first passage is', () => {
  const passages = ['a', 'b', 'a', 'c', 'b'].map((document, rank) => ({ document, rank }));
  assert.deepEqual(
    byPaper(passages).map((of) => of.map(({ rank }) => rank)),
    [[0, 2], [1, 4], [3]],
  );
});
