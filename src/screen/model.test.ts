import assert from 'node:assert/strict';
import { test } from 'node:test';

import { madeReview } from '../../test/fixtures/made-review.ts';
import { featuresOf, RankingModel } from './model.ts';

const review = madeReview(400, 30, 1);
const features = featuresOf(review);

/** The share of a review that is read until 95 % of the included records are found. */
function shareRead(model: RankingModel, decided: Map<number, boolean>): number {
  const needed = Math.ceil(0.95 * review.filter(({ included }) => included).length);
  while ([...decided.values()].filter(Boolean).length < needed) {
    model.train(decided);
    const scores = model.scores();
    const best = [...review.keys()]
      .filter((row) => !decided.has(row))
      .reduce((a, b) => (scores[b]! > scores[a]! ? b : a));
    decided.set(best, review[best]!.included);
  }
  return decided.size / review.length;
}

test('almost all included records are found in a small part of a review', () => {
  const one = review.findIndex(({ included }) => included);
  const others = [...review.keys()].filter((row) => !review[row]!.included).slice(0, 10);
  const known = new Map([[one, true], ...others.map((row): [number, boolean] => [row, false])]);
  const share = shareRead(new RankingModel(features), known);
  assert.ok(share < 0.3, `read ${share}`);
});

test('a question alone ranks relevant records first', () => {
  const model = new RankingModel(features, 'recovery of coral reefs after bleaching and heat stress');
  model.train(new Map());
  const scores = model.scores();
  const order = [...review.keys()].sort((a, b) => scores[b]! - scores[a]!);
  const first = order.slice(0, 30).filter((row) => review[row]!.included).length;
  assert.ok(first >= 15, `${first} of the first 30 are included`);
});

test('the same decisions give the same scores, to the last bit', () => {
  const decided = new Map([...review.keys()].slice(0, 60).map((row) => [row, review[row]!.included]));
  const scores = [1, 2].map(() => {
    const model = new RankingModel(featuresOf(review), 'coral');
    model.train(decided);
    return model.scores();
  });
  assert.deepEqual(scores[0], scores[1]);
});

test('an undone decision has no effect', () => {
  const model = new RankingModel(features);
  const decided = new Map([...review.keys()].slice(0, 60).map((row) => [row, review[row]!.included]));
  model.train(decided);
  model.train(new Map());
  assert.ok(model.scores().every((score) => Math.abs(score) < 1e-9));
});

test('empty reviews, empty texts and records without decisions are handled', () => {
  new RankingModel(featuresOf([]), 'coral').train(new Map());
  const empty = { id: 'W1', title: '', abstract: '', references: [] };
  const model = new RankingModel(featuresOf([empty, { ...empty, id: 'W2' }]), 'coral');
  model.train(new Map([[0, false]]));
  assert.equal(model.scores().length, 2);
});

test('retraining with 10,000 records takes less than one CPU second', () => {
  const many = madeReview(10_000, 200, 2);
  const model = new RankingModel(featuresOf(many));
  const decided = new Map([...many.keys()].slice(0, 1_000).map((row) => [row, many[row]!.included]));
  model.train(decided);
  decided.set(1_000, many[1_000]!.included);
  const before = process.cpuUsage();
  model.train(decided);
  model.scores();
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 1_000_000, `${(user + system) / 1_000} ms`);
});
