import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findFunders } from './funding.ts';

const namesIn = (sentence: string, part?: 'funding' | 'acknowledgements'): readonly string[] =>
  findFunders(sentence, part).map(({ name }) => name);

test('who paid for the work is named behind it, each body apart', () => {
  assert.deepEqual(
    findFunders(
      'This work was supported by the National Natural Science Foundation of China (82373665 & 81974490), the Fund for Health of the Academy of Sciences (2021-RC330-001), and CNPq.',
    ),
    [
      { name: 'National Natural Science Foundation of China', awards: ['82373665', '81974490'] },
      { name: 'Fund for Health of the Academy of Sciences', awards: ['2021-RC330-001'] },
      { name: 'CNPq', awards: [] },
    ],
  );
  assert.deepEqual(
    namesIn('The trial was partly funded by the U.S. Department of Energy under award number DE-EE0008447.'),
    ['U.S. Department of Energy'],
  );
});

test('commas and "and" inside a name do not divide it', () => {
  assert.deepEqual(
    namesIn('Our study was funded by the Ministry of Science, Research and Art and the University of Freiburg.'),
    ['Ministry of Science, Research and Art', 'University of Freiburg'],
  );
  assert.deepEqual(namesIn('This study was financed by Coral Research and Development, LLC (Raritan, NJ).'), [
    'Coral Research and Development, LLC',
  ]);
});

test('thanks for money name a funder in acknowledgements only', () => {
  const thanks =
    'The authors are grateful to the Technology Department of Calavi University (UAC) for financial support.';
  assert.deepEqual(namesIn(thanks, 'acknowledgements'), ['Technology Department of Calavi University']);
  assert.deepEqual(namesIn(thanks), []);
  assert.deepEqual(namesIn('Funding: Wellcome Trust (204998/Z/16/Z).', 'funding'), ['Wellcome Trust']);
});

test('people, companies that paid an author, and papers without a funder have none', () => {
  for (const sentence of [
    'This research received no specific grant from any funding agency.',
    'The funders had no role in the study supported by the Wellcome Trust.',
    'A. B. received personal fees and grants from Pfizer Inc outside the submitted work.',
    'We thank the staff of Makiwane Hospital for their support.',
    'The tree was supported by bootstrap values of the Department test.',
  ])
    assert.deepEqual(namesIn(sentence, 'acknowledgements'), [], sentence);
});
