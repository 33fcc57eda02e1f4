import assert from 'node:assert/strict';
import { test } from 'node:test';

import { referenceIds } from './reference.ts';

test('identifiers of a reference are read from its text and its links', () => {
  assert.deepEqual(referenceIds('[12] A. Stone. Sand. doi: 10.1000/ABC.1.', []), { doi: '10.1000/abc.1', label: '12' });
  assert.deepEqual(referenceIds('B. Brook. Clay. arXiv:1706.03762v5', []), { arxivId: '1706.03762' });
  assert.deepEqual(referenceIds('C. Field. Wheat.', [{ url: 'https://doi.org/10.5/x' }]), {});
  assert.deepEqual(referenceIds('C. Field. Wheat.', [{ url: 'https://doi.org/10.5555/x' }]), { doi: '10.5555/x' });
});
