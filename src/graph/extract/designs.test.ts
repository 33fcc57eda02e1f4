import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Block } from '../../parse/index.ts';
import { extractDesigns } from './designs.ts';
import { Reading, Statements } from './reading.ts';

function designsOf(title: string, ...paragraphs: readonly string[]): string[] {
  const blocks = [
    { kind: 'title', text: title, order: 0, regions: [] },
    ...paragraphs.map((text, at) => ({ kind: 'text', text, order: at + 1, regions: [] })),
  ] as unknown as Block[];
  const metadata = { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } };
  const reading = new Reading('paper', { pages: [], blocks, metadata }, null);
  const say = new Statements(reading);
  extractDesigns(reading, say);
  return [...new Set(say.edges.map(({ target }) => target))];
}

test('the design is what the title or the paper itself says', () => {
  assert.deepEqual(designsOf('Masks at work: a cluster-randomized trial'), [
    'method:name:randomised controlled trial',
    'method:name:cluster randomised trial',
  ]);
  assert.deepEqual(designsOf('Masks', 'We conducted a nested case–control study in Hanoi.'), [
    'method:name:case control study',
  ]);
  assert.deepEqual(designsOf('Heat', 'The present retrospective cohort had 12 women.'), ['method:name:cohort study']);
});

test('what others did is not the design of the paper', () => {
  assert.deepEqual(
    designsOf(
      'Masks',
      'A cohort study found more.',
      'We know of a cohort study in Oslo [3].',
      'Our finding agrees with a previous case report.',
      'A systematic review would be advisable to confirm this.',
      'We plan a future randomised controlled trial.',
      'As this was not a systematic review, we did no assessment.',
      'Our network has case report forms.',
      'What we gain from qualitative research may help.',
      'In this disease randomised trial data cannot be collected.',
      'A randomised trial is ideal for this validation.',
      'For the definitions of cohort study see the parts of this article.',
    ),
    [],
  );
});
