import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { WorkIds } from '../works/index.ts';
import { keyOf, namedWork, NO_IDS } from '../works/index.ts';
import type { ManifestRow } from './manifest-row.ts';
import type { KnownIdentity } from './same-works.ts';
import { SameWorks } from './same-works.ts';

const TITLE = 'Coral bleaching under repeated marine heat waves';
type Listed = Parameters<SameWorks['claim']>[0];
/** A work listed under one id, with the other ids in its record. */
const work = (
  listed: Partial<WorkIds> | string,
  known: Partial<WorkIds> = {},
  title: string | null = TITLE,
): Listed => {
  const ids = typeof listed === 'string' ? NO_IDS : { ...NO_IDS, ...listed };
  const id = typeof listed === 'string' ? listed : (keyOf(ids) ?? '');
  return namedWork(id, { ...ids, ...known }, { title });
};
const fresh = (rows: Readonly<Record<string, ManifestRow['reason']>> = {}): SameWorks =>
  new SameWorks((id) => (rows[id] === undefined ? undefined : { reason: rows[id] }));
const arxiv = { id: '2101.00001', version: null };

test('a work that is listed under several ids is one work, whichever comes first', () => {
  const entries = [
    work({ doi: '10.1/a' }, { pmid: '11111', openalex: 'W1' }),
    work({ pmid: '11111' }, { doi: '10.1/a', openalex: 'W1' }),
    work({ pmcid: 'PMC9' }, { doi: '10.1/a', pmid: '11111' }),
    work({ openalex: 'W1' }, { doi: '10.1/a' }),
  ];
  for (const first of entries) {
    const works = fresh();
    assert.equal(works.claim(first), undefined);
    assert.equal(works.claim(first), undefined, 'a second attempt at the same work');
    for (const other of entries.filter((each) => each !== first)) assert.equal(works.claim(other)?.id, first.id);
  }
});

test('a work of an earlier run is known by its row, unless that row is of a duplicate or of an unreadable entry', () => {
  const again = work({ pmid: '11111' }, { doi: '10.1/a' });
  assert.deepEqual(fresh({ 'doi:10.1/a': 'success' }).claim(again), { id: 'doi:10.1/a', evidence: 'it is doi:10.1/a' });
  assert.equal(fresh({ 'doi:10.1/a': 'no-plan' }).claim(again)?.id, 'doi:10.1/a');
  assert.equal(fresh({ 'doi:10.1/a': 'duplicate' }).claim(again), undefined);
  assert.equal(fresh({ 'pmid:11111': 'success' }).claim(again), undefined, 'its own row');
});

test('works with different DOIs stay separate whatever they share, and so do a preprint and its article', () => {
  const works = fresh();
  assert.equal(works.claim(work({ doi: '10.1/a' }, { openalex: 'W1', pmid: '11111', arxiv })), undefined);
  assert.equal(works.claim(work({ doi: '10.1/b' }, { openalex: 'W1', pmid: '11111' })), undefined);
  // arXiv names the DOI of the article, and OpenAlex has both in one record.
  assert.equal(works.claim(work({ arxiv }, { doi: '10.1/a' })), undefined);
  assert.equal(
    works.claim(work({ arxiv, doi: '10.48550/arxiv.2101.00001' }, { openalex: 'W1' }))?.id,
    'arxiv:2101.00001',
  );
});

test('identical bytes merge works whose titles agree, or of which one is only a URL', () => {
  const bytes = 'ab'.repeat(32);
  const cases: readonly (readonly [one: Listed, other: Listed, isSame: boolean])[] = [
    [work({ doi: '10.1/a' }), work({ hal: 'hal-1' }), true],
    [work({ doi: '10.1/a' }), work('url:http://x.example/a.pdf', {}, null), true],
    [work({ doi: '10.1/a' }), work({ doi: '10.1/b' }), false],
    [work({ doi: '10.1/a' }), work({ hal: 'hal-1' }, {}, 'Fish and whales of the northern lagoons in winter'), false],
    // One file contains a whole issue: nothing says which article the other work is.
    [work({ doi: '10.1/a' }), work({ hal: 'hal-1' }, {}, null), false],
  ];
  for (const [one, other, isSame] of cases) {
    const works = fresh();
    assert.equal(works.claimBytes(one, bytes), undefined);
    assert.equal(works.claimBytes(other, bytes)?.id, isSame ? one.id : undefined, other.id);
    assert.equal(works.claimBytes(other, 'cd'.repeat(32)), undefined);
  }
});

test('a work that a user has split off is not merged again', () => {
  const known: KnownIdentity = {
    isApart: (id) => id === 'pmid:11111',
    untriedApart: () => 1,
    savedWith: () => work({ doi: '10.1/a' }),
  };
  const works = new SameWorks(() => undefined, known);
  works.claim(work({ doi: '10.1/a' }, { pmid: '11111' }));
  const apart = work({ pmid: '11111' }, { doi: '10.1/a' });
  assert.equal(works.claim(apart), undefined);
  assert.equal(works.claimBytes(apart, 'ab'.repeat(32)), undefined);
  // Nor does the row of an earlier run make the other one a duplicate.
  const later = new SameWorks((id) => (id === 'pmid:11111' ? { reason: 'success' } : undefined), known);
  assert.equal(later.claim(work({ doi: '10.1/a' }, { pmid: '11111' })), undefined);
});

test('a work saved with the same bytes by an earlier run is the same work', () => {
  const url = work('url:https://a.example/x', {}, null);
  const known: KnownIdentity = {
    isApart: () => false,
    untriedApart: () => 0,
    savedWith: () => work({ doi: '10.1/a' }),
  };
  assert.equal(new SameWorks(() => undefined, known).claimBytes(url, 'ab'.repeat(32))?.id, 'doi:10.1/a');
});

test('two OpenAlex works with one DOI stay separate: one of them may list the only open copy', () => {
  const works = fresh();
  assert.equal(works.claim(work({ openalex: 'W1' }, { doi: '10.1/a' })), undefined);
  assert.equal(works.claim(work({ openalex: 'W2' }, { doi: '10.1/a' })), undefined);
});
