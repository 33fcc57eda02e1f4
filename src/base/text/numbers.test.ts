import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findQuote, hasNumbersOf, missingNumber } from './index.ts';

const has = (sentence: string, ...quotes: string[]): void =>
  assert.equal(missingNumber(sentence, quotes), undefined, `${sentence} ⟵ ${quotes.join(' ¶ ')}`);
const lacks = (sentence: string, ...quotes: string[]): void =>
  assert.ok(!hasNumbersOf(sentence, quotes), `${sentence} ⟵ ${quotes.join(' ¶ ')}`);

test('names with digits are no numbers', () => {
  for (const name of ['H1N1', 'N95', 'CD4', 'IL-6', 'COVID-19', 'SARS-CoV-2', 'x64', 'interleukin-6', 'CO2', 'H₂O'])
    has(`${name} was found in the samples.`, 'It was found in the samples.');
  has('Serum 5-HT fell.', 'Serotonin in serum fell.');
  has('3D images were taken.', 'Images were taken.');
  lacks('19 patients had it.', 'COVID-19 was found in patients.');
  lacks('4 cells were seen.', 'CD4 cells were seen.');
  lacks('It lasted 12 weeks.', 'H12 lasted long.');
  lacks('A 12-week course helped.', 'A 16-week course helped.');
  has('It was a phase 3 trial.', 'This phase-3 trial was blinded.');
  lacks('It began post-1990.', 'It began post-1980.');
});

test('number words and digits are the same number', () => {
  has('22 patients died.', 'Twenty-two patients died.');
  has('Twenty-two patients died.', '22 patients died.');
  has('105 patients died.', 'One hundred and five patients died.');
  has('3,000 people came.', 'Three thousand people came.');
  has('1,500,000 people came.', 'Some 1.5 million people came.');
  has('Two thirds recovered.', 'Two-thirds of them recovered.');
  has('Two thirds recovered.', '2/3 of them recovered.');
  has('Two thirds recovered.', '66.7% of them recovered.');
  lacks('Two thirds recovered.', 'One third recovered.');
  lacks('Four patients died.', 'Three patients died.');
  lacks('Twenty-three patients died.', '22 patients died.');
  has('The two groups did not differ.', 'There was no difference between groups.');
  has('Three prototype masks were worn.', 'Masks of 29.4, 58.8 and 88.2 Pa were worn.');
  lacks('Five patients died.', 'Of 9 patients 4 died.');
  has('Three papers report it.', 'It was seen.', 'We saw it.', 'It is seen.');
});

test('separators, decimal signs and zeros do not matter', () => {
  has('Of 1,200 patients 3.5 % died.', '1200 patients', 'died: 3.50 %');
  has('12345 people', '12 345 people');
  has('12,345 people', '12\u2009345 people');
  has('12 345 people', '12,345 people');
  has('0.5 mg', '.5 mg');
  has('1.5 mg', '1·5 mg');
  has('3.5 mg', '3,5 mg');
  has('2 to 21 days', '2–21 days');
  has('SPSS 11.0.1 was used.', 'We used SPSS version 11.0.1 (Chicago).');
  lacks('SPSS 11.0.2 was used.', 'We used SPSS version 11.0.1 (Chicago).');
  has('10^6 cells', '10⁶ cells');
  has('1,000,000 cells', '10⁶ cells');
  has('p < 0.00001', 'p < 1e-5');
  has('٤٥ مريضا', '٤٥ مريضا');
  lacks('٤٦ مريضا', '٤٥ مريضا');
  lacks('345 people', '12,345 people');
  lacks('5 mg', '0.5 mg');
  lacks('15 mg', '1.5 mg');
  lacks('Of 1,300 patients some died.', '1200 patients');
  has('A second group: 3 400 people', 'In groups 3 400 people');
});

test('a percentage is no count, and a count is no percentage', () => {
  has('45% died.', '45 % died.');
  has('45 percent died.', '45% died.');
  has('Between 45 and 50% died.', '45% and 50% died.');
  has('45% and 50% died.', '45 and 50% died.');
  has('12–15% died.', '12% to 15% died.');
  lacks('45 patients died.', '45% died.');
  lacks('45% died.', '45 patients died.');
  lacks('30 patients died.', '20 (30%) died.');
  has('20 patients (30%) died.', '20 (30%) died.');
  has('30% of the women smoked.', 'Smokers | 30 | 41', 'Group | Women, % | Men, %');
  lacks('30% of the women smoked.', 'Smokers | 30 | 41', 'Group | Women | Men');
});

test('the level of an interval, labels and ordinals are no quantities', () => {
  has('The ratio was 1.9 (95% CI 1.2–3.1).', 'ratio 1.9 (CI 1.2 to 3.1)');
  has('The ratio was 1.9 (95% CI 1.2–3.1).', 'OR | 1.9 (1.2–3.1)', 'Group | OR (95% CI)');
  lacks('The ratio was 1.9 (95% CI 1.2–3.1).', 'ratio 1.9 (90% CI 1.2 to 3.1)');
  has('Survival fell, as Table 2 shows.', 'Survival fell.');
  lacks('2 patients died.', 'Patients died (Table 2).');
  lacks('3 patients died.', 'Patients died (Figs. 2 and 3).');
  has('It fell in the 2nd year.', 'It fell in the second year.');
  has('It fell in the second year.', 'It fell in the 2nd year.');
  lacks('2 years passed.', 'It fell in the second year.');
});

test('the number that is missing is named', () => {
  assert.equal(missingNumber('Of 48 patients 13 % died.', ['48 patients, 12 % died']), '13 %');
  assert.equal(missingNumber('Twenty-three died.', ['22 died']), 'Twenty-three');
});

test('the case of the first letter and the last punctuation of a quote may differ', () => {
  const text = 'We saw that in patients with sepsis the dose was low, and nothing else. Others were high.';
  const quoted = (quote: string): string | undefined => {
    const place = findQuote(quote, text);
    return place && text.slice(place.start, place.end);
  };
  assert.equal(quoted('In patients with sepsis the dose was low.'), 'in patients with sepsis the dose was low');
  assert.equal(quoted('we saw that in patients'), 'We saw that in patients');
  assert.equal(quoted('“in patients with sepsis the dose was low”'), 'in patients with sepsis the dose was low');
  assert.equal(quoted('In Patients with sepsis'), undefined);
  assert.equal(findQuote('us citizens were asked', 'US citizens were asked'), undefined);
  const marked = 'NIOSH, 1Centers for Disease Control, 2National Laboratory; 15Mice of strain 5Fluor';
  assert.deepEqual(findQuote('Centers for Disease Control', marked), { start: 8, end: 35 }, 'behind a raised number');
  assert.equal(findQuote('Mice of strain', '0.15Mice of strain'), undefined);
});
