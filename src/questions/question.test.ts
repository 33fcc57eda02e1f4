import assert from 'node:assert/strict';
import { test } from 'node:test';

import { workLine } from './question.ts';

test('a work is named by authors, year and title, whichever are known', () => {
  const title = 'Reefs';
  assert.equal(workLine({ title, authors: ['A. Berg', 'B. Lake'], year: 2020 }), 'A. Berg et al. (2020). Reefs');
  assert.equal(workLine({ title, authors: ['A. Berg', 'B. Lake'], year: null }), 'A. Berg et al. Reefs');
  assert.equal(workLine({ title, authors: ['Ana Berg'], year: null }), 'Ana Berg. Reefs');
  assert.equal(workLine({ title: null, authors: [], year: null }), 'Without a title');
});
