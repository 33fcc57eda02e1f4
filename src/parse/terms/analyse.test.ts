import assert from 'node:assert/strict';
import { test } from 'node:test';

import { analyse } from './analyse.ts';
import { porterStem } from './porter.ts';

test('stems are those of the published algorithm', () => {
  const pairs =
    'caresses caress, ponies poni, ties ti, cats cat, feed feed, agreed agre, plastered plaster, bled bled, motoring motor, sing sing, conflated conflat, troubled troubl, sized size, hopping hop, tanned tan, falling fall, hissing hiss, fizzed fizz, failing fail, filing file, happy happi, sky sky, relational relat, conditional condit, rational ration, valenci valenc, digitizer digit, radically radic, differently differ, analogously analog, vietnamization vietnam, predication predic, operator oper, feudalism feudal, decisiveness decis, hopefulness hope, callousness callous, formality formal, sensitivity sensit, sensibility sensibl, triplicate triplic, formative form, formalize formal, electrical electr, goodness good, revival reviv, allowance allow, inference infer, airliner airlin, adjustable adjust, defensible defens, irritant irrit, replacement replac, adjustment adjust, dependent depend, adoption adopt, communism commun, activate activ, angularity angular, effective effect, probate probat, rate rate, cease ceas, controlling control, roll roll';
  for (const pair of pairs.split(', ')) {
    const [word = '', stem] = pair.split(' ');
    assert.equal(porterStem(word), stem, word);
  }
});

test('terms are folded, lower case, without English function words, and cut out of scripts without spaces', () => {
  assert.deepEqual(analyse('The ＴＥＳＴＳ were run on the ﬁelds, didn’t they?'), ['test', 'run', 'field', 'didn']);
  assert.deepEqual(analyse('x2 beta-carotene 10.5'), ['x2', 'beta', 'caroten', '10', '5']);
  assert.ok(analyse('我们测量海水温度').length > 2);
});

test('accents of Latin and Greek are not needed to find a word, marks of other scripts stay with it', () => {
  assert.deepEqual(analyse('Schrödinger naïve Ångström ἄνθρωπος'), ['schroding', 'naiv', 'angstrom', 'ανθρωπος']);
  assert.deepEqual(analyse('e\u0301tude hyphen\u00ADated'), ['etud', 'hyphen']);
  assert.deepEqual(analyse('हिन्दी में'), ['हिन्दी', 'में']);
  assert.deepEqual(analyse('й'), ['й']);
  assert.equal(analyse('한국어').join(''), '한국어');
});
