import assert from 'node:assert/strict';
import { test } from 'node:test';

import { identify, NO_IDS, workFromIds } from '../works/index.ts';
import { compareTitles, compareWork } from './same-work.ts';

const TITLE = 'Warm water and the bleaching of corals in shallow seas';
const AUTHORS = ['Ada Lovelace', 'Grace Hopper', 'Émilie du Châtelet'];
const made = workFromIds(identify('10.5555/x') ?? NO_IDS, { title: TITLE, authors: AUTHORS });
assert.ok(made);
const work = made;

test('the same DOI is the same work, in any case and with a version suffix', () => {
  assert.equal(compareWork(work, { doi: 'https://doi.org/10.5555/X' }).kind, 'same');
  const preprint = workFromIds(identify('10.1101/2024.04.01.587366') ?? NO_IDS);
  assert.ok(preprint);
  assert.equal(compareWork(preprint, { doi: '10.1101/2024.04.01.587366v2' }).kind, 'same');
  assert.equal(compareWork(work, { doi: '10.5555/xv2', title: 'Something else' }).kind, 'other');
});

test('another DOI with the same title and authors is another version, and the evidence is saved', () => {
  const version = compareWork(work, {
    doi: '10.1101/7',
    title: 'Warm Water and the Bleaching of Corals in Shallow Seas.',
    authors: ['Lovelace, A.', 'Hopper, Grace'],
  });
  assert.deepEqual(version, {
    kind: 'version',
    sameAs: { doi: '10.1101/7', evidence: 'title and authors agree' },
  });
  assert.equal(compareWork(work, { doi: '10.1101/7', title: TITLE }).kind, 'version');
});

test('another DOI is another work if title or authors differ, or nothing is stated', () => {
  for (const stated of [
    {},
    { title: 'A study of something else', authors: AUTHORS },
    { title: TITLE, authors: ['Somebody Else', 'A. N. Other'] },
    { title: `Correction to: ${TITLE}`, authors: AUTHORS },
    { title: `Comment on "${TITLE}"`, authors: AUTHORS },
    { title: `Data from: ${TITLE}`, authors: AUTHORS },
    { title: `${TITLE}, Part 2`, authors: AUTHORS },
  ])
    assert.equal(compareWork(work, { doi: '10.1101/7', ...stated }).kind, 'other', JSON.stringify(stated));
});

test('without a DOI the title decides; with nothing stated the result is unknown', () => {
  assert.equal(compareWork(work, { title: TITLE }).kind, 'same');
  assert.equal(compareWork(work, { title: 'Another title altogether' }).kind, 'other');
  assert.equal(compareWork(work, { title: TITLE, authors: ['Somebody Else'] }).kind, 'other');
  assert.equal(compareWork(work, {}).kind, 'unstated');
});

test('titles are normalised before comparison', () => {
  for (const [one, other, expected] of [
    ['The <i>Drosophila</i> genome', 'The Drosophila genome', 'same'],
    ['Q&amp;A on R&amp;D', 'Q&A on R&D', 'same'],
    ['Naïve Bayes and its friends', 'Naive Bayes and its friends', 'same'],
    ['Attention is all you need: a retrospective of five years', 'Attention is all you need', 'same'],
    ['On the growth of trees in cities of the north', 'The growth of trees in cities of the north', 'same'],
    ['Short title', 'Short title of another', 'other'],
    ['Coral reefs I: methods and materials', 'Coral reefs II: methods and materials', 'other'],
    ['Trial 1 of the new vaccine in adults', 'Trial 2 of the new vaccine in adults', 'other'],
    ['', 'Anything', 'unknown'],
  ] as const)
    assert.equal(compareTitles(one, other), expected, `${one} | ${other}`);
});
