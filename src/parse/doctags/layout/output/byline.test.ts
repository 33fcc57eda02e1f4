import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Block } from '../../../document.ts';
import type { Draft } from '../draft.ts';
import type { Line } from '../page/line.ts';
import { findByline } from './byline.ts';

/** Paragraphs below a title, lines parted by `/`; a character behind `^` is raised. */
function drafts(...paragraphs: readonly string[]): Draft[] {
  return paragraphs.map((text) => ({ kind: 'text', lines: text.split('/').map(line) }) as unknown as Draft);
}

function line(text: string): Line {
  let x = 0;
  const glyphs = [...text.matchAll(/(\s*)(\^?)(\S)/gu)].map(([, space = '', raised = '', letter = '']) => {
    const size = raised === '' ? 10 : 7;
    x += 10;
    return { text: letter, size, baseline: raised === '' ? 100 : 96, left: x, right: x + 10, spaced: space !== '' };
  });
  return { text: text.replaceAll('^', ''), size: 10, baseline: 100, glyphs } as unknown as Line;
}

const BODY = [
  { kind: 'text', text: 'we study the drug design and lung cancer of river fish in open water' },
] as Block[];
const find = (known: string, ...paragraphs: readonly string[]): string[] =>
  findByline(drafts(...paragraphs), known, BODY);

test('names are read without marks, degrees, signs of ORCID and addresses', () => {
  assert.deepEqual(
    find(
      '',
      'Ada B. Stone^1^,^2, Carl van der BrookID^1*,/Łukasz Müller-Field^3 & J.-P. d’Arc^2',
      'Plain University, Riverton',
    ),
    ['Ada B. Stone', 'Carl van der Brook', 'Łukasz Müller-Field', 'J.-P. d’Arc'],
  );
  assert.deepEqual(find('', 'Ada Stone, MD^a, Carl Brook, MSc, PhD^b', 'Hospital of the Plain'), [
    'Ada Stone',
    'Carl Brook',
  ]);
  assert.deepEqual(find('', 'ADA STONE* AND CARL BROOK'), ['Ada Stone', 'Carl Brook']);
});

test('a name that is broken between two paragraphs is one name', () => {
  assert.deepEqual(find('', 'Ada Stone^1, Carl', 'Brook^2, Eva Field^1', 'Riverton'), [
    'Ada Stone',
    'Carl Brook',
    'Eva Field',
  ]);
});

test('family names that come first are put last', () => {
  assert.deepEqual(find('', 'Gruia AT**, Horhat FG*'), ['AT Gruia', 'FG Horhat']);
  assert.deepEqual(find('', 'Stone, A. B., Brook, C.'), ['A. B. Stone', 'C. Brook']);
  assert.deepEqual(find('', 'Bernard CS Whitfield^1, Ada Stone^2'), ['Bernard CS Whitfield', 'Ada Stone']);
});

test('topics, places, journals and notes are no authors', () => {
  assert.deepEqual(find('', 'Drug Design; Lung Cancer'), []);
  assert.deepEqual(
    find('', 'This article was published in the following journal:', 'Infection and Drug Resistance'),
    [],
  );
  assert.deepEqual(find('', 'Benoît Legat^1', '1 KU Leuven'), ['Benoît Legat']);
  assert.deepEqual(find('', 'Benoît Legat^1', 'KU Leuven'), ['Benoît Legat']);
  assert.deepEqual(find('', 'Academic Editor: Ada Stone'), []);
});

test('what is uncertain is left out', () => {
  assert.deepEqual(find('', 'River Fish'), []);
  assert.deepEqual(find('', 'Old Mill'), [], 'one pair of words without any sign of a name');
  assert.deepEqual(find('', 'Ada Stone^1, Carl Brook^2, Mary E.'), [], 'a name that is cut off');
  assert.deepEqual(find('Ada Stone', 'Received 3 May 2020'), [], 'files often name the first author only');
  assert.deepEqual(find('Ada Stone; Carl Brook', 'Notes by Stone and Brook'), ['Ada Stone', 'Carl Brook']);
  assert.deepEqual(find('Microsoft Word', 'Received 3 May 2020'), []);
});
