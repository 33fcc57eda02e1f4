import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Contribution, TextPlace } from '../schema.ts';
import type { StoredAnswer } from './look-up.ts';
import { withAnswers } from './look-up.ts';

const place: TextPlace = {
  kind: 'text',
  fileSha256: null,
  block: 3,
  start: 0,
  end: 9,
  quote: '[1] Silva',
  page: 1,
  boxes: [],
};
const contribution: Contribution = {
  owner: 'one',
  work: 'work:doi:10.5555/own',
  fileSha256: null,
  nodes: [],
  edges: [],
  references: ['known', 'own', 'doubtful', 'unasked'].map((text, at) => ({
    id: `reference:one#${at + 1}`,
    text,
    place,
  })),
};
const found = (doi: string): StoredAnswer => ({
  answer: { kind: 'found', doi, title: 'Deep seas', authors: ['Silva'], year: 2010, venue: null, score: 0.98765 },
  origin: 'crossref',
  readAt: '2026-01-01T00:00:00.000Z',
});
const ANSWERS: Readonly<Record<string, StoredAnswer>> = {
  known: found('10.5555/Known'),
  own: found('10.5555/OWN'),
  doubtful: { ...found('10.5555/x'), answer: { kind: 'doubtful' } },
};

test('a citation of a found work has the reference and the catalogue as evidence; no work cites itself', () => {
  const result = withAnswers(contribution, (text) => ANSWERS[text]);
  assert.deepEqual(
    result.edges.map(({ source, kind, target, evidence }) => [
      source,
      kind,
      target,
      evidence.place.kind,
      evidence.score,
    ]),
    [
      ['reference:one#1', 'resolves_to', 'work:doi:10.5555/known', 'text', 0.988],
      ['work:doi:10.5555/own', 'cites', 'work:doi:10.5555/known', 'text', 0.988],
      ['reference:one#1', 'resolves_to', 'work:doi:10.5555/known', 'metadata', 0.988],
      ['work:doi:10.5555/own', 'cites', 'work:doi:10.5555/known', 'metadata', 0.988],
    ],
  );
  assert.deepEqual(
    result.references.map(({ text }) => text),
    ['own', 'doubtful', 'unasked'],
    'the others are still matched with the works of the graph',
  );
  assert.equal(
    withAnswers(contribution, () => undefined),
    contribution,
  );
});
