import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TITLE, known } from '../../../test/support/known-work.ts';
import { ask, CONTACT, sent, shown, work } from '../../../test/support/ask-resolver.ts';
import { HeldClock, loopbackClient, openLoopback } from '../../testing/index.ts';
import type { Finding, ResolveContext } from '../index.ts';
import { baseUrlsBelow, chooseResolvers, Lookups, Services } from '../index.ts';

test('unpaywall: files first, then pages, because a file may be gone; sends the contact address', async () => {
  const record = {
    doi: '10.5555/X',
    is_oa: true,
    best_oa_location: {
      url_for_pdf: 'https://p.example/a.pdf',
      url_for_landing_page: 'https://doi.org/10.5555/x',
      host_type: 'publisher',
      license: 'cc-by',
      version: 'publishedVersion',
      evidence: 'deprecated',
    },
    oa_locations: [
      {
        url_for_pdf: null,
        url_for_landing_page: 'https://repo.example/1',
        host_type: 'repository',
        version: 'acceptedVersion',
      },
      { url_for_pdf: 'https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7/pdf/a.pdf', url_for_landing_page: null },
    ],
  };
  const path = 'api.unpaywall.org/v2/10.5555/x';
  const result = await ask('unpaywall', work('10.5555/x'), { [path]: JSON.stringify(record) });
  assert.deepEqual(shown(result), [
    'pdf https://p.example/a.pdf',
    'pdf https://europepmc.org/articles/PMC7?pdf=render',
    'landing https://repo.example/1',
  ]);
  assert.deepEqual(
    result.plans.map(({ license, version, hostType }) => [license?.slug ?? null, version, hostType]),
    [
      ['cc-by', 'publishedVersion', 'publisher'],
      [null, null, 'aggregator'],
      [null, 'acceptedVersion', 'repository'],
    ],
  );
  assert.deepEqual(sent(result), [`GET https://${path}?email=${CONTACT}`]);
  assert.deepEqual((await ask('unpaywall', work('10.5555/none'), {})).problems, []);
  assert.deepEqual((await ask('unpaywall', work('10.5555/x'), {}, { contact: null })).asked, []);
  const other = JSON.stringify({ ...record, doi: '10.5555/other' });
  const wrong = await ask('unpaywall', work('10.5555/x'), { [path]: other });
  assert.deepEqual([wrong.plans.length, wrong.problems.length], [0, 1]);
  const refused = await ask('unpaywall', work('10.5555/x'), { [path]: { status: 422, body: '{"message":"email"}' } });
  assert.equal(refused.problems.length, 1);
});

const S2 = (id: string): string => `api.semanticscholar.org/graph/v1/paper/${id}`;

test('semantic_scholar: its file, its page, and plans from its ids, with the key in its header', async () => {
  const paper = {
    title: TITLE,
    externalIds: { DOI: '10.5555/X', ArXiv: '2304.05376', PubMedCentral: '11116106', CorpusId: 1 },
    isOpenAccess: true,
    openAccessPdf: { url: 'https://doi.org/10.5555/x', status: 'GOLD', license: 'CCBY' },
  };
  const about = work('10.5555/x');
  const found = (more: object): ReturnType<typeof ask> =>
    ask('semantic_scholar', about, { [S2('DOI:10.5555/x')]: JSON.stringify({ ...paper, ...more }) });
  const result = await found({});
  assert.deepEqual(shown(result), [
    'landing https://doi.org/10.5555/x',
    'pdf https://export.arxiv.org/pdf/2304.05376',
    'pdf https://europepmc.org/articles/PMC11116106?pdf=render',
  ]);
  assert.equal(result.plans[0]?.license?.slug, 'cc-by');
  assert.equal(result.asked[0]?.headers['x-api-key'], 'key-s2');
  assert.deepEqual(sent(result), [
    `GET https://${S2('DOI:10.5555/x')}?fields=title,externalIds,isOpenAccess,openAccessPdf`,
  ]);
  const bare = { externalIds: { DOI: '10.5555/x' } };
  const closed = (address: string): object => ({ ...bare, openAccessPdf: { url: address, status: 'CLOSED' } });
  assert.deepEqual(shown(await found(closed('https://x.example/'))), []);
  assert.deepEqual(shown(await found(closed('http://arxiv.org/pdf/2301.10035'))), [
    'pdf https://export.arxiv.org/pdf/2301.10035',
  ]);
  assert.deepEqual(shown(await found({ ...bare, openAccessPdf: { url: '', status: null } })), []);
  const wrong = await found({ externalIds: { DOI: '10.5555/other' }, title: 'Something else altogether' });
  assert.deepEqual([wrong.plans.length, wrong.problems.length], [0, 1]);
  const missing = { status: 404, body: '{"error":"Paper with id 7 not found"}' };
  assert.deepEqual((await ask('semantic_scholar', work('pmid:7'), { [S2('PMID:7')]: missing })).problems, []);
});

test('core: with and without its key; arXiv pages become arXiv files; other hits are not the work', async () => {
  const results = [
    {
      doi: '10.5555/X',
      downloadUrl: 'https://core.ac.uk/download/1.pdf',
      sourceFulltextUrls: 'https://repo.example/1',
    },
    { doi: '10.5555/other', downloadUrl: 'https://core.ac.uk/download/2.pdf' },
    { doi: null, title: TITLE, arxivId: '1706.03762', downloadUrl: 'http://arxiv.org/abs/1706.03762' },
  ];
  const routes = { 'api.core.ac.uk/v3/search/works/': JSON.stringify({ totalHits: 3, limit: 3, offset: 0, results }) };
  const result = await ask('core', work('10.5555/x', known), routes);
  assert.deepEqual(
    [...new Set(shown(result))],
    [
      'any https://core.ac.uk/download/1.pdf',
      'any https://repo.example/1',
      'pdf https://export.arxiv.org/pdf/1706.03762',
    ],
  );
  assert.equal(result.asked[0]?.headers.authorization, 'Bearer key-core');
  assert.deepEqual(sent(result), ['GET https://api.core.ac.uk/v3/search/works/?q=doi:"10.5555/x"&limit=3']);
  const keyless = await ask('core', work('10.5555/x'), routes, { keys: {} });
  assert.ok(keyless.plans.length > 0);
  assert.equal(keyless.asked[0]?.headers.authorization, undefined);
  const refused = await ask(
    'core',
    work('10.5555/x'),
    { 'api.core.ac.uk/v3/search/works/': { status: 429 } },
    { keys: {} },
  );
  assert.deepEqual([refused.problems.length, refused.problems[0]?.at], [1, null]);
});

const DOAJ = (doi: string): string => `doaj.org/api/v4/search/articles/doi:"${doi}"`;

const inDoaj = (...results: object[]): string =>
  JSON.stringify({ total: results.length, page: 1, pageSize: 5, results });

const bib = (id: string | null, ...links: object[]): object => ({
  bibjson: {
    title: TITLE,
    identifier: [{ type: 'eissn', id: '2151-1535' }, ...(id === null ? [] : [{ type: 'doi', id }])],
    link: links,
  },
});

const fulltext = (address: string, type?: string): object => ({ type: 'fulltext', url: address, content_type: type });

test('doaj: the query is part of the path, in the case of the article; links are pages unless stated otherwise', async () => {
  const about = work('10.1109/jstars.2023.3339235');
  const result = await ask('doaj', about, {
    [DOAJ('10.1109/jstars.2023.3339235')]: inDoaj(),
    [DOAJ('10.1109/JSTARS.2023.3339235')]: inDoaj(
      bib(
        '10.1109/JSTARS.2023.3339235',
        fulltext('https://a.example/1'),
        fulltext('https://a.example/1.pdf'),
        fulltext('https://a.example/2', 'PDF'),
        fulltext('https://a.example/3', 'text/html'),
      ),
    ),
  });
  assert.deepEqual(shown(result), [
    'landing https://a.example/1',
    'any https://a.example/1.pdf',
    'pdf https://a.example/2',
    'landing https://a.example/3',
  ]);
  assert.equal(result.asked.length, 2);
  const first = await ask('doaj', work('10.5555/x'), {
    [DOAJ('10.5555/x')]: inDoaj(bib('10.5555/x', fulltext('https://a.example/1'))),
  });
  assert.deepEqual(sent(first), [`GET https://${DOAJ('10.5555/x')}?pageSize=5`]);
});

test('doaj: the response is checked, and the licence of the journal is read', async () => {
  const licensed = {
    bibjson: {
      ...(bib('10.5555/x', fulltext('https://a.example/1')) as { bibjson: object }).bibjson,
      journal: { license: [{ title: 'CC BY-NC', type: 'CC BY-NC' }] },
    },
  };
  const result = await ask('doaj', work('10.5555/x'), {
    [DOAJ('10.5555/x')]: inDoaj(
      bib('10.5555/other', fulltext('https://a.example/other')),
      bib(null, fulltext('https://a.example/none')),
      licensed,
    ),
  });
  assert.deepEqual(shown(result), ['landing https://a.example/1']);
  assert.equal(result.plans[0]?.license?.slug, 'cc-by-nc');
});

const OPENAIRE = 'api.openaire.eu/graph/v3/research-products';

const product = (value: string, ...urls: string[]): object => ({
  mainTitle: TITLE,
  pids: [{ scheme: 'doi', value }],
  instances: [
    { license: 'CC BY', accessRight: { label: 'OPEN' }, urls },
    { accessRight: { label: 'CLOSED' }, urls: ['https://closed.example/1'] },
  ],
});

test('openaire: decoded URLs of open instances of the work, without the DOI itself', async () => {
  const results = [
    product(
      '10.5555/X',
      'https://doi.org/10.5555/x',
      'https://repo.example/view?id=1&amp;lang=en',
      'https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7/',
    ),
    product('10.5555/other', 'https://repo.example/other'),
  ];
  const result = await ask('openaire', work('10.5555/x'), {
    [OPENAIRE]: JSON.stringify({ header: { numFound: 2 }, results }),
  });
  assert.deepEqual(shown(result), [
    'any https://repo.example/view?id=1&lang=en',
    'pdf https://europepmc.org/articles/PMC7?pdf=render',
  ]);
  assert.equal(result.plans[0]?.license?.slug, 'cc-by');
  assert.deepEqual(sent(result), [`GET https://${OPENAIRE}?pid=10.5555/x&pageSize=5`]);
});

test('openaire: a one-hour token is renewed before it expires, and when it is rejected', async () => {
  const clock = new HeldClock();
  let given = 0;
  const routes = {
    'services.openaire.eu/uoa-user-management/api/users/getAccessToken': () =>
      JSON.stringify({ access_token: `access-${(given += 1)}`, expires_in: 3600 }),
    [OPENAIRE]: (request: { readonly headers: { readonly authorization?: string | undefined } }) =>
      request.headers.authorization === 'Bearer access-1' && clock.now() > Date.UTC(2026, 0, 15, 0, 30)
        ? { status: 403, body: '{"error":"expired"}' }
        : '{"results":[]}',
  };
  await using server = await openLoopback((request, response) => {
    const route =
      routes[`${request.host.replace('.sim.test', '')}${request.url.split('?')[0] ?? ''}` as keyof typeof routes];
    const answer = route(request);
    if (typeof answer === 'string') response.end(answer);
    else response.writeHead(answer.status).end(answer.body);
  });
  await using client = loopbackClient(server);
  const services = new Services({
    baseUrls: baseUrlsBelow('sim.test', 'http'),
    keys: { openaire_refresh: 'refresh-token' },
  });
  assert.ok(services.hasKey('openaire'));
  const lookups = new Lookups(client.send, services, clock);
  const context: ResolveContext = { services, lookups, contact: null, attempted: new Map(), thorough: false };
  const [openaire] = chooseResolvers({ order: ['openaire'] });
  assert.ok(openaire);
  const asked = async (doi: string): Promise<Finding[]> => Array.fromAsync(openaire.plans(work(doi), context));
  assert.deepEqual([...(await asked('10.5555/1')), ...(await asked('10.5555/2'))], []);
  assert.equal(given, 1);
  assert.match(server.requests[0]?.url ?? '', /refreshToken=refresh-token/);
  assert.equal(server.requests[1]?.headers.authorization, 'Bearer access-1');
  await clock.advance(40 * 60_000);
  assert.deepEqual(await asked('10.5555/3'), []);
  assert.equal(given, 2);
  await clock.advance(56 * 60_000);
  assert.deepEqual(await asked('10.5555/4'), []);
  assert.equal(given, 3);
});
