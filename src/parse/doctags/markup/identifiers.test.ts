import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { findArxivId, findDoi } from './identifiers.ts';

test('a DOI is found without the punctuation around it', () => {
  assert.equal(findDoi('see doi:10.1016/S1473-3099(12)70148-2.'), '10.1016/s1473-3099(12)70148-2');
  assert.equal(findDoi('(https://doi.org/10.1234/Abc.d), and'), '10.1234/abc.d');
  assert.equal(findDoi('https://dx.doi.org/10.1016%2FS0022-0981%2897%2900133-0'), '10.1016/s0022-0981(97)00133-0');
  assert.equal(findDoi('https://x.org/?doi=10.1371/journal.pone.1&volume=2'), '10.1371/journal.pone.1');
  assert.equal(findDoi('version 10.4 of 10.12/x'), undefined);
});

test('an arXiv identifier is found in both its forms, without the version', () => {
  assert.equal(findArxivId('arXiv preprint arXiv:1607.06450v2, 2016'), '1607.06450');
  assert.equal(findArxivId('https://arxiv.org/abs/cs/9802040'), 'cs/9802040');
  assert.equal(findArxivId('in 2016.06450'), undefined);
});

const PROBES = join(import.meta.dirname, '../../../../../shared/data/hostile/open/markup/t01_redos.txt');
test('text made to stall a search does not', { skip: existsSync(PROBES) ? false : `${PROBES} is absent` }, () => {
  for (const line of readFileSync(PROBES, 'utf8').split('\n')) {
    findDoi(line);
    findArxivId(line);
  }
});
