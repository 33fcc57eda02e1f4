import assert from 'node:assert/strict';
import { test } from 'node:test';

import { tick, timeLeft } from '../../src/serve/page/format.ts';

test('less than a second left is shown as almost done, and no time left as nothing', () => {
  assert.deepEqual([timeLeft(0), timeLeft(0.4), timeLeft(null)], ['almost done', 'almost done', '']);
  assert.match(timeLeft(75), /^1 min.* left$/);
});

test('durations below a chart are short enough for their columns', () => {
  assert.deepEqual([0.04, 5.12, 81.92, 655.36].map(tick), ['40\u00A0ms', '5.1\u00A0s', '1\u00A0min', '11\u00A0min']);
});
