import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFont } from '../../engines/pdfium-glyphs.ts';
import { composeAccents } from './marks.ts';
import { namesInLine } from '../output/byline.ts';
import { readingGlyphs, detectLanguage } from './script.ts';
import { usableText, collectVocabulary, joinTexts, glyphsText } from './glyph-text.ts';
import { headingNumber, isCommonHeading, isReferencesHeading } from '../role/heading-number.ts';
import type { Glyph } from '../page/page-content.ts';
import { referenceIds } from '../role/reference.ts';

const FONT = describeFont('Times-Roman', 0);

function glyph(text: string, left: number, change: Partial<Glyph> = {}): Glyph {
  return {
    text,
    left,
    right: left + 5,
    top: 90,
    bottom: 102,
    x: left,
    baseline: 100,
    size: 10,
    font: FONT,
    spaced: false,
    turn: 0,
    form: -1,
    artifact: false,
    ...change,
  };
}

function setWord(text: string, left = 0): Glyph[] {
  return Array.from(text, (letter, index) => glyph(letter, left + index * 5));
}

test('a hyphen at a line end is removed if the document has the word without it, and kept in compounds', () => {
  const vocabulary = collectVocabulary(['of information about a well-known state and of data driven models here']);
  assert.equal(joinTexts(['some infor-', 'mation'], vocabulary), 'some information');
  assert.equal(joinTexts(['a well-', 'known fact'], vocabulary), 'a well-known fact');
  assert.equal(joinTexts(['a data-', 'driven one'], vocabulary), 'a data-driven one');
  assert.equal(joinTexts(['the COVID-', '19 years'], vocabulary), 'the COVID-19 years');
  assert.equal(joinTexts(['pages 10–', '12'], vocabulary), 'pages 10–12');
  assert.equal(joinTexts(['漢字の', '文章'], vocabulary), '漢字の文章');
});

test('all common kinds of heading numbers are read', () => {
  const depthOf = (text: string): string => {
    const number = headingNumber(text);
    return number ? `${number.style} ${number.depth} ${number.rest}` : 'none';
  };
  assert.equal(depthOf('2.3.1 Data'), 'arabic 3 Data');
  assert.equal(depthOf('1. Introduction'), 'arabic 1 Introduction');
  assert.equal(depthOf('IV. RESULTS'), 'roman 1 RESULTS');
  assert.equal(depthOf('A.2 More proofs'), 'letter 2 More proofs');
  assert.equal(depthOf('Appendix B: Tables'), 'appendix 1 Tables');
  assert.equal(depthOf('A study of rivers'), 'none');
  assert.equal(depthOf('In the beginning'), 'none');
});

test('common section names are recognised', () => {
  assert.ok(isCommonHeading('Materials and Methods'));
  assert.ok(isCommonHeading('ACKNOWLEDGMENTS'));
  assert.ok(!isCommonHeading('Rivers of the north'));
  assert.ok(isReferencesHeading('7. References'));
  assert.ok(isReferencesHeading('Literaturverzeichnis'));
});

test('names are distinguished from places', () => {
  assert.deepEqual(namesInLine('Ada B. Stone1,2, Carl van der Brook∗ and Łukasz Müller-Field'), [
    'Ada B. Stone',
    'Carl van der Brook',
    'Łukasz Müller-Field',
  ]);
  assert.deepEqual(namesInLine('Department of Water, University of the Plain'), []);
  assert.deepEqual(namesInLine('ada@rivers.example'), []);
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

test('meaningless codes give no text, and ligatures are expanded', () => {
  assert.equal(usableText(0xfb03, false, 'Times'), 'ffi');
  assert.equal(usableText(0xf0b7, false, 'Symbol'), '•');
  assert.equal(usableText(0xe123, false, 'Times'), '');
  const figures = [0xf639, 0xf6dc, 0xf63a, 0xf641, 0xf731].map((code) => usableText(code, false, 'MyriadPro'));
  assert.equal(figures.join(''), '01291', 'figures of fonts by Adobe');
  assert.equal(usableText(3, false, 'Times'), '');
  assert.equal(usableText(0x62, false, 'CMEX10'), '', 'a hat of the font for large symbols is not a letter');
});

test('an accent printed over a letter becomes part of it', () => {
  const before = composeAccents([glyph('¨', 0), glyph('u', 0), glyph('b', 5)]);
  assert.deepEqual(
    before.map((each) => each.text),
    ['ü', 'b'],
  );
  const dotless = composeAccents([glyph('´', 1), glyph('ı', 0)]);
  assert.deepEqual(
    dotless.map((each) => each.text),
    ['í'],
  );
  const apart = composeAccents([glyph('¨', 0), glyph('u', 40)]);
  assert.deepEqual(
    apart.map((each) => each.text),
    ['¨', 'u'],
  );
});

test('marks of Arabic letters are theirs, two on one letter and one high above a ligature', () => {
  const raised = (text: string, left: number, baseline: number): Glyph => glyph(text, left, { baseline });
  const line = [glyph('م', 0), glyph('لا', 5), glyph('ن', 10)];
  const above = { baseline: 86 };
  const marked = composeAccents([
    glyph('ه', 5, above),
    ...line,
    raised('ّ', 1, 98),
    raised('ُ', 1, 95),
    raised('ً', 5, 91.5),
  ]);
  assert.deepEqual(
    marked.map(({ text }) => text),
    ['ه', 'مُّ'.normalize('NFC'), 'لاً', 'ن'],
  );
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

test('font styles are read from the name first', () => {
  assert.ok(describeFont('NimbusRomNo9L-Medi', 4).bold);
  assert.ok(describeFont('CMBX12', 4).bold);
  assert.ok(!describeFont('CMR10', 4).bold);
  assert.ok(describeFont('CMTI10', 4).italic);
  assert.ok(describeFont('CMMI10', 4).math);
  assert.ok(describeFont('Courier', 1).monospaced);
  assert.ok(describeFont('CMCSC10', 4).smallCaps);
  // Typst sets the flag in every font that has some small capitals.
  assert.ok(!describeFont('LibertinusSerif-Regular', 1 << 17).smallCaps);
});

test('identifiers of a reference are read from its text and its links', () => {
  assert.deepEqual(referenceIds('[12] A. Stone. Sand. doi: 10.1000/ABC.1.', []), { doi: '10.1000/abc.1', label: '12' });
  assert.deepEqual(referenceIds('B. Brook. Clay. arXiv:1706.03762v5', []), { arxivId: '1706.03762' });
  assert.deepEqual(referenceIds('C. Field. Wheat.', [{ url: 'https://doi.org/10.5/x' }]), {});
  assert.deepEqual(referenceIds('C. Field. Wheat.', [{ url: 'https://doi.org/10.5555/x' }]), { doi: '10.5555/x' });
});
