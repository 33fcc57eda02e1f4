import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TITLE } from '../../../test/support/known-work.ts';
import { ask, sent, shown, work } from '../../../test/support/ask-resolver.ts';
import { NO_IDS } from '../../works/index.ts';

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
