import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FONT, glyph, setWord } from '../../../../../test/support/glyphs.ts';
import { usableText, collectVocabulary, joinTexts, glyphsText } from './glyph-text.ts';

test('a hyphen at a line end is removed if the document has the word without it, and kept in compounds', () => {
  const vocabulary = collectVocabulary(['of information about a well-known state and of data driven models here']);
  assert.equal(joinTexts(['some infor-', 'mation'], vocabulary), 'some information');
  assert.equal(joinTexts(['a well-', 'known fact'], vocabulary), 'a well-known fact');
  assert.equal(joinTexts(['a data-', 'driven one'], vocabulary), 'a data-driven one');
  assert.equal(joinTexts(['the COVID-', '19 years'], vocabulary), 'the COVID-19 years');
  assert.equal(joinTexts(['pages 10–', '12'], vocabulary), 'pages 10–12');
  assert.equal(joinTexts(['漢字の', '文章'], vocabulary), '漢字の文章');
});

test('meaningless codes give no text, and ligatures are expanded', () => {
  assert.equal(usableText(0xfb03, false, 'Times'), 'ffi');
  assert.equal(usableText(0xf0b7, false, 'Symbol'), '•');
  assert.equal(usableText(0xe123, false, 'Times'), '');
  const figures = [0xf639, 0xf6dc, 0xf63a, 0xf641, 0xf731].map((code) => usableText(code, false, 'MyriadPro'));
  assert.equal(figures.join(''), '01291', 'figures of fonts by Adobe');
  assert.equal(usableText(3, false, 'Times'), '');
  assert.equal(usableText(0x62, false, 'CMEX10'), '', 'a hat of the font for large symbols is not a letter');
});

test('spaces are rebuilt from gaps, and superscripts are kept apart from words', () => {
  assert.equal(glyphsText([...setWord('two'), ...setWord('words', 18)], 10, 100), 'two words');
  const script = { size: 7, baseline: 102 };
  assert.equal(glyphsText([glyph('d', 0), glyph('j', 5, script)], 10, 100), 'd_j');
  assert.equal(glyphsText([...setWord('10'), glyph('5', 10, { size: 7, baseline: 96 })], 10, 100), '10^5');
  const variable = { font: { ...FONT, italic: true } };
  const [sub, above] = [
    { size: 7, baseline: 102 },
    { size: 7, baseline: 96 },
  ];
  const powered = [glyph('x', 0, variable), glyph('i', 5, sub), glyph('2', 5, above)];
  assert.equal(glyphsText(powered, 10, 100), 'x_i^2');
  assert.equal(glyphsText([glyph('R', 0, variable), glyph('2', 5, above)], 10, 100), 'R^2');
  assert.equal(
    glyphsText([...setWord('rivers'), glyph('4', 30, above)], 10, 100),
    'rivers4',
    'a note mark is not an exponent',
  );
  assert.equal(glyphsText([...setWord('tight'), glyph('x', 26, { spaced: true })], 10, 100), 'tight x');
});
