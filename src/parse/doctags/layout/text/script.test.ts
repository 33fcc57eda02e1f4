import assert from 'node:assert/strict';
import { test } from 'node:test';

import { setWord } from '../../../../../test/support/glyphs.ts';
import { hasLetter, hasLetterOrDigit, isDigit, isLetters, detectLanguage, readingGlyphs } from './script.ts';

test('letters and digits are classified as in Unicode', () => {
  const texts = ['', 'ab', 'a1', '1a', 'ﬁ', '\u{1d400}', 'é', 'e\u0301', '٣', '½', 'ª', ' a', '\ufffd'];
  for (let code = 0; code < 0x250; code += 1) texts.push(String.fromCharCode(code));
  for (const text of texts) {
    assert.equal(hasLetter(text), /\p{L}/u.test(text), text);
    assert.equal(isLetters(text), /^\p{L}+$/u.test(text), text);
    assert.equal(hasLetterOrDigit(text), /[\p{L}\p{N}]/u.test(text), text);
    assert.equal(isDigit(text), /^\d$/u.test(text), text);
  }
});

test('the language is detected by its most common words or its script', () => {
  assert.equal(
    detectLanguage(
      'The ducks of the lake were seen by all of us, and it is said that they have been there for as long as anybody can remember, which is a long time for ducks.',
    ),
    'en',
  );
  assert.equal(
    detectLanguage(
      'Die Enten auf dem See sind von allen gesehen worden, und es ist bekannt, dass sie nicht mit den Gänsen zu verwechseln sind, die auch dort leben.',
    ),
    'de',
  );
  assert.equal(
    detectLanguage(
      'La población indígena está afectada por este problema, y los niños de la zona son los que más lo sufren en todas las comunidades del país.',
    ),
    'es',
  );
  assert.equal(detectLanguage('鸭子在湖里游泳，大家都看见了。'.repeat(20)), 'zh');
  assert.equal(detectLanguage('カモは湖で泳いでいます。みんなが見ました。'.repeat(20)), 'ja');
});

test('languages that share a script are distinguished by their letters', () => {
  assert.equal(detectLanguage('Качки плавають в озері, і всі їх бачили, бо вони є тут давно.'.repeat(3)), 'uk');
  assert.equal(detectLanguage('Утки плавают в озере, и все их видели, потому что они здесь давно.'.repeat(3)), 'ru');
  assert.equal(detectLanguage('اردک‌ها در دریاچه شنا می‌کنند و همه آن‌ها را دیده‌اند، چون گروهی بزرگ‌اند.'.repeat(3)), 'fa');
  assert.equal(detectLanguage('البط يسبح في البحيرة وقد رآه الجميع لأنه هنا منذ وقت طويل.'.repeat(3)), 'ar');
  assert.equal(
    detectLanguage('Ördekler gölde yüzer ve bu göl bir çok kuş için daha güvenli olarak bilinir.'.repeat(3)),
    'tr',
  );
  assert.equal(
    detectLanguage('Những con vịt được nhìn thấy trong hồ và đã ở đó từ lâu với các loài chim.'.repeat(3)),
    'vi',
  );
});

test('no language is guessed from too little or unspecific text', () => {
  assert.equal(detectLanguage('The ducks'), undefined);
  assert.equal(
    detectLanguage(
      'Anas Aythya Bucephala Clangula Histrionicus Lophodytes Melanitta Mergus Somateria Polysticta Netta Marmaronetta',
    ),
    undefined,
  );
});

test('the language is detected by short words or by the script', () => {
  assert.equal(
    detectLanguage('the water of the river is slow and the sand in it settles for years in that plain'),
    'en',
  );
  assert.equal(
    detectLanguage('der Fluss ist langsam und die Steine werden von dem Wasser nicht mit auf den Weg genommen'),
    'de',
  );
  assert.equal(
    detectLanguage(
      '강물은 천천히 흐르고 모래는 넓은 들판에 가라앉는다 그리고 농부들은 그곳에서 밀을 재배한다 오늘도 강은 흐른다 바다까지',
    ),
    'ko',
  );
  assert.equal(detectLanguage('x'), undefined);
});

test('words in the other direction are reversed within a line', () => {
  const hebrew = [
    ...setWord('see'),
    ...setWord('אב', 20)
      .toReversed()
      .map((each, index) => ({ ...each, left: 20 + index * 5 })),
  ];
  assert.equal(
    readingGlyphs(hebrew, false)
      .map((each) => each.text)
      .join(''),
    'seeאב',
  );
  const inMirror = [...setWord('אב'), ...setWord('nohtyP', 20)];
  assert.equal(
    readingGlyphs(inMirror, true)
      .map((each) => each.text)
      .join(''),
    'אבPython',
  );
});
