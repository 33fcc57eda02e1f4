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
  assert.deepEqual(found('The Democratic Republic of the Congo'), ['Congo - Kinshasa']);
});

test('other words are no countries', () => {
  assert.deepEqual(found('Guinea pigs from New Jersey, Indiana; an UXS gene, Nigerian goats and A. niger'), []);
});
