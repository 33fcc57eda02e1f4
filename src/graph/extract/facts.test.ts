import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findDatasets } from './facts.ts';

test('data sets are found by accession, DOI and RRID, software by the URL of its source', () => {
  const text =
    'Reads are in GSE12345 and PRJNA400123 (PDB ID 1abc; doi 10.5281/zenodo.1234567.), made with ImageJ (RRID:SCR_003070) ' +
    'and antibodies (RRID: AB_123456), see https://github.com/Some/Tool.';
  assert.deepEqual(
    findDatasets(text).map(({ kind, id }) => `${kind} ${id}`),
    [
      'dataset geo:GSE12345',
      'dataset bioproject:PRJNA400123',
      'dataset pdb:1ABC',
      'dataset doi:10.5281/zenodo.1234567',
      'software rrid:SCR_003070',
      'material rrid:AB_123456',
      'software url:github.com/some/tool',
    ],
  );
  assert.deepEqual(findDatasets('Groups GSE and NCT1 of 10.1000/182 are none.'), []);
});
