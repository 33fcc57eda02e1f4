import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isOrganisation } from './bodies.ts';

test('an organisation has a word for a kind of body, or is known by its letters', () => {
  for (const name of [
    'World Health Organization',
    'National Institutes of Health',
    'Universidade Federal de Minas Gerais',
    'Department of Energy',
    'Johns Hopkins University School of Medicine',
    'Medical Research Council',
    'Umicore GmbH',
    'Takara Biotechnology',
    'Harvard Medical School',
    'National Personal Protective Technology Laboratory',
    'South Texas Veterans Health Care System',
    'NIOSH',
  ])
    assert.equal(isOrganisation(name), true, name);
});

test('cities, people, words in lower case, and what many bodies have a part of, are none', () => {
  for (const name of [
    'Alnarp',
    'nurses',
    'intensive care unit',
    'Neurology',
    'Department of Chemistry',
    'Botany Department',
    'College of Life Sciences',
    'First Affiliated Hospital',
    'Department of Virology, Faculty of Veterinary Medicine',
    'Faculty of Health Sciences',
    'German health authorities',
    'Ethics Committee',
    'People’s Hospital',
    'Health Authority of',
    'MERS',
  ])
    assert.equal(isOrganisation(name), false, name);
});
