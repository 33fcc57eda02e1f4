import assert from 'node:assert/strict';
import { test } from 'node:test';

import { timeLeftMs } from './progress.ts';

test('the time left foresees the stages of works that were not downloaded yet', () => {
  const works = { ended: 10, left: 10, saved: 5, savedBefore: 0 };
  const stage = (done: number) => ({ done, worked: done, sinceMs: 10_000 });
  // Ten of twenty works in ten seconds; parsing keeps up, embedding has done one of the ten documents that will come.
  const pace = { elapsedMs: 10_000, works, documents: 0 };
  assert.equal(timeLeftMs({ ...pace, stages: [stage(5)] }), 10_000);
  assert.equal(timeLeftMs({ ...pace, stages: [stage(5), stage(1)] }), 90_000);
  // Nobody can tell how long a stage takes that has done nothing yet.
  assert.equal(timeLeftMs({ ...pace, stages: [stage(5), stage(0)] }), undefined);
  assert.equal(timeLeftMs({ ...pace, stages: [] }), undefined);
  assert.equal(timeLeftMs({ ...pace, works: { ...works, ended: 0, saved: 0 }, stages: [] }), undefined);
  assert.equal(timeLeftMs({ elapsedMs: 10_000, documents: 4, stages: [stage(2)] }), 10_000);
  // What earlier runs have done took no time, and is not done again.
  const before = { ...works, left: 0, savedBefore: 90 };
  assert.equal(timeLeftMs({ ...pace, works: before, stages: [{ done: 94, worked: 4, sinceMs: 4_000 }] }), 1_000);
});
