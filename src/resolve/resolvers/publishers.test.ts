import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TITLE } from '../../../test/support/known-work.ts';
import { ask, CONTACT, sent, shown, work } from '../../../test/support/ask-resolver.ts';

const link = (URL: string, type: string, version: string, use = 'text-mining'): object => ({
  URL,
  'content-type': type,
  'content-version': version,
  'intended-application': use,
});

const crossrefAbout = (message: object): string =>
  JSON.stringify({ status: 'ok', message: { DOI: '10.5555/a#b', title: [TITLE], ...message } });

const CC_BY = { URL: 'https://creativecommons.org/licenses/by/4.0/', 'content-version': 'vor' };

const asCrossref = (message: object, more: Parameters<typeof work>[1] = {}): ReturnType<typeof ask> =>
  ask('crossref', work('10.5555/a#b', more), { 'api.crossref.org/works/10.5555/a#b': crossrefAbout(message) });

test('crossref: links with an open licence, best first, then the publisher page', async () => {
  const links = [
    link('https://p.example/x', 'unspecified', 'vor'),
    link('https://p.example/x.xml', 'text/xml', 'vor'),
    link('https://p.example/vor.pdf', 'application/pdf', 'vor'),
    link('https://p.example/check.pdf', 'application/pdf', 'vor', 'similarity-checking'),
    link('https://api.elsevier.com/content/article/PII:1', 'text/xml', 'vor'),
    link('https://api.wiley.com/onlinelibrary/tdm/v1/articles/1', 'application/pdf', 'vor'),
  ];
  const made = await asCrossref({
    link: links,
    license: [{ URL: 'https://p.example/tdm', 'content-version': 'tdm' }, CC_BY],
    resource: { primary: { URL: 'https://p.example/article/1' } },
  });
  assert.deepEqual(shown(made), [
    'any https://p.example/vor.pdf',
    'xml https://p.example/x.xml',
    'any https://p.example/x',
    'landing https://p.example/article/1',
  ]);
  assert.deepEqual([made.plans[0]?.license?.slug, made.plans[0]?.version], ['cc-by', 'publishedVersion']);
  assert.deepEqual(sent(made), [`GET https://api.crossref.org/works/10.5555/a#b?mailto=${CONTACT}`]);
});

test('crossref: a text mining licence is not a licence to read, nor is one not yet in force', async () => {
  const one = [link('https://p.example/vor.pdf', 'application/pdf', 'vor', 'unspecified')];
  for (const license of [
    [],
    [{ URL: 'http://www.springer.com/tdm', 'content-version': 'vor' }],
    [{ URL: 'https://www.elsevier.com/tdm/userlicense/1.0/', 'content-version': 'tdm' }],
    [{ URL: 'https://p.example/terms', 'content-version': 'vor' }],
    [{ ...CC_BY, 'content-version': 'tdm' }],
    [{ ...CC_BY, 'content-version': 'am' }],
    [{ ...CC_BY, start: { timestamp: Date.UTC(2200, 0) } }],
  ])
    assert.deepEqual((await asCrossref({ link: one, license })).plans, [], JSON.stringify(license));
  assert.equal((await asCrossref({ link: one, license: [] }, { isOpen: true })).plans.length, 1);
  assert.equal(
    (await asCrossref({ link: one, license: [{ ...CC_BY, 'content-version': 'unspecified' }] })).plans.length,
    1,
  );
});

test('crossref: a preprint named by the publisher is another version of the work', async () => {
  const relation = (id: string): object => ({
    relation: { 'has-preprint': [{ 'id-type': 'doi', id, 'asserted-by': 'subject' }] },
  });
  const osf = await asCrossref(relation('10.31219/osf.io/ab3de'));
  assert.deepEqual(shown(osf), ['landing https://doi.org/10.31219/osf.io/ab3de']);
  assert.deepEqual(
    [osf.plans[0]?.sameAs?.doi, osf.plans[0]?.version, osf.plans[0]?.resolver],
    ['10.31219/osf.io/ab3de', 'submittedVersion', 'crossref'],
  );
  assert.ok(osf.asked.some(({ host }) => host.startsWith('api.osf.io')));
  assert.deepEqual(shown(await asCrossref(relation('10.48550/arXiv.1706.03762'))), [
    'pdf https://export.arxiv.org/pdf/1706.03762',
  ]);
  const biorxiv = await asCrossref(relation('10.1101/2024.04.01.587366'));
  assert.ok(biorxiv.asked.some(({ url }) => decodeURIComponent(url).includes('10.1101/2024.04.01.587366')));
});

test('crossref: a 404 in plain text is not an error, a response about another work is', async () => {
  const missing = { status: 404, body: 'Resource not found.', type: 'text/plain' };
  assert.deepEqual(
    (await ask('crossref', work('10.5555/no'), { 'api.crossref.org/works/10.5555/no': missing })).problems,
    [],
  );
  const wrong = await asCrossref({
    DOI: '10.5555/other',
    license: [CC_BY],
    link: [link('https://p.example/a.pdf', 'application/pdf', 'vor')],
  });
  assert.deepEqual([wrong.plans.length, wrong.problems.length], [0, 1]);
  const failure =
    '{"status":"failed","message-type":"validation-failure","message":[{"type":"parameter-not-allowed"}]}';
  const failed = await ask('crossref', work('10.5555/x'), {
    'api.crossref.org/works/10.5555/x': { status: 400, body: failure },
  });
  assert.equal(failed.problems.length, 1);
});

test('springer_nature: JATS with the key, for its own prefixes and open articles', async () => {
  const records = [
    {
      doi: '10.1186/S1',
      title: TITLE,
      openaccess: 'true',
      url: [{ format: 'pdf', platform: 'web', value: 'http://link.springer.com/a.pdf' }],
    },
  ];
  const routes = { 'api.springernature.com/openaccess/json': JSON.stringify({ result: [{ total: '1' }], records }) };
  const result = await ask('springer_nature', work('10.1186/s1'), routes);
  assert.deepEqual(shown(result), [
    'xml https://api.springernature.com/openaccess/jats?q=doi%3A10.1186%2Fs1',
    'pdf http://link.springer.com/a.pdf',
  ]);
  assert.equal(result.plans[0]?.credentials[0]?.name, 'api_key');
  assert.match(sent(result)[0] ?? '', /openaccess\/json\?q=doi:10\.1186\/s1&p=1&s=1&api_key=key-springer$/);
  assert.deepEqual((await ask('springer_nature', work('10.1186/s2'), routes)).plans, []);
  assert.deepEqual((await ask('springer_nature', work('10.1016/s1'), routes)).asked, []);
  assert.deepEqual((await ask('springer_nature', work('10.1186/s1'), routes, { keys: {} })).asked, []);
});

test("wiley_tdm, elsevier_tdm: with the user's own token, marked as not to be passed on", async () => {
  const wiley = await ask('wiley_tdm', work('10.1002/a<1>'), {});
  assert.deepEqual(shown(wiley), ['pdf https://api.wiley.com/onlinelibrary/tdm/v1/articles/10.1002%2Fa%3C1%3E']);
  assert.deepEqual(
    [wiley.plans[0]?.terms, wiley.plans[0]?.credentials[0]?.name],
    ['text-mining', 'wiley-tdm-client-token'],
  );
  const elsevier = await ask('elsevier_tdm', work('10.1016/j.x'), {});
  assert.deepEqual(shown(elsevier), [
    'pdf https://api.elsevier.com/content/article/doi/10.1016/j.x?httpAccept=application%2Fpdf',
  ]);
  assert.deepEqual(
    [elsevier.plans[0]?.terms, elsevier.plans[0]?.credentials[0]?.name],
    ['text-mining', 'x-els-apikey'],
  );
  for (const [name, doi] of [
    ['wiley_tdm', '10.1002/a'],
    ['elsevier_tdm', '10.1016/a'],
  ] as const) {
    assert.equal((await ask(name, work(doi), {}, { keys: {} })).problems.length, 1);
    assert.deepEqual((await ask(name, work('10.5555/a'), {})).plans, []);
  }
});
