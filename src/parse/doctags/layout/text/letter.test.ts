import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hasLetter, hasLetterOrDigit, isDigit, isLetters } from './letter.ts';

test('letters and digits are told as the Unicode classes tell them', () => {
  const texts = ['', 'ab', 'a1', '1a', 'ﬁ', '\u{1d400}', 'é', 'e\u0301', '٣', '½', 'ª', ' a', '\ufffd'];
  for (let code = 0; code < 0x250; code += 1) texts.push(String.fromCharCode(code));
  for (const text of texts) {
    assert.equal(hasLetter(text), /\p{L}/u.test(text), text);
    assert.equal(isLetters(text), /^\p{L}+$/u.test(text), text);
    assert.equal(hasLetterOrDigit(text), /[\p{L}\p{N}]/u.test(text), text);
    assert.equal(isDigit(text), /^\d$/u.test(text), text);
  }
});
