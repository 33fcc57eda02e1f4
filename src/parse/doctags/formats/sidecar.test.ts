import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HOSTILE_DOCUMENT } from '../../../../test/support/hostile-document.ts';
import { writeSidecar } from './sidecar.ts';

test('the sidecar describes how the document was parsed and what it contains', () => {
  const sidecar = JSON.parse(
    writeSidecar(
      HOSTILE_DOCUMENT,
      { path: 'ducks.pdf', sha256: 'ab', kind: 'pdf' },
      { parse_engine: 'docling-vlm', model_name: 'm', served_models: ['m'], vllm_version: '0.9' },
    ),
  ) as Record<string, unknown>;
  assert.equal(sidecar['parse_engine'], 'docling-vlm');
  assert.deepEqual(sidecar['served_models'], ['m']);
  assert.deepEqual(sidecar['authors'], ['A. Duck']);
  assert.equal((sidecar['counts'] as Record<string, number>)['tables'], 1);
});
