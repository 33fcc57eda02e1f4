import assert from 'node:assert/strict';
import { test } from 'node:test';

import { secondsLeft, Series } from './series.ts';

test('a series keeps a bounded number of points, and rates use the last minutes', () => {
  const series = new Series<'done'>();
  assert.equal(series.perMinute('done'), null);
  for (let second = 0; second < 10_000; second += 1) series.add({ at: second * 1_000, done: second * 2 });
  assert.ok(series.points.length <= 720 && series.points.length > 300);
  assert.equal(series.points[0]?.at, 0);
  assert.equal(series.perMinute('done'), 120);
  assert.deepEqual(
    [secondsLeft(60, 120), secondsLeft(0, null), secondsLeft(5, 0), secondsLeft(null, 3)],
    [30, 0, null, null],
  );
});
