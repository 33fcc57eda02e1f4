import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findSoftware } from './software.ts';

const names = (...paragraphs: string[]): string[] => findSoftware(paragraphs).map(({ name }) => name);

test('a program is told by what it is called, its version, its maker or by being known', () => {
  assert.deepEqual(names('Reads were joined with the AssemblyKit software.'), ['AssemblyKit']);
  assert.deepEqual(names('Images were processed in TraceView version 2.1 by hand.'), ['TraceView']);
  assert.deepEqual(names('Data were fitted using CurveMaster (Fitters Inc., Boston, MA).'), ['CurveMaster']);
  assert.deepEqual(names('We used MATLAB for all steps.'), ['MATLAB']);
});

test('a name told once is known in the whole document, also in other paragraphs', () => {
  assert.deepEqual(names('We wrote a tool, the FoldFinder software.', 'FoldFinder reads sequences.'), [
    'FoldFinder',
    'FoldFinder',
  ]);
});

test('names in one list are of one kind', () => {
  assert.deepEqual(
    names(
      'workflow systems such as TavernaX (Oinn, 2004), KeplerFlow (Altintas, 2004) or BioSide (Hallard, 2004) exist',
    ),
    ['TavernaX', 'KeplerFlow', 'BioSide'],
  );
});

test('the maker of a program is none', () => {
  assert.deepEqual(names('analysed with SPSS 16.0 (SPSS Inc., Chicago, IL)'), ['SPSS']);
});

test('a version is kept', () => {
  assert.equal(findSoftware(['with GraphPad Prism version 8.0.1 on'])[0]?.version, '8.0.1');
});

test('a name may have several words, a short form or small letters where it is announced', () => {
  assert.deepEqual(names('run in the Cell Trace Viewer (CTV) software today'), ['Cell Trace Viewer (CTV)']);
  assert.deepEqual(names('with the R package mixfit, which fits'), ['R', 'mixfit']);
  assert.deepEqual(names('the mixfit of both was poor'), []);
});
