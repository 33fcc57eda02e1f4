import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  isAbstractHeading,
  isArticleType,
  isBackMatter,
  isCommonHeading,
  isKeywords,
  isKeywordsLabel,
  isReferencesHeading,
} from './section-names.ts';

test('common section names are recognised', () => {
  assert.ok(isCommonHeading('Materials and Methods'));
  assert.ok(isCommonHeading('ACKNOWLEDGMENTS'));
  assert.ok(!isCommonHeading('Rivers of the north'));
  assert.ok(isReferencesHeading('7. References'));
  assert.ok(isReferencesHeading('Literaturverzeichnis'));
});

test('section names of other languages are recognised, however their characters are spaced', () => {
  for (const name of ['Zusammenfassung', 'RÉSUMÉ:', '摘 要', '요 약', '국문초록', 'الملخص'])
    assert.ok(isAbstractHeading(name), name);
  for (const name of [
    '参 考 文 献',
    '참고 문헌',
    'Список литературы',
    'Références bibliographiques',
    'References (2/3)',
  ])
    assert.ok(isReferencesHeading(name), name);
  assert.ok(isCommonHeading('Matériels et méthodes.'));
  assert.ok(!isAbstractHeading('Abstract art'));
  assert.ok(!isReferencesHeading('References to rivers'));
});

test('sections after the conclusions are recognised in their many spellings', () => {
  for (const name of [
    'Acknowledgements and Funding',
    'CRediT author statement',
    'Author contributions:',
    'Authors’ contributions',
    'Declaration of Competing Interest',
    'Data, materials and code availability statement',
    'Ethical approval and informed consent to participate',
    'ORCID iDs',
  ])
    assert.ok(isBackMatter(name), name);
  for (const name of ['Data', 'Discussion', 'Conclusions', 'Ethics of rivers'])
    assert.equal(isBackMatter(name), name === 'Data', name);
});

test('keywords are a label with a sign behind it; alone it heads no section', () => {
  for (const text of [
    'Keywords: sand, clay',
    'Key words — sand',
    'KEY-WORDS AND PHRASES. Sand',
    'Mots-clés : sable',
    '关键词:沙',
  ])
    assert.ok(isKeywords(text) && !isKeywordsLabel(text), text);
  assert.ok(isKeywordsLabel('Keywords') && !isKeywords('Keywords'));
  assert.ok(isKeywordsLabel('Schlagwörter:'));
  assert.ok(!isKeywords('Keywords of the river') && !isKeywordsLabel('Keywords of the river'));
});

test('the kind of an article is told from its title', () => {
  assert.ok(isArticleType('Study Protocol Clinical Trial') && isArticleType('OPEN ACCESS'));
  assert.ok(isArticleType('Journal Pre-proof') && isArticleType('Article in Press'));
  assert.ok(!isArticleType('Research on Rivers') && !isArticleType('Systematic Review and'));
});

test('keywords may follow their label without a sign; a sentence may end with the word', () => {
  assert.ok(isKeywords('Keywords  Rivers · Sand · Clay'));
  assert.ok(isKeywords('keywords: rivers, sand'));
  assert.ok(!isKeywords('keywords. Posts were read twice.'));
  assert.ok(!isKeywords('Keywords were chosen by two readers.'));
});
