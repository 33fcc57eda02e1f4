import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ask, shown, work } from '../../test/support/ask-resolver.ts';
import { readArxivFeed } from './find-plans.ts';
import type { Finding } from './index.ts';
import { chooseResolvers, PRESETS } from './index.ts';

// Here and in resolvers/, responses are written by hand from the services' documentation, small and in their documented
// shapes; find-plans.recordings.test.ts tests the same resolvers with real responses.

test('doi: the page behind it, except for works that arXiv already covered', async () => {
  assert.deepEqual(shown(await ask('doi', work('10.1002/(sici)1<2>#'), {})), [
    'landing https://doi.org/10.1002/(sici)1%3C2%3E%23',
  ]);
  assert.deepEqual((await ask('doi', work('10.48550/arXiv.1706.03762'), {})).plans, []);
});

test('arxiv: the PDF for programs, in the requested version', async () => {
  assert.deepEqual(shown(await ask('arxiv', work('arXiv:1706.03762'), {})), [
    'pdf https://export.arxiv.org/pdf/1706.03762',
  ]);
  assert.deepEqual(shown(await ask('arxiv', work('math.CA/0611800v2'), {})), [
    'pdf https://export.arxiv.org/pdf/math/0611800v2',
  ]);
  assert.deepEqual((await ask('arxiv', work('10.1000/182'), {})).plans, []);
});

test('arxiv: a feed is parsed, an error is not an entry, and other responses are reported', () => {
  const feed = (entry: string): string =>
    `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">${entry}</feed>`;
  const entry = '<entry><id>http://arxiv.org/abs/1605.08386v1</id><title>Heat-bath\n  random walks</title></entry>';
  assert.deepEqual(readArxivFeed(feed(entry)), [
    { id: { id: '1605.08386', version: 1 }, title: 'Heat-bath random walks', doi: null },
  ]);
  assert.deepEqual(readArxivFeed(feed('')), []);
  assert.deepEqual(
    readArxivFeed(feed('<entry><id>https://arxiv.org/api/errors#x</id><title>Error</title></entry>')),
    [],
  );
  for (const none of ['', 'Rate exceeded.', '<html><body>maintenance</body></html>', feed('<entry>')])
    assert.equal(readArxivFeed(none), undefined, none);
});

test('resolvers are chosen by preset, order and name', () => {
  const names = (choice: Parameters<typeof chooseResolvers>[0]): string[] =>
    chooseResolvers(choice).map(({ name }) => name);
  assert.equal(names({}).length, 21);
  assert.ok(!names({}).includes('wiley_tdm') && names({ enable: ['wiley_tdm'] }).includes('wiley_tdm'));
  assert.deepEqual(names({ preset: 'fast' }), [...PRESETS.fast]);
  assert.deepEqual(names({ preset: 'fast', disable: ['arxiv'], enable: ['hal'] }), [
    'pmc',
    'openalex',
    'europe_pmc',
    'biorxiv',
    'unpaywall',
    'hal',
    'landing_page',
  ]);
  assert.deepEqual(names({ order: ['wayback', 'arxiv'] }).slice(0, 3), ['wayback', 'arxiv', 'pmc']);
  const own = { name: 'mine', async *plans(): AsyncGenerator<Finding> {} };
  assert.ok(names({ extra: [own] }).includes('mine'));
  assert.throws(() => names({ disable: ['nobody'] }), { code: 'CONFIG_RESOLVER_UNKNOWN' });
});
