import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readFinding } from './read-finding.ts';

/** Subject, relation, object, population, comparator and value, without those that are not said. */
function read(sentence: string): string | undefined {
  const found = readFinding(sentence);
  if (!found) return undefined;
  const { subject, relation, object, population, comparator, value } = found;
  const more = [population && `in ${population}`, comparator && `vs ${comparator}`, value && `= ${value}`];
  return [subject, relation, object, ...more.filter((each) => each)].join(' | ');
}

test('what something does to something else is a finding, with whom, against what and how much', () => {
  assert.equal(
    read('Aspirin significantly reduced mortality in patients with stroke (RR 0.8, 95% CI 0.7–0.9).'),
    'Aspirin | decreases | mortality | in patients with stroke | = RR 0.8, 95% CI 0.7–0.9',
  );
  assert.equal(
    read('Our results showed that the oil reduced intracellular levels of ROS in astrocytes compared with LPS alone.'),
    'oil | decreases | intracellular levels of ROS | in astrocytes | vs LPS alone',
  );
  assert.equal(
    read('The addition of the foil increases cell mass by 1.3%, while the ratio is constant.'),
    'addition of the foil | increases | cell mass | = 1.3%',
  );
  assert.equal(read('Growth was strongly inhibited by thymol.'), 'thymol | inhibits | Growth');
});

test('a comparison says who has more of what', () => {
  assert.equal(
    read('The score of Group L was significantly higher than that of Group C (P = 0.014).'),
    'Group L | increases | score | vs Group C | = P = 0.014',
  );
  assert.equal(
    read('Patients with diabetes had significantly higher risks of stroke than healthy controls.'),
    'Patients with diabetes | increases | risks of stroke | vs healthy controls',
  );
});

test('no difference and an association are findings', () => {
  assert.equal(
    read('There was no significant difference in pain between ibuprofen and placebo.'),
    'ibuprofen | no difference | pain | vs placebo',
  );
  assert.equal(
    read('Among women with breast cancer, younger age was associated with a risk of stroke (HR 1.3).'),
    'younger age | associated | risk of stroke | in women with breast cancer | = HR 1.3',
  );
});

test('what a thing consists of keeps its list', () => {
  assert.equal(
    read('The main compounds of the oil were cyperene (18%), nardosina-1,11-diene (15%), and cadalene (7%).'),
    'oil | contains | cyperene, nardosina-1,11-diene, and cadalene | = 18%',
  );
});

test('wishes, guesses, what others found, negations and pointers are no findings', () => {
  for (const sentence of [
    'Aspirin may reduce the mortality of patients.',
    'We asked whether aspirin reduced the mortality.',
    'Previous studies showed that aspirin reduced the mortality.',
    'Aspirin did not reduce the mortality.',
    'This reduced the mortality.',
    'Background: Aspirin reduces the mortality of patients.',
    'Urinalysis revealed occult blood and elevated protein.',
    'Patients with increased risk stayed.',
    'Vomiting was comparable between 2 groups.',
    'The present study was associated with some limitations.',
    'Did aspirin reduce the mortality?',
  ])
    assert.equal(read(sentence), undefined, sentence);
});

test('a part that a break cut off, or a word of order alone, is no part of a finding', () => {
  assert.equal(read('Onset age was associated with elevated risks of.'), undefined);
  assert.equal(read('Homology modelling predicts a fold similar to that of CHS2.'), undefined);
  assert.equal(read('Most indices did not differ between primary and secondary cases.'), undefined);
});
