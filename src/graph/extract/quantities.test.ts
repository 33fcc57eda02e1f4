import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findQuantities, measuredBy } from './quantities.ts';

const spans = (text: string): string[] => findQuantities(text).map(({ start, end }) => text.slice(start, end));

test('a number with a unit is a quantity, also given in base units', () => {
  const [dose] = findQuantities('a dose of 250 µg/mL was given');
  assert.deepEqual(
    [dose?.values, dose?.unit?.text, dose?.normal, dose?.unit?.base],
    [[250], 'µg/mL', [0.25], 'kg m^-3'],
  );
  const [heat] = findQuantities('held at 25 °C overnight');
  assert.deepEqual([heat?.normal, heat?.unit?.base], [[298.15], 'K']);
  assert.deepEqual(spans('a flux of 11 km s−1 and 700 W/m2'), ['11 km s−1', '700 W/m2']);
});

test('ranges, tolerances and qualifiers are part of the quantity', () => {
  assert.deepEqual(spans('depths between 5 and 300 m were'), ['between 5 and 300 m']);
  assert.deepEqual(spans('approximately 78 ± 0.6% of them'), ['approximately 78 ± 0.6%']);
  assert.deepEqual(spans('of 1.4%–3.1% in all'), ['1.4%–3.1%']);
  assert.equal(findQuantities('from ∼20 to 40 ppm')[0]?.shape, 'range');
});

test('a value with an uncertainty is one value', () => {
  for (const text of ['kept at 28 ± 2 °C', 'kept at (28 ± 2) °C', 'kept at 28 °C ± 2 °C', 'kept at 28 +/- 2 °C']) {
    const [found, ...others] = findQuantities(text);
    assert.deepEqual(
      [found?.values, found?.uncertainty, found?.shape, found?.normal],
      [[28], [2], 'value', [301.15]],
      text,
    );
    assert.deepEqual(others, [], text);
  }
  const [range] = findQuantities('from 12.3 ± 0.4 to 15.1 ± 0.6 mg');
  assert.deepEqual([range?.values, range?.uncertainty, range?.shape], [[12.3, 15.1], [0.4, 0.6], 'range']);
});

test('a power of ten is one number, and a range from ten stays a range', () => {
  const values = (text: string): unknown => findQuantities(text).map(({ values, shape }) => [values, shape]);
  assert.deepEqual(values('a conductivity of 10−6 S cm−1'), [[[1e-6], 'value']]);
  assert.deepEqual(values('at 10⁻⁶ M and 10^-3 M'), [
    [[1e-6], 'value'],
    [[1e-3], 'value'],
  ]);
  assert.deepEqual(values('below 10−12 M'), [[[1e-12], 'value']]);
  assert.deepEqual(values('a dose of 10–20 mg'), [[[10, 20], 'range']]);
  assert.deepEqual(values('a dose of 5 × 10−3 g'), [[[0.005], 'value']]);
});

test('counts of things are quantities', () => {
  const [count] = findQuantities('We enrolled 5,318 elderly participants in total');
  assert.deepEqual([count?.values, count?.counted], [[5318], 'elderly participants']);
});

test('numbers that are labels are not quantities', () => {
  for (const text of [
    'see Figs. 2 and 3',
    'as reported (Smith et al., 2011)',
    'was shown before [14, 15]',
    'emissions of CO2 and N2O5',
    'the isotopes 13C and 12C',
    'at phases 3, 5, and 7',
    'in 1998 the survey',
    'standards NBS-18 and NBS-19',
  ])
    assert.deepEqual(spans(text), [], text);
});

test('the property of a quantity is found before it, after it, before its bracket, or as the subject', () => {
  const measured = (sentence: string, which = 0): unknown => {
    const { start, end, unit } = findQuantities(sentence)[which] ?? assert.fail(sentence);
    const { property, entity } = measuredBy(sentence, { start, end }, unit?.text === '%');
    return [property, entity].map((at) => at && sentence.slice(at.start, at.end));
  };
  assert.deepEqual(measured('rich in thymol (47.59%) and others'), [null, 'thymol']);
  assert.deepEqual(measured('at body temperature (37 °C) for a day'), ['body temperature', null]);
  assert.deepEqual(measured('The temperature of the water was 25 °C at noon'), ['temperature', 'water']);
  assert.deepEqual(measured('with a mean age of 54.8 years'), ['mean age', null]);
  assert.deepEqual(measured('under a 20 m thick layer'), ['thick', 'layer']);
  assert.deepEqual(measured('The samples were heated to 300 °C'), ['heated', 'samples']);
  assert.deepEqual(
    measured('The samples were kept for 3 h at 80 °C', 1),
    [null, 'samples'],
    'a unit is not a property',
  );
});

test('a decimal number before a word is a value in any language; one after a label is not', () => {
  assert.deepEqual(
    findQuantities('в 64 опытах получено значение 16.0 единиц.').map(({ values }) => values),
    [[16]],
  );
  assert.deepEqual(findQuantities('as Section 2.1 shows'), []);
});

test('a space parts thousands, but not two numbers', () => {
  const values = (text: string): unknown[] => findQuantities(text).map(({ values }) => values);
  assert.deepEqual(values('platelets ≥100 000/mm3 before each cycle'), [[100000]]);
  assert.deepEqual(values('a total of 1 250 000 reads'), [[1250000]]);
  assert.deepEqual(values('of 12 345.6 mg'), [[12345.6]]);
  assert.deepEqual(values('on day 7 100 cells were counted')[0], [100]);
});

test('the number of a list item is not a quantity', () => {
  assert.deepEqual(spans('Exclusion: 1. Patients who refused'), []);
  assert.deepEqual(spans('Exclusion: 1.'), []);
});

test('a capital letter that is hardly ever a unit is none when it stands alone', () => {
  assert.deepEqual(
    findQuantities('In all 18 C were enrolled, with 120 C g−1 measured').map(({ unit }) => unit?.text),
    ['C g−1'],
  );
});
