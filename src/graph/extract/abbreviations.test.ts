import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findAbbreviations } from './abbreviations.ts';

const pairs = (text: string): string[] =>
  findAbbreviations(text).map(({ short, long }) => `${short.text} = ${long.text}`);

test('the long form before a bracket is matched by its letters', () => {
  assert.deepEqual(pairs('Patients had an elevated body mass index (BMI) at baseline.'), ['BMI = body mass index']);
  assert.deepEqual(pairs('cells treated with lipopolysaccharide (LPS) were'), ['LPS = lipopolysaccharide']);
  assert.deepEqual(pairs('after treatment with antithyroid drugs (ATD)'), ['ATD = antithyroid drugs']);
  assert.deepEqual(pairs('non-high-density lipoprotein (HDL) cholesterol'), ['HDL = high-density lipoprotein']);
});

test('nested brackets, short forms after a comma and before the bracket are found', () => {
  assert.deepEqual(pairs('[OR 6.9, confidence interval (CI) 2.9 to 16.7]'), ['CI = confidence interval']);
  assert.deepEqual(pairs('HIF-1beta (arylhydrocarbon receptor nuclear translocator, ARNT)'), [
    'ARNT = arylhydrocarbon receptor nuclear translocator',
  ]);
  assert.deepEqual(pairs('measured with GC (gas chromatography) and'), ['GC = gas chromatography']);
});

test('digits of a short form need not occur in the long form', () => {
  assert.deepEqual(pairs('levels of 17-beta-estradiol (E2) were measured'), ['E2 = 17-beta-estradiol']);
  assert.deepEqual(pairs('on the Perceived Stress Scale (PSS-14) the'), ['PSS-14 = Perceived Stress Scale']);
  assert.deepEqual(pairs('a preparation, Combidex (Code 7227), in'), []);
});

test('commas and brackets inside chemical names and their short forms are kept', () => {
  assert.deepEqual(pairs('Fructose-2,6-bisphosphate (Fru-2,6-P) regulates'), ['Fru-2,6-P = Fructose-2,6-bisphosphate']);
  assert.deepEqual(pairs('the release probability (P(ves1)) of the vesicle'), []);
  assert.deepEqual(pairs('methods, partial least squares (PLS-1 and PLS-2) and others'), [
    'PLS-1 = partial least squares',
  ]);
});

test('brackets without an abbreviation are ignored', () => {
  assert.deepEqual(pairs('There was no difference (P < 0.05) between the groups (Table 2).'), []);
  assert.deepEqual(pairs('as was shown earlier (Smith, 2004) in rats (n = 12)'), []);
});

test('a long form does not begin before an article', () => {
  assert.deepEqual(pairs('identified as an (E)-β-farnesene synthase (Aaβ-FS) there'), []);
  assert.deepEqual(pairs('known as the aldehyde test (AT) there'), ['AT = aldehyde test']);
});

test('offsets refer to the text', () => {
  const text = 'The essential oil (EO) was obtained.';
  const [found] = findAbbreviations(text);
  assert.ok(found);
  assert.equal(text.slice(found.long.start, found.long.end), 'essential oil');
  assert.equal(text.slice(found.short.start, found.short.end), 'EO');
});

test('a bracket and a stroke before a long form are not part of it', () => {
  assert.deepEqual(pairs('in ethylene carbonate (EC)/ethyl methyl carbonate (EMC) (3/7)'), [
    'EC = ethylene carbonate',
    'EMC = ethyl methyl carbonate',
  ]);
});
