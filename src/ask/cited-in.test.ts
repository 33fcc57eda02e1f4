import assert from 'node:assert/strict';
import { test } from 'node:test';

import { citedIn } from './cited-in.ts';

test('a sentence names the works that it has something from, as they are printed', () => {
  for (const [sentence, cited] of [
    ['Villarini et al.[30] investigated gene mutations of 52 workers.', '[30]'],
    ['The dressing should be changed every 7 days [7,9, 10]; (IB).', '[7,9, 10]'],
    ['Costs range from $28 000 [19] to $134 000 [20–22].', '[19], [20–22]'],
    ['It cannot be used for biomass (Magurran 2012).', 'Magurran 2012'],
    ['It is used in medicine (Özcan et al., 2009; Kim and Ito, 2007a).', 'Özcan et al., 2009; Kim and Ito, 2007a'],
    ['Smith and Jones (1951) gave the formula.', 'Smith and Jones (1951)'],
    ['As Vale et al. found, shade matters.', 'Vale et al.'],
  ] as const)
    assert.equal(citedIn(sentence), cited, sentence);
});

test('numbers, dates, tables and programs in brackets name no work', () => {
  for (const sentence of [
    'We measured 12 of 40 samples (30 %) in two summers.',
    'The odds ratio was 7.8 (95% CI 2.3–25.9; Table 3).',
    'Samples were taken in Hanoi (March 2003) and Darwin (2010).',
    'The survey (Sweden, 2010) had 300 farms, another one (Porto, Portugal 2012) fewer.',
    'The hospital was closed (26 February 2003).',
    'Calculations were done in SPSS (version 21, IBM 2012).',
    'The range was [0, 1) in all of them.',
    'The median age was 62 [54–71] years.',
    'The odds rose (95% CI [1-4]).',
  ])
    assert.equal(citedIn(sentence), null, sentence);
});
