import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findQuote, hasNumbersOf } from './text/index.ts';

const PASSAGE =
  'Corals of the Red Sea did not bleach. The inter-\nvention reduced mortality by 1.5 % (p < 0.05), i.e. “a ﬁrst” ef\u00ADfect; follow-up lasted 12 months at −5 °C.';
const quoted = (quote: string): string | undefined => {
  const place = findQuote(quote, PASSAGE);
  return place && PASSAGE.slice(place.start, place.end);
};

test('a quote is found regardless of spaces, hyphens, ligatures, dashes and quotation marks', () => {
  assert.equal(quoted('Corals of  the\nRed Sea did not bleach.'), 'Corals of the Red Sea did not bleach.');
  assert.equal(quoted('The intervention reduced mortality'), 'The inter-\nvention reduced mortality');
  assert.equal(quoted('(p<0.05), i.e. "a first" effect'), '(p < 0.05), i.e. “a ﬁrst” ef\u00ADfect');
  assert.equal(quoted('followup lasted 12 months at -5 °C'), 'follow-up lasted 12 months at −5 °C');
  assert.equal(findQuote('𝒙 = 𝒚', 'let 𝒙 = 𝒚 hold')?.end, 'let 𝒙 = 𝒚'.length);
});

test('a table row is found with and without bars between its cells', () => {
  const table = 'Outcome | SF | NF | P\nPainful defecation | 89% | 75% | 0.27\nBloating | 3 | 4 | ';
  assert.ok(findQuote('Painful defecation 89% 75% 0.27', table));
  assert.ok(findQuote('Painful defecation | 89% | 75%', table));
  assert.equal(findQuote('Painful defecation 75% 0.27', table), undefined);
  assert.equal(findQuote('Bloating 34', table), undefined);
});

test('different words, case, numbers and partial words are not found', () => {
  for (const quote of [
    'Corals of the Red Sea did bleach.',
    'corals of the red sea',
    'reduced mortality by 2.5 %',
    'reduced mortality by 15 %',
    'p < 0.0',
    'orals of the Red',
    'The intervention reduced mort',
    '5 %',
    '5 °C',
    '2 months',
    '',
    ' - ',
  ])
    assert.equal(quoted(quote), undefined, quote);
  assert.equal(findQuote('active against malaria', 'It was inactive against malaria.'), undefined);
  assert.equal(findQuote('34 patients', 'In group 3 4 patients left.'), undefined);
});

test('two joined pieces of a text are not a quote', () => {
  assert.equal(quoted('Corals of the Red Sea reduced mortality by 1.5 %'), undefined);
  assert.equal(quoted('Corals of the Red Sea … reduced mortality'), undefined);
});

test('the numbers of a sentence must occur in its quotes', () => {
  assert.ok(hasNumbersOf('Of 1,200 patients 3.5 % died.', ['1200 patients', 'died: 3.50 %']));
  assert.ok(!hasNumbersOf('Of 1,300 patients some died.', ['1200 patients']));
  assert.ok(hasNumbersOf('No number here.', []));
});
