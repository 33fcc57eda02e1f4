import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findSoftware } from './software.ts';

const names = (...paragraphs: string[]): string[] => findSoftware(paragraphs).map(({ name }) => name);
const programs = (...paragraphs: string[]): string[] => findSoftware(paragraphs).map(({ program }) => program);

test('software is found by a known name, the word software or a version', () => {
  assert.deepEqual(names('We used MATLAB for all steps.'), ['MATLAB']);
  assert.deepEqual(names('Reads were joined with the AssemblyKit software.'), ['AssemblyKit']);
  assert.deepEqual(names('Images were processed in TraceView version 2.1 by hand.'), ['TraceView']);
  assert.deepEqual(names('Trees were drawn with the program TempEst v1.5.'), ['TempEst']);
  assert.deepEqual(names('with the R package mixfit, which fits'), ['R', 'mixfit']);
  assert.deepEqual(names('the mixfit of both was poor'), []);
});

test('a name introduced as software is found in other paragraphs', () => {
  assert.deepEqual(names('Folds were found with the FoldFinder software.', 'FoldFinder reads sequences.'), [
    'FoldFinder',
    'FoldFinder',
  ]);
});

test('spelling variants of a program are one program', () => {
  assert.deepEqual(
    programs(
      'The Statistical Package for the Social Sciences was used.',
      'We used IBM SPSS Statistics for Windows.',
      'with SPSS 20.0 and PASW',
      'in STATA 10.0, Stata 12 and Graphpad Prism',
    ),
    ['SPSS', 'SPSS', 'SPSS', 'SPSS', 'Stata', 'Stata', 'GraphPad Prism'],
  );
});

test('names that are also words, places or people need a cue', () => {
  assert.deepEqual(
    names('Measles outbreaks were reported in Fiji and Java; Miranda and Stan saw salmon and a galaxy.'),
    [],
  );
  assert.deepEqual(programs('Images were opened in Fiji (version 2.1).', 'fitted with the Stan software'), [
    'Fiji',
    'Stan',
  ]);
  assert.deepEqual(names('R was 0.9; group R had more.', 'all analyses with R version 3.6'), ['R']);
});

test('licences, criteria, databases, months and public programmes are not software', () => {
  for (const text of [
    'distributed under the Creative Commons Attribution License version 4.0',
    'at pH 7.4 (Section 2.1), see Table 3.2',
    'the Common Terminology Criteria for Adverse Events, version 3.0',
    'Response Evaluation Criteria in Solid Tumor version 1.0',
    'compared with those in the NIST 98.1 library and GenBank release 240.0',
    'first reported in December 2019.1 and by January 2021.71',
    'the Peruvian TB program and the COMET program',
    'cultured in RPMI (Roswell Park Memorial Institute) 1640 medium',
  ])
    assert.deepEqual(names(text), [], text);
});

test('the vendor of a program is not software', () => {
  assert.deepEqual(names('analysed with SPSS 16.0 (SPSS Inc., Chicago, IL)'), ['SPSS']);
  assert.deepEqual(names('with GraphPad Prism 8 (GraphPad Software, San Diego)'), ['GraphPad Prism']);
});

test('versions are read', () => {
  const versions = findSoftware(['with GraphPad Prism version 8.0.1 on', 'using SPSS (v. 21)', 'using SAS 9.4.']);
  assert.deepEqual(
    versions.map(({ version }) => version),
    ['8.0.1', '21', '9.4'],
  );
});

test('a version is no program', () => {
  assert.deepEqual(
    findSoftware(['through SNAP v2006-07-28 [75] software.']).map(({ name }) => name),
    ['SNAP'],
  );
});

test('an amount in brackets is no version', () => {
  assert.deepEqual(
    findSoftware(['The suspension was treated with AgNO3 (0.95 mmol) and by ProTool (0.95).']).map(({ name }) => name),
    ['ProTool'],
  );
});
