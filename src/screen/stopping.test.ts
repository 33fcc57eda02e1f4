import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hypergeometric, isTimeToSample, promiseOf } from './stopping.ts';

test('the hypergeometric distribution matches results counted by hand', () => {
  // Of 5 records 2 are included; 3 are drawn: none in 1 of 10 draws, one in 6, two in 3.
  assert.ok(Math.abs(hypergeometric(0, 5, 2, 3) - 0.1) < 1e-12);
  assert.ok(Math.abs(hypergeometric(1, 5, 2, 3) - 0.7) < 1e-12);
  assert.equal(hypergeometric(2, 5, 2, 3), 1);
  // The series for large numbers agrees with exact values.
  assert.ok(Math.abs(hypergeometric(0, 2_000, 3, 1_000) - 0.1248) < 1e-3);
});

test('no recall is promised before any of the sample is read, unless too few records are left to matter', () => {
  assert.equal(promiseOf({ foundBefore: 40, population: 500, read: 0, found: 0 }).isReached, false);
  assert.equal(promiseOf({ foundBefore: 40, population: 2, read: 0, found: 0 }).isReached, true);
  assert.equal(promiseOf({ foundBefore: 0, population: 10, read: 9, found: 0 }).isReached, false);
  assert.equal(promiseOf({ foundBefore: 0, population: 10, read: 10, found: 0 }).isReached, true);
});

test('the number of records still to read is exact', () => {
  const sample = { foundBefore: 60, population: 800, read: 10, found: 0 };
  const { isReached, stillToRead } = promiseOf(sample);
  assert.equal(isReached, false);
  assert.equal(promiseOf({ ...sample, read: 10 + stillToRead }).isReached, true);
  assert.equal(promiseOf({ ...sample, read: 10 + stillToRead - 1 }).isReached, false);
});

test('an included record in the sample lowers the recall and adds records to read', () => {
  const without = promiseOf({ foundBefore: 30, population: 400, read: 100, found: 0 });
  const withOne = promiseOf({ foundBefore: 30, population: 400, read: 100, found: 1 });
  assert.ok(withOne.recallAtLeast < without.recallAtLeast);
  assert.ok(withOne.stillToRead > without.stillToRead);
});

test('the stopping rule is wrong in at most 5 % of reviews, whatever the sample hides', () => {
  for (const population of [100, 600])
    for (const foundBefore of [5, 20, 40, 120, 300]) {
      const stopsAt = Array.from({ length: 31 }, (_, found) => {
        return found + promiseOf({ foundBefore, population, read: found, found }).stillToRead;
      });
      for (let hidden = 1; hidden <= 30; hidden += 1) {
        const wrong = wrongStops(population, foundBefore, hidden, stopsAt);
        assert.ok(wrong <= 0.05, `${wrong} with ${hidden} hidden of ${population} after ${foundBefore}`);
      }
    }
});

/** The exact probability that the rule stops at a recall under .95, computed draw by draw. */
function wrongStops(population: number, foundBefore: number, hidden: number, stopsAt: readonly number[]): number {
  let chances: number[] = Array.from({ length: hidden + 1 }, (_, found) => (found === 0 ? 1 : 0));
  let wrong = 0;
  for (let read = 0; read <= population; read += 1) {
    for (const [found, chance] of chances.entries())
      if (chance > 0 && read >= (stopsAt[found] ?? Infinity)) {
        if ((foundBefore + found) / (foundBefore + hidden) < 0.95 - 1e-12) wrong += chance;
        chances[found] = 0;
      }
    if (read === population) break;
    const next = chances.map(() => 0);
    for (const [found, chance] of chances.entries()) {
      const isNext = (hidden - found) / (population - read);
      next[found]! += chance * (1 - isNext);
      if (found < hidden) next[found + 1]! += chance * isNext;
    }
    chances = next;
  }
  return wrong;
}

test('a sample starts only once ranked reading finds nothing more for a while', () => {
  const found = Array.from({ length: 100 }, (_, at) => at < 40);
  assert.equal(isTimeToSample(found, 1_000), true);
  assert.equal(isTimeToSample(found.slice(0, 80), 1_000), false);
  assert.equal(isTimeToSample([], 10), false);
});
