import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Block } from '../../parse/index.ts';
import { Reading, Statements } from './reading.ts';
import { extractTerms } from './terms.ts';

function termsOf(...paragraphs: readonly string[]): string[] {
  const blocks = paragraphs.map((text, order) => ({ kind: 'text', text, order, regions: [] }) as unknown as Block);
  const metadata = { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } };
  const reading = new Reading('paper', { pages: [], blocks, metadata }, null);
  const say = new Statements(reading);
  extractTerms(reading, say);
  return say.nodes.map(({ label }) => label);
}

test('phrases of statistics, paperwork and addresses are no terms', () => {
  const sentence =
    'The coral bleaching had a confidence interval, an odds ratio and a standard deviation in the People’s Republic of China, says the corresponding author.';
  assert.deepEqual(termsOf(sentence, sentence, sentence, sentence), ['coral bleaching']);
});

test('an epithet without its genus begins no term, and a participle ends none', () => {
  const sentence = 'The oil of D. kotschyi plants, in breast cancer diagnosed in coral reefs.';
  assert.deepEqual(termsOf(sentence, sentence, sentence, sentence).sort(), ['breast cancer', 'coral reefs']);
});
