import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findCountries } from './countries.ts';

const found = (text: string): string[] => findCountries(text).map(({ name }) => name);

test('countries are found by their usual and other names, as whole words', () => {
  assert.deepEqual(found('Nurses in the U.S., the UK and Côte d’Ivoire; Viet Nam and South Korea.'), [
    'United States',
    'United Kingdom',
    'Côte d’Ivoire',
    'Vietnam',
    'South Korea',
  ]);
  assert.deepEqual(found('The Democratic Republic of the Congo, Myanmar, Bosnia and Herzegovina'), [
    'Democratic Republic of the Congo',
    'Myanmar',
    'Bosnia and Herzegovina',
  ]);
});

test('other words are no countries', () => {
  assert.deepEqual(found('Guinea pigs from New Jersey, Indiana; an UXS gene, Nigerian goats and A. niger'), []);
  assert.deepEqual(found('Enzymes (New England Biolabs), New Mexico, New Britain'), []);
  assert.deepEqual(found('It was reduced (Israel et al., 2016).'), []);
  assert.deepEqual(found('Jordan et al. asked Chad Smith, and Guinea pigs; the accuracy of US was low.'), []);
});

test('a name with other meanings is a country where a place is named', () => {
  assert.deepEqual(found('Refugees in Jordan and Mali, and a hospital (Conakry, Guinea) of the US'), [
    'Jordan',
    'Mali',
    'Guinea',
    'United States',
  ]);
});

test('a part of a country keeps its name and says its country', () => {
  const [scotland] = findCountries('Farms in Scotland');
  assert.deepEqual([scotland?.name, scotland?.country], ['Scotland', 'United Kingdom']);
});
