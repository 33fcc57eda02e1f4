import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseBooleanQuery } from './boolean-query.ts';

const WORK = {
  title: 'Heat-stress in corals: a review',
  abstract: 'We measured bleaching of Acropora after a marine heat wave. Señales of recovery were seen.',
  author: 'Ana Müller; Bo Li',
  venue: 'Marine Ecology Progress Series',
};

function matches(query: string, work: Partial<typeof WORK> = {}): boolean {
  const { title, abstract, author, venue } = { ...WORK, ...work };
  return parseBooleanQuery(query).matches({
    title,
    abstract: () => abstract,
    author: () => author,
    venue: () => venue,
  });
}

for (const [query, expected] of [
  ['corals', true],
  ['coral', false],
  ['coral*', true],
  ['CORALS AND bleaching', true],
  ['corals AND kelp', false],
  ['kelp OR corals', true],
  ['corals NOT review', false],
  ['corals AND NOT kelp', true],
  ['"heat stress"', true],
  ['heat-stress', true],
  ['"stress heat"', false],
  ['"marine heat wav*"', true],
  ['title:(review AND corals)', true],
  ['title:bleaching', false],
  ['abstract:bleaching AND title:corals', true],
  ['author:muller', true],
  ['author:muller AND venue:"marine ecology"', true],
  ['senales', true],
  ['bleaching NEAR/2 Acropora', true],
  ['Acropora NEAR/2 bleaching', true],
  ['bleaching NEAR/1 Acropora', false],
  ['(bleaching OR death) NEAR/3 (Acropora OR Porites)', true],
  ['corals NEAR/50 bleaching', false],
  ['kelp AND corals OR review', true],
  ['kelp AND (corals OR review)', false],
  ['"and"', false],
  ['ORchid OR corals', true],
] as const) {
  test(`${query} ${expected ? 'matches' : 'does not match'} the work`, () => assert.equal(matches(query), expected));
}

for (const [query, message] of [
  ['coral bleaching', /AND, OR or NOT is missing/],
  ['coral and bleaching', /AND, OR or NOT is missing|write AND/],
  ['(coral', /not closed/],
  ['coral)', /not opened/],
  ['coral AND', /a word is missing/],
  ['AND coral', /a word is missing/],
  ['doi:x', /no field doi/],
  ['c*ral', /only at the end/],
  ['a*', /needs 2 letters/],
  ['"!!"', /has no word/],
  ['(a AND b) NEAR/3 c', /NEAR joins/],
  ['a NEAR/900 b', /1 to 100/],
  ['('.repeat(500), /nested/],
  ['', /a word is missing/],
] as const) {
  test(`the query ${query.slice(0, 30)} is refused with what is wrong`, () => {
    assert.throws(() => parseBooleanQuery(query), { code: 'USAGE_QUERY', message });
  });
}

test('a work without any needed word can be skipped; a query that only excludes needs none', () => {
  assert.deepEqual(parseBooleanQuery('(coral* OR "sea anemones") AND bleaching').needsOneOf, ['bleaching']);
  assert.deepEqual(parseBooleanQuery('coral* OR "sea anemones"').needsOneOf, ['coral', 'anemones']);
  assert.equal(parseBooleanQuery('NOT coral').needsOneOf, undefined);
  assert.equal(parseBooleanQuery('coral OR author:li').needsOneOf, undefined);
});
