import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { AppError } from '../base/index.ts';
import { ask, CONTACT, sent, shown, work } from '../../test/support/ask-resolver.ts';
import { HeldClock, loopbackClient, openLoopback } from '../testing/index.ts';
import type { WorkLocation } from '../works/index.ts';
import { identify, NO_IDS, parseOpenAlexWork, workFromIds } from '../works/index.ts';
import { SqliteCacheStore } from '../http/index.ts';
import { completeWork, readArxivFeed } from './find-plans.ts';
import type { Finding, ResolveContext } from './index.ts';
import { baseUrlsBelow, chooseResolvers, findPlans, Lookups, plan, PRESETS, Services } from './index.ts';

// Responses are written by hand from the services' documentation, small and in their documented shapes;
// recordings.test.ts tests the same resolvers with real responses.

const TITLE = 'Warm water and the bleaching of corals in shallow seas';
const AUTHORS = ['Ada Lovelace', 'Grace Hopper'];
const known = { title: TITLE, authors: AUTHORS } as const;

const place = (more: Partial<WorkLocation>): WorkLocation => ({
  landingUrl: null,
  pdfUrl: null,
  isOpen: true,
  license: null,
  version: 'publishedVersion',
  hostType: 'publisher',
  ...more,
});

test('openalex: repository files first; arXiv and PubMed Central are left to their own resolvers', async () => {
  const about = parseOpenAlexWork({
    id: 'https://openalex.org/W5',
    doi: 'https://doi.org/10.5555/x',
    locations: [
      { is_oa: true, pdf_url: 'https://p.example/a.pdf', source: { type: 'journal' } },
      { is_oa: true, pdf_url: 'https://arxiv.org/pdf/1706.03762', source: { type: 'repository' } },
      {
        is_oa: true,
        pdf_url: 'https://www.ncbi.nlm.nih.gov/pmc/articles/12008803/pdf',
        source: { type: 'repository' },
      },
      { is_oa: true, pdf_url: 'https://repo.example/b.pdf', source: { type: 'repository' } },
      { is_oa: false, pdf_url: 'https://closed.example/c.pdf' },
      { is_oa: true, landing_page_url: 'https://pmc.ncbi.nlm.nih.gov/articles/PMC12008803/' },
      { is_oa: true, landing_page_url: 'http://arxiv.org/abs/1706.03762' },
      { is_oa: true, landing_page_url: 'https://repo.example/page' },
    ],
  });
  assert.ok(about);
  assert.deepEqual(shown(await ask('openalex', about, {})), [
    'pdf https://repo.example/b.pdf',
    'pdf https://p.example/a.pdf',
  ]);
  assert.deepEqual(shown(await ask('landing_page', about, {})), ['landing https://repo.example/page']);
  assert.deepEqual(shown(await ask('arxiv', about, {})), ['pdf https://export.arxiv.org/pdf/1706.03762']);
  assert.equal(about.ids.pmcid, 'PMC12008803');
  const given = work('10.5555/x', { urls: ['https://arxiv.org/abs/1706.03762v2', 'https://x.example/f'] });
  assert.deepEqual(shown(await ask('openalex', given, {})), [
    'pdf https://export.arxiv.org/pdf/1706.03762v2',
    'any https://x.example/f',
  ]);
});

test('a PMC id is read with and without its prefix, and other numbers are not', () => {
  for (const [url, id] of [
    ['https://www.ncbi.nlm.nih.gov/pmc/articles/12008803', 'PMC12008803'],
    ['https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7/', 'PMC7'],
    ['https://pmc.ncbi.nlm.nih.gov/articles/PMC7/pdf/x.pdf', 'PMC7'],
    ['https://europepmc.org/articles/pmc7?pdf=render', 'PMC7'],
    ['https://europepmc.org/article/PMC/PMC7', 'PMC7'],
    ['https://europepmc.org/article/MED/12345', null],
    ['https://pubmed.ncbi.nlm.nih.gov/12345', null],
    ['https://www.ncbi.nlm.nih.gov/books/NBK7/', null],
  ] as const)
    assert.equal(parseOpenAlexWork({ id: 'W1', locations: [{ landing_page_url: url }] })?.ids.pmcid ?? null, id, url);
});

test('openalex_content: needs a key, which is sent only to its origin', async () => {
  const about = work('W12', { content: { pdf: true, tei: true } });
  const { plans } = await ask('openalex_content', about, {});
  assert.deepEqual(
    plans.map(({ url }) => url),
    ['http://content.openalex.org.sim.test/works/W12.pdf', 'http://content.openalex.org.sim.test/works/W12.grobid-xml'],
  );
  assert.equal(plans[0]?.credentials[0]?.origin, 'http://content.openalex.org.sim.test');
  assert.ok(!JSON.stringify(plans).includes('key-openalex'));
  const without = await ask('openalex_content', about, {}, { keys: {} });
  assert.deepEqual([without.plans.length, without.problems.length], [0, 1]);
  assert.deepEqual((await ask('openalex_content', work('W12'), {})).plans, []);
});

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

const EUROPE = 'www.ebi.ac.uk/europepmc/webservices/rest/search';
const inEurope = (...result: object[]): Record<string, string> => ({
  [EUROPE]: JSON.stringify({ version: '6.9', hitCount: result.length, resultList: { result } }),
});
const article = {
  id: '1',
  source: 'MED',
  pmid: '1',
  pmcid: 'PMC7',
  doi: '10.5555/X',
  title: TITLE,
  isOpenAccess: 'Y',
  inEPMC: 'Y',
  license: 'cc by',
  pubTypeList: { pubType: ['research-article', 'Journal Article'] },
  fullTextIdList: { fullTextId: ['PMC7'] },
};
const url = (site: string, code: string, address: string): object => ({
  availabilityCode: code,
  documentStyle: 'pdf',
  site,
  url: address,
});

test('europe_pmc: XML first, then its own PDF, then other PDFs; never PubMed Central itself', async () => {
  const fullTextUrl = [
    url('PubMedCentral', 'F', 'https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7/pdf/?tool=EBI'),
    url('Unpaywall', 'OA', 'https://www.biorxiv.org/content/1.full.pdf'),
    url('Europe_PMC', 'OA', 'https://europepmc.org/articles/PMC7?pdf=render'),
    url('DOI', 'S', 'https://p.example/closed.pdf'),
  ];
  const result = await ask('europe_pmc', work('10.5555/x'), inEurope({ ...article, fullTextUrlList: { fullTextUrl } }));
  assert.deepEqual([...new Set(shown(result))].toSorted(), [
    'pdf https://europepmc.org/articles/PMC7?pdf=render',
    'pdf https://www.biorxiv.org/content/1.full.pdf',
    'xml https://www.ebi.ac.uk/europepmc/webservices/rest/PMC7/fullTextXML',
  ]);
  assert.equal(result.plans[0]?.expect, 'xml');
  assert.match(shown(result)[1] ?? '', /europepmc\.org/);
  assert.equal(result.plans[0]?.license?.slug, 'cc-by');
  assert.ok(result.plans.every(({ url: address }) => !address.includes('ncbi.nlm.nih.gov')));
  assert.deepEqual(sent(result), [
    `GET https://${EUROPE}?query=DOI:"10.5555/x"&resultType=core&format=json&pageSize=5`,
  ]);
});

test('europe_pmc: a preprint is a submitted version, a withdrawn one is none, another work does not match', async () => {
  const preprint = {
    ...article,
    source: 'PPR',
    id: 'PPR1',
    pmcid: undefined,
    fullTextIdList: { fullTextId: ['PPR1'] },
    pubTypeList: { pubType: ['Preprint'] },
  };
  const one = await ask('europe_pmc', work('10.5555/x'), inEurope(preprint));
  assert.deepEqual(shown(one), ['xml https://www.ebi.ac.uk/europepmc/webservices/rest/PPR1/fullTextXML']);
  assert.equal(one.plans[0]?.version, 'submittedVersion');
  const removed = { ...preprint, pubTypeList: { pubType: ['preprint-removal', 'Preprint'] } };
  assert.deepEqual((await ask('europe_pmc', work('10.5555/x'), inEurope(removed))).plans, []);
  assert.deepEqual((await ask('europe_pmc', work('10.5555/other'), inEurope(article))).plans, []);
  assert.deepEqual((await ask('europe_pmc', work('PMC8'), inEurope({ ...article, doi: undefined }))).plans, []);
  const failed = await ask('europe_pmc', work('10.1000/x'), {
    [EUROPE]: '{"errCode":404,"errMsg":"Invalid page size provided."}',
  });
  assert.equal(failed.problems.length, 1);
});

const BUCKET = 'pmc-oa-opendata.s3.amazonaws.com/';
const listing = (...prefixes: string[]): string =>
  `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${prefixes.map((each) => `<CommonPrefixes><Prefix>${each}/</Prefix></CommonPrefixes>`).join('')}</ListBucketResult>`;
const cloud = {
  pmcid: 'PMC7',
  doi: '10.5555/x',
  title: TITLE,
  is_manuscript: false,
  is_retracted: false,
  license_code: 'CC BY',
  pdf_url: `s3://pmc-oa-opendata/PMC7.2/PMC7.2.pdf?md5=${'a'.repeat(32)}`,
  xml_url: 's3://pmc-oa-opendata/PMC7.2/PMC7.2.xml',
};
const inCloud = (metadata: object, list = listing('PMC7.1', 'PMC7.2', 'PMC77.3')): Record<string, string> => ({
  [BUCKET]: list,
  [`${BUCKET}metadata/PMC7.2.json`]: JSON.stringify(metadata),
  'pmc.ncbi.nlm.nih.gov/tools/idconv/api/v1/articles/':
    '{"status":"ok","records":[{"requested-id":"5","pmcid":"PMC7"}]}',
});

test('pmc: the cloud service, its latest version, its checksums', async () => {
  for (const id of ['PMC7', 'pmid:5']) {
    const result = await ask('pmc', work(id), inCloud(cloud));
    assert.deepEqual(shown(result), [
      `pdf https://${BUCKET}PMC7.2/PMC7.2.pdf`,
      `xml https://${BUCKET}PMC7.2/PMC7.2.xml`,
    ]);
    assert.deepEqual(result.plans[0]?.checksum, { algorithm: 'md5', hex: 'a'.repeat(32) });
    assert.deepEqual([result.plans[0]?.license?.slug, result.plans[0]?.version], ['cc-by', 'publishedVersion']);
  }
  const unknown = await ask('pmc', work('pmid:1'), {
    'pmc.ncbi.nlm.nih.gov/tools/idconv/api/v1/articles/':
      '{"status":"ok","records":[{"requested-id":"1","status":"error","errmsg":"not found"}]}',
  });
  assert.deepEqual([unknown.plans, unknown.problems], [[], []]);
  assert.deepEqual(shown(await ask('pmc', work('PMC7'), inCloud(cloud, listing()))), []);
  // The same bucket listed without folders.
  const keys = listing().replace('</List', '<Contents><Key>PMC7.2/PMC7.2.xml</Key><Size>1</Size></Contents></List');
  assert.equal((await ask('pmc', work('PMC7'), inCloud(cloud, keys))).plans.length, 2);
});

test('pmc: retracted articles are included unless excluded by settings; other formats or works are problems', async () => {
  const retracted = { ...cloud, is_retracted: true };
  assert.equal((await ask('pmc', work('PMC7'), inCloud(retracted))).plans.length, 2);
  assert.equal((await ask('pmc', work('PMC7'), inCloud(retracted), { retracted: 'skip' })).plans.length, 0);
  for (const list of ['<html>maintenance</html>', '{"versions":[1]}']) {
    const strange = await ask('pmc', work('PMC7'), inCloud(cloud, list));
    assert.deepEqual([strange.plans.length, strange.problems.length], [0, 1], list);
  }
  for (const other of [
    { ...cloud, pmcid: 'PMC8' },
    { ...cloud, doi: '10.5555/other' },
  ]) {
    const wrong = await ask(
      'pmc',
      work('PMC7', { ids: { ...NO_IDS, pmcid: 'PMC7', doi: '10.5555/x' } }),
      inCloud(other),
    );
    assert.deepEqual([wrong.plans.length, wrong.problems.length], [0, 1]);
  }
});

test('biorxiv: the latest version of the requested DOI on either server', async () => {
  const details = (doi: string, version: string, more: object = {}): object => ({
    doi,
    version,
    license: 'cc_by',
    ...more,
  });
  const routes = (...collection: object[]): Record<string, string> => ({
    'api.biorxiv.org/details/biorxiv/10.1101/029900/na/json':
      '{"messages":[{"status":"no posts found"}],"collection":[]}',
    'api.biorxiv.org/details/medrxiv/10.1101/029900/na/json': JSON.stringify({
      messages: [{ status: 'ok' }],
      collection,
    }),
  });
  const result = await ask(
    'biorxiv',
    work('10.1101/029900'),
    routes(details('10.1101/029900', '1'), details('10.1101/029900', '3')),
  );
  assert.deepEqual(shown(result), ['pdf https://www.medrxiv.org/content/10.1101/029900v3.full.pdf']);
  assert.deepEqual([result.plans[0]?.version, result.plans[0]?.license?.slug], ['submittedVersion', 'cc-by']);
  assert.deepEqual((await ask('biorxiv', work('10.1000/x'), {})).asked, []);
  assert.deepEqual((await ask('biorxiv', work('10.1101/029900'), routes(details('10.1101/7', '1')))).plans, []);
  const withdrawn = details('10.1101/029900', '2', { type: 'withdrawn' });
  assert.deepEqual((await ask('biorxiv', work('10.1101/029900'), routes(withdrawn))).plans, []);
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

const inHal = (...docs: object[]): Record<string, string> => ({
  'api.archives-ouvertes.fr/search/': JSON.stringify({ response: { numFound: docs.length, start: 0, docs } }),
});

test('hal: the main file of the deposit with that DOI in any case, queried in quotes', async () => {
  const deposit = {
    halId_s: 'hal-04178712',
    doiId_s: '10.5555/X',
    title_s: [TITLE],
    fileMain_s: 'https://inria.hal.science/hal-04178712/document',
  };
  const result = await ask(
    'hal',
    work('10.5555/x'),
    inHal({ ...deposit, licence_s: 'http://creativecommons.org/licenses/by/' }),
  );
  assert.deepEqual(shown(result), ['pdf https://inria.hal.science/hal-04178712/document']);
  assert.equal(result.plans[0]?.license?.slug, 'cc-by');
  assert.match(sent(result)[0] ?? '', /q=doiId_s:"10\.5555\/x"\+OR\+doiId_id:"10\.5555\/x"/);
  assert.match(sent(await ask('hal', work('hal-04637647'), {}))[0] ?? '', /q=halId_s:"hal-04637647"/);
  assert.deepEqual((await ask('hal', work('10.5555/other'), inHal(deposit))).plans, []);
  assert.deepEqual((await ask('hal', work('10.5555/other'), inHal({ ...deposit, doiId_s: undefined }))).plans, []);
  const version = await ask('hal', work('10.5555/other', known), inHal({ ...deposit, authFullName_s: AUTHORS }));
  assert.equal(version.plans[0]?.sameAs?.doi, '10.5555/x');
});

test('hal: a deposit without a file leads to the open copy it names', async () => {
  const linked = (id: string, address: string): object => ({
    doiId_s: '10.5555/x',
    linkExtId_s: id,
    linkExtUrl_s: address,
  });
  const from = async (id: string, address: string): Promise<string[]> =>
    shown(await ask('hal', work('10.5555/x'), inHal(linked(id, address))));
  assert.deepEqual(await from('arxiv', 'http://arxiv.org/pdf/1706.03762'), [
    'pdf https://export.arxiv.org/pdf/1706.03762',
  ]);
  assert.deepEqual(await from('openaccess', 'https://p.example/a'), ['any https://p.example/a']);
  assert.deepEqual(await from('istex', 'https://api.istex.fr/ark:/1/fulltext.pdf'), []);
});

const deposit = {
  id: 10,
  doi: '10.5281/zenodo.10',
  conceptdoi: '10.5281/zenodo.9',
  metadata: { title: TITLE, access_right: 'open', license: { id: 'cc-by-4.0' }, creators: [{ name: 'Lovelace, Ada' }] },
  files: [
    { key: 'data.csv', checksum: 'md5:1', links: { self: 'https://zenodo.org/api/records/10/files/data.csv/content' } },
    {
      key: 'a b.pdf',
      checksum: `md5:${'c'.repeat(32)}`,
      links: { self: 'https://zenodo.org/api/records/10/files/a b.pdf/content' },
    },
  ],
};
const ZENODO_FILE = 'pdf https://zenodo.org/api/records/10/files/a%20b.pdf/content';

test('zenodo: open PDFs with their checksums, by record', async () => {
  const own = (record: object): ReturnType<typeof ask> =>
    ask(
      'zenodo',
      work('10.5281/zenodo.10'),
      { 'zenodo.org/api/records/10': JSON.stringify(record) },
      { thorough: false },
    );
  const result = await own(deposit);
  assert.deepEqual(shown(result), [ZENODO_FILE]);
  assert.deepEqual(result.plans[0]?.checksum, { algorithm: 'md5', hex: 'c'.repeat(32) });
  assert.equal(result.plans[0]?.license?.slug, 'cc-by');
  const [, file] = deposit.files;
  assert.deepEqual(
    shown(
      await own({
        ...deposit,
        files: { enabled: true, entries: { 'a b.pdf': { ...file, links: { content: file?.links.self } } } },
      }),
    ),
    [ZENODO_FILE],
  );
  const older = {
    filename: 'a b.pdf',
    checksum: 'c'.repeat(32),
    links: { self: 'https://zenodo.org/x', download: file?.links.self },
  };
  const legacy = await own({ ...deposit, files: [older] });
  assert.deepEqual([shown(legacy), legacy.plans[0]?.checksum?.hex], [[ZENODO_FILE], 'c'.repeat(32)]);
  assert.deepEqual((await own({ ...deposit, metadata: { access_right: 'restricted' } })).plans, []);
});

test('zenodo: a search hit counts only if the record has the DOI or states that it is the work', async () => {
  const search = (doi: string, ...hits: object[]): ReturnType<typeof ask> =>
    ask('zenodo', work(doi, known), {
      'zenodo.org/api/records': JSON.stringify({ hits: { hits, total: hits.length } }),
    });
  const related = (relation: string): object => ({
    ...deposit,
    metadata: { ...deposit.metadata, related_identifiers: [{ identifier: '10.5555/x', relation, scheme: 'doi' }] },
  });
  assert.deepEqual((await search('10.5555/x', deposit)).plans, []);
  assert.deepEqual((await search('10.5555/x', related('isSupplementTo'))).plans, []);
  const same = await search('10.5555/x', related('isIdenticalTo'));
  assert.deepEqual([shown(same), same.plans[0]?.sameAs?.doi], [[ZENODO_FILE], '10.5281/zenodo.10']);
  assert.deepEqual(shown(await search('10.5555/x', { ...deposit, doi: '10.5555/X' })), [ZENODO_FILE]);
  assert.deepEqual((await ask('zenodo', work('10.1000/x'), {}, { thorough: false })).asked, []);
});

test('figshare: search, then the deposit with its files; data of an article is not the article', async () => {
  const files = [
    { name: 'a.csv', download_url: 'https://ndownloader.figshare.com/files/1' },
    {
      name: 'paper.pdf',
      download_url: 'https://ndownloader.figshare.com/files/2',
      computed_md5: 'f'.repeat(32),
      is_link_only: false,
    },
  ];
  const stored = {
    id: 5,
    doi: '10.6084/m9.figshare.5.v2',
    title: TITLE,
    authors: [{ full_name: 'Ada Lovelace' }],
    files,
    license: { value: 1, name: 'CC BY 4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  };
  const routes = (article: object): Record<string, string> => ({
    'api.figshare.com/v2/articles/search': '[{"id":5,"title":"light"}]',
    'api.figshare.com/v2/articles/5': JSON.stringify(article),
  });
  const own = await ask('figshare', work('10.6084/m9.figshare.5.v2'), routes(stored), { thorough: false });
  assert.deepEqual(shown(own), ['pdf https://ndownloader.figshare.com/files/2']);
  assert.equal(own.asked[0]?.body, '{"doi":"10.6084/m9.figshare.5"}');
  assert.deepEqual([own.plans[0]?.license?.slug, own.plans[0]?.checksum?.hex], ['cc-by', 'f'.repeat(32)]);
  const linked = { ...stored, resource_doi: '10.5555/X' };
  const version = await ask('figshare', work('10.5555/x', known), routes(linked));
  assert.equal(version.asked[0]?.body, '{"resource_doi":"10.5555/x"}');
  assert.deepEqual([shown(version).length, version.plans[0]?.sameAs?.doi], [1, '10.6084/m9.figshare.5.v2']);
  const data = { ...linked, title: 'Counts of polyps per square metre, 2010 to 2020' };
  assert.deepEqual((await ask('figshare', work('10.5555/x', known), routes(data))).plans, []);
  assert.deepEqual((await ask('figshare', work('10.6084/m9.figshare.6'), routes(stored))).plans, []);
});

test('osf: two requests lead from the GUID in the DOI to the file, with the licence from its own record', async () => {
  const file = {
    attributes: { name: 'a.pdf', extra: { hashes: { sha256: 'e'.repeat(64) } } },
    links: { download: 'https://osf.io/download/bexrz/' },
  };
  const license = { data: { attributes: { name: 'CC-By Attribution-NonCommercial 4.0 International', url: null } } };
  const preprint = (more: object = {}, attributes: object = {}): string =>
    JSON.stringify({
      data: {
        attributes: {
          title: TITLE,
          is_published: true,
          date_withdrawn: null,
          license_record: { copyright_holders: [''], year: '2024' },
          ...attributes,
        },
        relationships: {
          primary_file: { links: { related: { href: 'https://evil.example/v2/files/5d4ef38e4e90e100146f7f41/' } } },
          license: { links: { related: { href: 'https://evil.example/v2/licenses/563c1cf88c5e4a3877f9e96a/' } } },
        },
        links: { preprint_doi: 'https://doi.org/10.31219/osf.io/ab3de' },
        ...more,
      },
    });
  const routes = (body: string): Record<string, string> => ({
    'api.osf.io/v2/preprints/ab3de/': body,
    'api.osf.io/v2/files/5d4ef38e4e90e100146f7f41/': JSON.stringify({ data: file }),
    'api.osf.io/v2/licenses/563c1cf88c5e4a3877f9e96a/': JSON.stringify(license),
  });
  const about = work('10.31219/osf.io/ab3de');
  for (const [body, requests] of [
    [preprint({ embeds: { license } }), 2],
    [preprint(), 3],
  ] as const) {
    const result = await ask('osf', about, routes(body));
    assert.deepEqual(shown(result), ['pdf https://osf.io/download/bexrz/']);
    assert.deepEqual([result.plans[0]?.license?.slug, result.plans[0]?.checksum?.algorithm], ['cc-by-nc', 'sha256']);
    assert.equal(result.asked.length, requests);
    assert.ok(
      result.asked.every(
        ({ host, headers }) => host === 'api.osf.io.sim.test' && headers.authorization === 'Bearer key-osf',
      ),
    );
  }
  assert.deepEqual((await ask('osf', about, routes(preprint({}, { date_withdrawn: '2026-01-01' })))).plans, []);
  const other = preprint({ links: { preprint_doi: 'https://doi.org/10.31219/osf.io/zzzzz' } });
  const wrong = await ask('osf', about, routes(other));
  assert.deepEqual([wrong.plans.length, wrong.problems.length], [0, 1]);
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

test('datacite: files, licence and other DOIs registered by repositories', async () => {
  const attributes = {
    doi: '10.5072/REPO.1',
    titles: [{ title: TITLE }],
    url: 'https://repo.example/1',
    contentUrl: ['https://repo.example/1/paper.pdf'],
    rightsList: [
      { rights: 'Open Access', rightsUri: 'info:eu-repo/semantics/openAccess' },
      { rightsUri: 'https://creativecommons.org/licenses/by-sa/4.0/legalcode' },
    ],
    relatedIdentifiers: [
      { relationType: 'IsVariantFormOf', relatedIdentifier: '10.5555/x', relatedIdentifierType: 'DOI' },
      { relationType: 'References', relatedIdentifier: '10.5555/y', relatedIdentifierType: 'DOI' },
    ],
  };
  const routes = {
    'doi.org/doiRA/10.5072': '[{"DOI":"10.5072","RA":"DataCite"}]',
    'api.datacite.org/dois/10.5072/repo.1': JSON.stringify({ data: { attributes } }),
  };
  const result = await ask('datacite', work('10.5072/repo.1'), routes);
  assert.deepEqual(shown(result), [
    'any https://repo.example/1/paper.pdf',
    'landing https://repo.example/1',
    'landing https://doi.org/10.5555/x',
  ]);
  assert.deepEqual([result.plans[0]?.license?.slug, result.plans[2]?.sameAs?.doi], ['cc-by-sa', '10.5555/x']);
  assert.deepEqual(
    (await ask('datacite', work('10.5555/x'), { 'doi.org/doiRA/10.5555': '[{"DOI":"10.5555","RA":"Crossref"}]' })).asked
      .length,
    1,
  );
  const wrong = await ask('datacite', work('10.5072/repo.2'), {
    ...routes,
    'api.datacite.org/dois/10.5072/repo.2': JSON.stringify({ data: { attributes } }),
  });
  assert.deepEqual([wrong.plans.length, wrong.problems.length], [0, 1]);
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

test('wayback: captures of lost files, of the expected type', async () => {
  const about = work('W1', {
    locations: [place({ pdfUrl: 'https://dead.example/a.pdf?x=1' }), place({ pdfUrl: 'https://walled.example/b.pdf' })],
  });
  const attempted = new Map([
    ['https://dead.example/a.pdf?x=1', 'not-found'],
    ['https://walled.example/b.pdf', 'blocked-login'],
    ['https://page.example/', 'timeout'],
  ]);
  const cdx = JSON.stringify([['timestamp'], ['20200102030405']]);
  const full = await ask('wayback', about, { 'web.archive.org/cdx/search/cdx': cdx }, { attempted });
  assert.deepEqual(shown(full), [
    'pdf https://web.archive.org/web/20200102030405id_/https://dead.example/a.pdf?x=1',
    'pdf https://web.archive.org/web/20200102030405id_/https://page.example/',
  ]);
  for (const asked of sent(full)) assert.match(asked, /filter=statuscode:200&filter=mimetype:application\/pdf&/);
  assert.deepEqual([full.plans[0]?.version, full.plans[0]?.hostType], ['publishedVersion', 'archive']);
  const quick =
    '{"archived_snapshots":{"closest":{"status":"200","available":true,"url":"http://web.archive.org/web/20240102030405/x","timestamp":"20240102030405"}}}';
  // The quick index does not know that the capture is a page; the full one does.
  const none = await ask(
    'wayback',
    about,
    { 'web.archive.org/cdx/search/cdx': '[]', 'archive.org/wayback/available': quick },
    { attempted },
  );
  assert.deepEqual([none.plans, none.problems], [[], []]);
  for (const busy of ['<html>busy</html>', 'Blocked Site Error', '{"error":1}', '[{"a":1}]', '[["a"],["b"]]']) {
    const broken = await ask(
      'wayback',
      about,
      { 'web.archive.org/cdx/search/cdx': busy, 'archive.org/wayback/available': quick },
      { attempted },
    );
    assert.equal(shown(broken)[0], 'any https://web.archive.org/web/20240102030405id_/https://dead.example/a.pdf?x=1');
    assert.equal(broken.problems.length, 2, busy);
  }
});

test('an OpenAlex record of another shape is reported as a problem', async () => {
  for (const [id, host, body] of [
    ['10.5555/x', 'api.openalex.org', '{"id":5,"doi":{}}'],
    ['arXiv:2101.00001', 'export.arxiv.org', '<html>busy</html>'],
  ] as const) {
    await using server = await openLoopback((request, response) => {
      if (request.host.startsWith(host)) response.end(body);
      else response.writeHead(404).end();
    });
    await using client = loopbackClient(server);
    const services = new Services({ baseUrls: baseUrlsBelow('sim.test', 'http') });
    const context: ResolveContext = {
      services,
      lookups: new Lookups(client.send, services),
      contact: null,
      attempted: new Map(),
      thorough: false,
    };
    const bare = workFromIds(identify(id) ?? NO_IDS);
    assert.ok(bare);
    const findings = await Array.fromAsync(findPlans(bare, [], context));
    assert.deepEqual(
      findings.map(({ kind }) => kind),
      ['problem'],
      id,
    );
  }
});

test('manuscripts come after the published version if that is preferred', async () => {
  const services = new Services();
  const plans = (
    name: string,
    version: 'submittedVersion' | 'publishedVersion' | null,
  ): { name: string; plans: () => AsyncGenerator<Finding> } => ({
    name,
    async *plans() {
      yield* plan(name, `https://${name}.example/`, { version });
    },
  });
  const resolvers = [
    plans('a', 'submittedVersion'),
    plans('b', 'publishedVersion'),
    plans('c', null),
    { ...plans('d', null), isLast: true },
  ];
  const context = {
    services,
    lookups: {} as Lookups,
    contact: null,
    attempted: new Map<string, string>(),
    thorough: false,
  };
  const order = async (prefer: 'any' | 'published'): Promise<string> =>
    (await Array.fromAsync(findPlans(work('10.5555/x'), resolvers, { ...context, prefer })))
      .map((each) => (each.kind === 'plan' ? each.plan.resolver : ''))
      .join('');
  assert.equal(await order('any'), 'abcd');
  assert.equal(await order('published'), 'bcad');
});

test('a failing service is reported as a problem, with a retry time if it is rate-limited', async () => {
  const failed = await ask('hal', work('10.1000/x'), {
    'api.archives-ouvertes.fr/search/': '<html>maintenance</html>',
  });
  assert.equal(failed.problems.length, 1);
  const shape = await ask('hal', work('10.1000/x'), {
    'api.archives-ouvertes.fr/search/': '{"response":{"docs":"none"}}',
  });
  assert.equal(shape.problems.length, 1);
  const later = await ask('hal', work('10.1000/x'), { 'api.archives-ouvertes.fr/search/': { status: 429 } });
  assert.equal(later.problems[0]?.kind === 'problem' && later.problems[0].at !== null, true);
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

test('plans are lazy, each URL is tried once, and a bare id is looked up first', async () => {
  await using server = await openLoopback((request, response) => {
    if (request.url.startsWith('/works/')) {
      const open = { is_oa: true, landing_page_url: null, pdf_url: 'http://files.test/a.pdf' };
      response.end(
        JSON.stringify({
          id: 'https://openalex.org/W5',
          doi: 'https://doi.org/10.1000/x',
          title: 'T',
          best_oa_location: open,
          locations: [open],
        }),
      );
    } else if (request.url.startsWith('/v2/')) {
      response.end(
        JSON.stringify({
          is_oa: true,
          oa_locations: [{ url_for_pdf: 'http://files.test/a.pdf' }, { url_for_pdf: 'http://files.test/b.pdf' }],
        }),
      );
    } else response.writeHead(404).end();
  });
  await using client = loopbackClient(server);
  const services = new Services({ baseUrls: baseUrlsBelow('sim.test', 'http') });
  const context: ResolveContext = {
    services,
    lookups: new Lookups(client.send, services),
    contact: CONTACT,
    attempted: new Map(),
    thorough: false,
  };
  const bare = workFromIds(identify('10.1000/x') ?? NO_IDS);
  assert.ok(bare);
  const findings = findPlans(bare, chooseResolvers({ preset: 'fast' }), context);
  const first = await findings.next();
  assert.equal(first.value?.kind === 'plan' && first.value.plan.url, 'http://files.test/a.pdf');
  assert.deepEqual(
    server.requests.map(({ host }) => host),
    ['api.openalex.org.sim.test'],
  );
  const rest = await Array.fromAsync(findings);
  assert.deepEqual(
    rest.flatMap((each) => (each.kind === 'plan' ? [each.plan.url] : [])),
    ['http://files.test/b.pdf'],
  );
});

test('a work known only by arXiv id is looked up there', async () => {
  const feed =
    '<feed xmlns:arxiv="a"><entry><id>http://arxiv.org/abs/2101.00001v2</id><title>A\n  title</title><arxiv:doi>10.1000/J</arxiv:doi></entry></feed>';
  await using server = await openLoopback((request, response) => {
    if (request.url.startsWith('/api/query')) response.end(feed);
    else response.writeHead(404).end();
  });
  await using client = loopbackClient(server);
  const services = new Services({ baseUrls: baseUrlsBelow('sim.test', 'http') });
  const lookups = new Lookups(client.send, services);
  const context: ResolveContext = { services, lookups, contact: null, attempted: new Map(), thorough: false };
  const bare = workFromIds(identify('arXiv:2101.00001') ?? NO_IDS);
  assert.ok(bare);
  const findings = await Array.fromAsync(
    findPlans(bare, chooseResolvers({ preset: 'fast', enable: ['doi'] }), context),
  );
  assert.deepEqual(
    findings.flatMap((each) => (each.kind === 'plan' ? [each.plan.url] : [])),
    ['http://export.arxiv.org.sim.test/pdf/2101.00001', 'http://doi.org.sim.test/10.1000/j'],
  );
});

test('a DOI unknown to OpenAlex gets its title from Crossref, with one request', async () => {
  await using server = await openLoopback((request, response) => {
    const isKnown = request.host.startsWith('api.crossref.org');
    if (isKnown) response.end(JSON.stringify({ message: { DOI: '10.1000/new', title: ['How reefs grow back'] } }));
    else response.writeHead(404).end();
  });
  using cache = new SqliteCacheStore(':memory:', { now: Date.now });
  await using client = loopbackClient(server, { cache });
  const services = new Services({ baseUrls: baseUrlsBelow('sim.test', 'http') });
  const lookups = new Lookups(client.send, services);
  const context: ResolveContext = { services, lookups, contact: CONTACT, attempted: new Map(), thorough: false };
  const bare = workFromIds(identify('10.1000/new') ?? NO_IDS);
  assert.ok(bare);
  const { work: known, findings } = await completeWork(bare, context);
  assert.deepEqual([known.title, known.isComplete, findings], ['How reefs grow back', true, []]);
  await Array.fromAsync(findPlans(known, chooseResolvers({ enable: ['crossref'] }), context));
  assert.equal(server.requests.filter(({ host }) => host.startsWith('api.crossref.org')).length, 1);
});

test('service limits stay within the documented ones, and move with their hosts', () => {
  const pools = new Services({ baseUrls: baseUrlsBelow('sim.test', 'http') }).pools();
  const pool = (name: string): NonNullable<(typeof pools)[number]> => {
    const found = pools.find((each) => each.name === name);
    assert.ok(found, name);
    return found;
  };
  assert.deepEqual(pool('arxiv').hosts, [
    'export.arxiv.org.sim.test',
    'arxiv.org.sim.test',
    'www.arxiv.org.sim.test',
    'oaipmh.arxiv.org.sim.test',
  ]);
  assert.equal(pool('arxiv').strict, true);
  assert.deepEqual([pool('arxiv').perSecond, pool('arxiv').burst, pool('arxiv').concurrency], [1 / 3, 1, 1]);
  assert.deepEqual(pool('biorxiv_sites').hosts, ['www.biorxiv.org.sim.test', 'www.medrxiv.org.sim.test']);
  assert.deepEqual(pool('zenodo_search').hosts, []);
  for (const [name, perHour] of [
    ['osf', 100],
    ['openaire', 60],
  ] as const) {
    assert.ok((pool(name).burst ?? 1) + pool(name).perSecond * 3600 <= perHour, name);
  }
  const DAY = 86_400;
  const keyed = new Services({ keys: { osf: 'k', springer_nature: 'k', elsevier: 'k', wiley: 'k' } }).pools();
  for (const [name, most, seconds] of [
    ['unpaywall', 100_000, DAY],
    ['osf', 10_000, DAY],
    ['springer_nature', 500, DAY],
    ['wiley_tdm', 60, 600],
    ['elsevier_tdm', 50_000, 7 * DAY],
    ['datacite', 1_000, 300],
  ] as const) {
    const { burst = 1, perSecond } = keyed.find((each) => each.name === name) ?? pool(name);
    assert.ok(burst + perSecond * seconds <= most, `${name}: ${most} in ${seconds} s`);
  }
  for (const [name, perMinute] of [
    ['zenodo_search', 30],
    ['wayback_cdx', 30],
    ['core', 10.5],
  ] as const) {
    assert.ok((pool(name).burst ?? 1) - 1 + pool(name).perSecond * 60 <= perMinute, name);
  }
  assert.equal(
    new Services({ keys: { semantic_scholar: 'k' } }).pools().find(({ name }) => name === 'semantic_scholar')
      ?.perSecond,
    1,
  );
  assert.throws(() => new Services({ baseUrls: { hal: 'ftp://x' } }), { code: 'SERVICE_URL' });
});

test('an unknown service in base_urls is rejected with a suggestion', () => {
  const misspelt = { baseUrls: { opanalex: 'https://mirror.example/' } as object };
  assert.throws(
    () => new Services(misspelt),
    (error: AppError) => {
      assert.equal(error.code, 'CONFIG_SERVICE_UNKNOWN');
      assert.match(error.message, /"opanalex"/);
      assert.match(error.hint ?? '', /did you mean openalex\?/);
      return true;
    },
  );
});
