import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AnswerRing } from './answer-ring.ts';

test('answers come out as they went in, around the ring and over again', () => {
  const owner = new AnswerRing();
  const worker = new AnswerRing(owner.memory);
  for (let round = 0; round < 100; round += 1) {
    for (let at = 0; at < 64; at += 1) worker.write(round * 64 + at, at / 2);
    for (let at = 0; at < 64; at += 1) assert.deepEqual(owner.take(), [round * 64 + at, at / 2]);
    assert.equal(owner.take(), undefined);
  }
});

test('an answer that a message tells holds back those after it until the message has come', () => {
  const owner = new AnswerRing();
  const worker = new AnswerRing(owner.memory);
  worker.write(1, 10);
  worker.mark(2);
  worker.write(3, 30);
  assert.deepEqual(owner.take(), [1, 10]);
  assert.equal(owner.take(), undefined);
  owner.passMark();
  assert.deepEqual(owner.take(), [3, 30]);
  assert.equal(owner.take(), undefined);
});
