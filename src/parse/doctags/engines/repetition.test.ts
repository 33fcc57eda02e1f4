import assert from 'node:assert/strict';
import { test } from 'node:test';

import { cutRepetition } from './vlm.ts';

test('an endless tail is cut to one copy', () => {
  const start = '<otsl><fcel>a<fcel>b<nl>';
  assert.equal(cutRepetition(start + '<ecel>'.repeat(500)), `${start}<ecel>`);
  assert.equal(cutRepetition(`Text. ${'The duck swims on. '.repeat(40)}`), 'Text. The duck swims on. ');
});

test('text that repeats itself a little is left alone', () => {
  assert.equal(cutRepetition('<otsl><fcel>a<ecel><ecel><ecel><nl>'), undefined);
  assert.equal(cutRepetition(`a line\n${' '.repeat(500)}`), undefined);
  assert.equal(cutRepetition('ha '.repeat(11)), undefined);
});
