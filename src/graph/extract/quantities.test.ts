import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findQuantities } from './quantities.ts';

const spans = (text: string): string[] => findQuantities(text).map(({ start, end }) => text.slice(start, end));

test('a number with its unit is a quantity, in base units too', () => {
  const [dose] = findQuantities('a dose of 250 µg/mL was given');
  assert.deepEqual(
    [dose?.values, dose?.unit?.text, dose?.normal, dose?.unit?.base],
    [[250], 'µg/mL', [0.25], 'kg m^-3'],
  );
  const [heat] = findQuantities('held at 25 °C overnight');
  assert.deepEqual([heat?.normal, heat?.unit?.base], [[298.15], 'K']);
  assert.deepEqual(spans('a flux of 11 km s−1 and 700 W/m2'), ['11 km s−1', '700 W/m2']);
});

test('ranges, tolerances and words of degree belong to the quantity', () => {
  assert.deepEqual(spans('depths between 5 and 300 m were'), ['between 5 and 300 m']);
  assert.deepEqual(spans('approximately 78 ± 0.6% of them'), ['approximately 78 ± 0.6%']);
  assert.deepEqual(spans('of 1.4%–3.1% in all'), ['1.4%–3.1%']);
  assert.equal(findQuantities('from ∼20 to 40 ppm')[0]?.shape, 'range');
});

test('things are counted', () => {
  const [count] = findQuantities('We enrolled 5,318 elderly participants in total');
  assert.deepEqual([count?.values, count?.counted], [[5318], 'elderly participants']);
});

test('numbers that name something are no quantities', () => {
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
