import assert from 'node:assert/strict';
import { test } from 'node:test';

import { drawnPage } from '../../../../test/support/drawn-page.ts';
import type { Findings } from './findings.ts';
import { headingSetting } from './draft-passes.ts';
import { begin, PASSES } from './layout.ts';
import { headingCandidates } from './role/heading.ts';
import headingModel from './role/heading-model.json' with { type: 'json' };
import { measureLines } from './role/line-features.ts';
import lineModel from './role/line-model.json' with { type: 'json' };
import { levelCandidates } from './role/heading-level.ts';
import levelModel from './role/level-model.json' with { type: 'json' };
import rowModel from './table/row-model.json' with { type: 'json' };
import { rowFeatures } from './table/table-rows.ts';
import type { Features, TreeModel } from './trees.ts';
import { scoreOf } from './trees.ts';

const MODEL: TreeModel = {
  features: ['size', 'bold'],
  base: 0,
  trees: [[[1, 0.5, 1, 2], [-1], [0, 10, 3, 4], [0.5], [2]]],
};

test('features are addressed by name: their order is of no importance', () => {
  assert.equal(scoreOf(MODEL, { size: 12, bold: 1 }), 2);
  assert.equal(scoreOf(MODEL, { bold: 1, other: 7, size: 12 }), 2);
});

test('a model that needs a feature nobody measures is refused', () => {
  assert.throws(() => scoreOf(MODEL, { size: 12, weight: 1 }), /bold/u);
});

const PAGE = `
                  A paper about ducks

«1 Introduction»

ducks swim on every pond that is there and eat what they find
and look for weeds in the shallow water others do not come to

«2 Methods»

while geese walk about on the meadows in a row that nobody saw
`;

/** What is known when a pass begins. */
function before(name: string): Findings {
  let found = begin([drawnPage(PAGE)], [], '');
  for (const pass of PASSES) {
    if (pass.name === name) return found;
    found = { ...found, ...pass.run(found) };
  }
  throw new RangeError(name);
}

/** The code measures what the model was trained with, no more and no less. */
function assertNames(features: Features | undefined, ...models: readonly TreeModel[]): void {
  assert.ok(features);
  for (const model of models) assert.deepEqual(Object.keys(features).sort(), model.features.toSorted());
}

test('the features of headings are those of their model', () => {
  const found = before('headings');
  assertNames(headingCandidates(found.drafts, headingSetting(found))[0]?.features, headingModel);
});

test('the features of lines are those of their models', () => {
  const { reference, start } = lineModel;
  assertNames(measureLines(before('paragraphs'))[0]?.features, reference, start);
});

test('the features of levels are those of their models', () => {
  const { drafts, outline, body } = before('levels');
  assertNames(levelCandidates(drafts, outline, body.size)[0]?.features, levelModel.second, levelModel.third);
});

test('the features of table rows are those of their model', () => {
  const entry = { from: 0, to: 0, left: 0, right: 40, top: 0, bottom: 10, size: 10, text: 'ducks', baseline: 0 };
  const lines = [0, 12].map((baseline) => ({ baseline, entries: [{ ...entry, baseline }] }));
  const features = rowFeatures(lines as unknown as Parameters<typeof rowFeatures>[0], {
    columns: [{ left: 0, right: 50 }],
    cuts: [],
    parts: [],
    headerEnd: 0,
    between: [],
  });
  assertNames(features(1, 0), rowModel);
});
