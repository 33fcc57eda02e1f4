import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Contribution } from '../schema.ts';
import { RANK } from '../schema.ts';
import type { StoredAnswer, KnownWork } from './look-up.ts';
import { withNames } from './look-up.ts';

const evidence = {
  place: { kind: 'metadata', origin: 'openalex', readAt: null },
  method: 'record',
  version: 1,
  score: 1,
  detail: { field: 'references' },
} as const;
const cited = ['work:openalex:W1', 'work:openalex:W2', 'work:openalex:W3', 'work:openalex:W4'];
const contribution: Contribution = {
  owner: 'record:W9',
  work: 'work:doi:10.5555/own',
  fileSha256: null,
  nodes: cited.map((id) => ({ id, kind: 'work', label: id.slice(5), year: null, rank: RANK.guess, data: {} })),
  edges: cited.map((target) => ({ source: 'work:doi:10.5555/own', kind: 'cites', target, evidence })),
  references: [],
};
const known = (work: Partial<KnownWork>): StoredAnswer => ({
  answer: { kind: 'known', doi: null, title: null, authors: [], year: null, venue: null, ...work },
  origin: 'openalex',
  readAt: '2026-01-01T00:00:00.000Z',
});
const ANSWERS: Readonly<Record<string, StoredAnswer>> = {
  'openalex:W1': known({ doi: '10.5555/Deep', title: 'Deep seas', year: 2010 }),
  'openalex:W2': known({ title: 'A report without a DOI' }),
  'openalex:W3': known({ doi: '10.5555/own', title: 'Itself' }),
  'openalex:W4': { ...known({}), answer: { kind: 'none' } },
};

test('a work cited by id gets its DOI and title if known; no work cites itself', () => {
  const { nodes, edges } = withNames(contribution, (question) => ANSWERS[question]);
  assert.deepEqual(nodes.map(({ id, label, year, rank }) => [id, label, year, rank]).slice(0, 2), [
    ['work:doi:10.5555/deep', 'Deep seas', 2010, RANK.mention],
    ['work:openalex:W2', 'A report without a DOI', null, RANK.mention],
  ]);
  assert.deepEqual(
    edges.map(({ target, evidence: { detail } }) => [target, detail]),
    [
      ['work:doi:10.5555/deep', { field: 'references', cited_as: 'openalex:W1' }],
      ['work:openalex:W2', { field: 'references', cited_as: 'openalex:W2' }],
      ['work:openalex:W4', { field: 'references' }],
    ],
  );
  assert.equal(
    withNames(contribution, () => undefined),
    contribution,
  );
});
