import assert from 'node:assert/strict';
import { test } from 'node:test';

import { analyse } from './analyse.ts';

test('English words are stemmed by the published algorithm, including its later rules', () => {
  const words = 'caresses ponies agreed motoring hopping relational digitizer sensibility replacement controlling';
  const stems = 'caress poni agre motor hop relat digit sensibl replac control';
  assert.deepEqual(analyse(words), stems.split(' '));
  assert.deepEqual(
    analyse('technology technological possible possibly'),
    'technolog technolog possibl possibl'.split(' '),
  );
});

test('terms are normalised, in lower case, without English stop words, and segmented in scripts without spaces', () => {
  assert.deepEqual(analyse('The ＴＥＳＴＳ were run on the ﬁelds, didn’t they?'), ['test', 'run', 'field', 'didn']);
  assert.deepEqual(analyse('x2 beta-carotene 10.5'), ['x2', 'beta', 'caroten', '10', '5']);
  assert.ok(analyse('我们测量海水温度').length > 2);
});

test('Latin and Greek accents are ignored, marks of other scripts are kept', () => {
  assert.deepEqual(analyse('Schrödinger naïve Ångström ἄνθρωπος'), ['schroding', 'naiv', 'angstrom', 'ανθρωπος']);
  assert.deepEqual(analyse('e\u0301tude hyphen\u00ADated'), ['etud', 'hyphen']);
  assert.deepEqual(analyse('हिन्दी में'), ['हिन्दी', 'में']);
  assert.deepEqual(analyse('й'), ['й']);
  assert.equal(analyse('한국어').join(''), '한국어');
});
