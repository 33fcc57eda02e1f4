import assert from 'node:assert/strict';
import { test } from 'node:test';

import { timeLeft } from '../../src/serve/page/format.ts';

test('less than a second left is shown as almost done, and no time left as nothing', () => {
  assert.deepEqual([timeLeft(0), timeLeft(0.4), timeLeft(null)], ['almost done', 'almost done', '']);
  assert.match(timeLeft(75), /^1 min.* left$/);
});
