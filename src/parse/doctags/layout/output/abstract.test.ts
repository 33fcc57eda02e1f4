import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Block } from '../../../document.ts';
import { findAbstract } from './abstract.ts';

const FIRST =
  'We measured how reefs recover from heat in forty places over ten years, and compared them with others nearby.';
const SECOND =
  'Recovery was faster where fishing is banned, whatever the depth of the reef and the species that live on it.';
const BODY = 'Reefs are warming. '.repeat(40).trim();

/** Blocks as `kind: text` lines; `#` is a heading and no mark is text. */
function found(...lines: readonly string[]): string | undefined {
  const blocks = ['= Heat and reefs', 'Ada Stone1, Bo Hill2', ...lines].map((line, order): Block => {
    const [mark = '', ...rest] = line.split(' ');
    const text = rest.join(' ');
    if (mark === '=') return { order, regions: [], kind: 'title', text };
    if (mark === '#') return { order, regions: [], kind: 'heading', level: 1, text };
    return { order, regions: [], kind: 'text', text: line };
  });
  return findAbstract(blocks);
}

test('a labelled abstract ends at the keywords, the imprint or the next section', () => {
  const both = `${FIRST}\n${SECOND}`;
  for (const label of ['# Abstract', 'Abstract', '# A B S T R A C T', '# Résumé', '# Abstract:'])
    assert.equal(found(label, FIRST, SECOND, '# 1. Introduction', BODY), both, label);
  assert.equal(found('# Summary', both, 'Keywords: reefs, heat', BODY), both);
  assert.equal(found('# Abstract', FIRST, 'KEYWORDS', 'reefs, heat', BODY), FIRST);
  assert.equal(found('# Abstract', `${FIRST} Key words Reefs, heat, fish`, 'Ada Stone', BODY), FIRST);
  assert.equal(
    found('# Abstract', FIRST, `Citation: Stone A (2020) Heat. ${'Journal of Reefs '.repeat(12)}`, BODY),
    FIRST,
  );
  assert.equal(found('# Abstract', FIRST, '1School of Reefs, University of the Coast', SECOND, '# Methods'), both);
  const [start, end] = [FIRST.slice(0, 60).trimEnd(), FIRST.slice(60).trimStart()];
  assert.equal(found('# Abstract', start, end, '# Introduction'), `${start} ${end}`, 'over two columns');
  assert.equal(found(`Abstract—${FIRST}`, '# Introduction', BODY), FIRST);
  assert.equal(found('# Abstract', FIRST, ...Array.from({ length: 9 }, () => BODY)), FIRST, 'the text has no heading');
});

test('the parts of a structured abstract are joined, with headings or with labels', () => {
  const texts = [`Background: ${FIRST}`, `Results: ${SECOND}`];
  assert.equal(found(...texts, 'Received: 3 May 2020', '# Background', BODY), texts.join('\n'));
  const parts = ['# Background', FIRST, '# Methods', SECOND, '# Conclusions', SECOND];
  assert.equal(found('# Abstract', ...parts, '# Background', BODY), [FIRST, SECOND, SECOND].join('\n'));
  assert.equal(found('# Abstract', texts[0] ?? '', '# Results:', SECOND, '# Introduction'), `${texts[0]}\n${SECOND}`);
});

test('an unlabelled abstract is the text before the keywords or the introduction, or the first paragraph', () => {
  const long = `${FIRST} ${SECOND} ${FIRST}`;
  assert.equal(found(long, 'DOI: 10.5555/reefs', 'I. INTRODUCTION', BODY), long);
  assert.equal(found(long, 'Keywords: reefs', BODY), long);
  assert.equal(found(long, BODY, '# Methods', BODY), long);
  const summary = `Summary statistics of all reefs were computed. ${BODY}`;
  assert.equal(found(long, '# Introduction', summary, '# Methods', BODY), long, 'a sentence is not a label');
  assert.equal(found(long, BODY, '# The reef and its people', BODY), undefined, 'an essay');
  const names = Array.from({ length: 30 }, (_, at) => `Ada Stone${at}`).join(', ');
  assert.equal(found(names, long, '# Introduction', BODY), long);
});

test('the English abstract is preferred', () => {
  assert.equal(found('# Resumo', SECOND, '# Abstract', FIRST, '# Introdução', BODY), FIRST);
  assert.equal(found(`Resumo. ${SECOND}`, `Abstract. ${FIRST}`, '# Introdução', BODY), FIRST);
});

test('an abstract goes on behind the words at a page break, and a summary in plain language is not part of it', () => {
  const contact = 'Correspondence: ada@stone.org';
  const marks = ['(Continued on next page)', contact, '1School of Reefs, University of the Coast', BODY];
  const both = `${FIRST}\n${SECOND}`;
  assert.equal(found('# Abstract', FIRST, ...marks, '(Continued from previous page)', SECOND, 'Keywords: reefs'), both);
  assert.equal(found('# Abstract', FIRST, `Plain Language Summary ${SECOND}`, '# 1. Introduction', BODY), FIRST);
});

test('without a label it is what stands before the first numbered section, or begins with the name of a part', () => {
  const long = `${FIRST} ${SECOND} ${FIRST}`;
  assert.equal(found(long, '# 1. Reefs', BODY), long);
  assert.equal(
    found('Keywords', '# Objective.', FIRST, '# Results.', SECOND, 'Heat; reefs; fish; depth', BODY),
    `${FIRST}\n${SECOND}`,
  );
});

test('without any label the first paragraph of a study is its abstract, also if it was cut', () => {
  const [start, end] = [FIRST.slice(0, 90).trimEnd(), `${FIRST.slice(90).trimStart()} ${SECOND} ${FIRST}`];
  assert.equal(found(start, end, BODY, '# Methods', BODY), `${start} ${end}`);
});
