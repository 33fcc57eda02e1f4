import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CitedWorks } from './cited-works.ts';

const works = new CitedWorks([
  { work: 'W1', title: 'Thymol inhibits growth of Candida albicans', doi: '10.1000/ONE' },
  { work: 'W2', title: 'Thymol inhibits growth of Candida species', doi: null },
  { work: 'W3', title: 'Introduction', doi: null },
]);

test('a reference names a work by its DOI, however it is written, before its title', () => {
  assert.equal(works.find('Someone. Another title.', '10.1000/one'), 'W1');
});

test('a reference names a work by its whole title, not by its first words', () => {
  assert.equal(works.find('[3] A. Berg, “Thymol inhibits growth of Candida species”, 2014.'), 'W2');
  assert.equal(works.find('A. Berg. Thymol inhibits growth of Candida glabrata. 2014.'), null);
});

test('a short title is in too many references to say which work is meant', () => {
  assert.equal(works.find('Introduction. In: Handbook of oils.'), null);
});
