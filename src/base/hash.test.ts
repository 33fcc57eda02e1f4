import assert from 'node:assert/strict';
import { test } from 'node:test';

import { canonicalJson, sha256 } from './hash.ts';

test('equal values have equal canonical JSON', () => {
  assert.equal(canonicalJson({ b: [{ d: 1, c: 2 }], a: null }), '{"a":null,"b":[{"c":2,"d":1}]}');
  assert.equal(sha256('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
