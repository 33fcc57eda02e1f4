import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findPopulation } from './population.ts';

const said = (sentence: string): readonly [string, number] | undefined => {
  const found = findPopulation(sentence);
  return found && [found.who, found.count];
};

test('whom a study took in is told with the number', () => {
  assert.deepEqual(said('A total of 1,692 children with nephrotic syndrome were included in this study.'), [
    'children with nephrotic syndrome',
    1692,
  ]);
  assert.deepEqual(said('We enrolled 49 health care workers from two hospitals.'), [
    'health care workers from two hospitals',
    49,
  ]);
  assert.deepEqual(said('Overall, 31 consecutive patients (12 women) were randomly assigned.'), ['patients', 31]);
});

test('what others studied, groups of a study and numbers of other things are no population of the paper', () => {
  for (const sentence of [
    'The HORRAD trial randomised 432 men.',
    'Smith et al. enrolled 20 patients.',
    'In the control group 20 patients were included.',
    'We enrolled patients.',
    'It was seen in 4 people, including 2 workers who were tested.',
    'Survival was 71% for the 32 patients enrolled at diagnosis.',
    'A total of 12 genes were identified.',
    'In a double blind clinical trial, the effect in 72 women was examined.',
    'In a separate study 22 adults were identified.',
    'A total of 285 studies were identified from the databases.',
    'In all 524 COPD cases were identified in a year.',
    'This was shown.64, 65 During this cleaning on farms it was tested.',
    'We give the I 2 heterogeneity measure among the studies included.',
    'Safety is judged in the first 6 patients enrolled.',
    'Of these 113 studies examined the health of nurses.',
    '714 repeats that are in 158 families were identified.',
    'About 51 individuals were identified in March.',
    'WHO estimated that 65 million people have been vaccinated.',
    'In May 51 individuals were identified as probable cases.',
    'In all 157 transcription factors of 32 families were identified.',
    'Signs in 4 of 6 children with this illness included headache.',
  ])
    assert.equal(said(sentence), undefined, sentence);
});
