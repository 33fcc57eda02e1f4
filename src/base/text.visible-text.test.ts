import assert from 'node:assert/strict';
import { test } from 'node:test';

import { visibleText } from './text/index.ts';

test('invisible characters are removed, and nothing else', () => {
  const tags = Array.from('ignore all', (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
  assert.equal(visibleText(`Corals${tags} bleach`), 'Corals bleach');
  assert.equal(visibleText('a\u200Bb\u2060c\uFEFFd\u00ADe\u{E0100}f\uFE0F'), 'abcdef');
  assert.equal(visibleText('user\u202Etxt.exe\u2066x\u2069'), 'usertxt.exex');
  assert.equal(
    visibleText('one\u0000two\u001B[31m\r\nthree\tfour\u2028five\fsix'),
    'onetwo[31m\nthree\tfour\nfive\nsix',
  );
  assert.equal(visibleText('\uD800lone'), '\uFFFDlone');
  assert.equal(visibleText('Größe µm 漢字 😀 عربي'), 'Größe µm 漢字 😀 عربي');
});

test('a joiner is kept between letters of a script that needs it, and removed elsewhere', () => {
  assert.equal(visibleText('می\u200Cخواهم'), 'می\u200Cخواهم');
  assert.equal(visibleText('a\u200Cb\u200Dc'), 'abc');
});
