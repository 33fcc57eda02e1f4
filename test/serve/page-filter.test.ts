import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseWorkFilter } from '../../src/library/choose-works.ts';
import { filterText } from '../../src/serve/page/filter-text.ts';

test('what a list is filtered by is the text of a set', () => {
  const filter = { q: 'oil of thyme', year: '2018-2022', author: 'de Silva', venue: null };
  const text = filterText(filter);
  assert.equal(text, 'oil of thyme year:2018-2022 author:"de Silva"');
  assert.deepEqual(parseWorkFilter(text), { q: 'oil of thyme', year: '2018-2022', author: 'de Silva' });
  assert.equal(filterText({ q: null, year: '' }), '');
});
