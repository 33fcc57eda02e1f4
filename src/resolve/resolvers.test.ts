import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { loopbackClient, openLoopback } from '../testing/index.ts';
import type { SeenRequest } from '../testing/index.ts';
import type { Work } from '../works/index.ts';
import { identify, NO_IDS, parseOpenAlexWork, parseWorks, workFromIds } from '../works/index.ts';
import { readArxivFeed } from './arxiv-feed.ts';
import { readCdx } from './cdx.ts';
import type { Finding, Plan, ResolveContext } from './index.ts';
import { baseUrlsBelow, chooseResolvers, findPlans, Lookups, PRESETS, RESOLVERS, Services } from './index.ts';
import { biorxivDetails } from './resolvers/biorxiv.ts';
import { coreAnswer } from './resolvers/core.ts';
import { crossrefAnswer, crossrefWork } from './resolvers/crossref.ts';
import { osfFiles } from './resolvers/osf.ts';
import { semanticScholarPaper } from './resolvers/semantic-scholar.ts';
import { unpaywallRecord } from './resolvers/unpaywall.ts';

const FIXTURES = join(import.meta.dirname, '../../../shared/data/api-fixtures/open');
const skip = existsSync(FIXTURES) ? false : `${FIXTURES} is absent`;
const CONTACT = 'someone@university.edu';
const KEYS = {
  openalex: 'key-openalex',
  core: 'key-core',
  semantic_scholar: 'key-s2',
  osf: 'key-osf',
  openaire: 'key-openaire',
  ncbi: 'key-ncbi',
};

type Answer = string | Buffer | { readonly status: number; readonly body?: string; readonly type?: string };
type Routes = Readonly<Record<string, Answer>>;

const fixture = (name: string): string => readFileSync(join(FIXTURES, name), 'utf8');
const load = (name: string): unknown => JSON.parse(fixture(name));

function work(id: string, more: Partial<Work> = {}): Work {
  const made = workFromIds(identify(id) ?? NO_IDS);
  assert.ok(made, id);
  return { ...made, isComplete: true, ...more };
}

/** Asks one resolver, with these answers behind the services; anything else they are asked is not there. */
async function ask(
  name: string,
  about: Work,
  routes: Routes,
  context: Partial<ResolveContext> & { readonly keys?: Record<string, string> } = {},
): Promise<{ plans: Plan[]; problems: Finding[]; asked: SeenRequest[] }> {
  await using server = await openLoopback((request, response) => {
    const place = `${request.host.replace('.sim.test', '')}${decodeURIComponent(request.url.split('?')[0] ?? '')}`;
    const answer = routes[place];
    if (answer === undefined) return void response.writeHead(404).end('Resource not found.');
    if (typeof answer === 'string' || Buffer.isBuffer(answer)) return void response.end(answer);
    return void response
      .writeHead(answer.status, { 'content-type': answer.type ?? 'application/json' })
      .end(answer.body);
  });
  await using client = loopbackClient(server);
  const services = new Services({ baseUrls: baseUrlsBelow('sim.test', 'http'), keys: context.keys ?? KEYS });
  const resolver = RESOLVERS.find((each) => each.name === name);
  assert.ok(resolver);
  const findings = await Array.fromAsync(
    resolver.plans(about, {
      services,
      lookups: new Lookups(client.send, services),
      contact: CONTACT,
      attempted: new Map(),
      thorough: true,
      ...context,
    }),
  );
  return {
    plans: findings.flatMap((finding) => (finding.kind === 'plan' ? [finding.plan] : [])),
    problems: findings.filter(({ kind }) => kind === 'problem'),
    asked: server.requests,
  };
}

const shown = ({ plans }: { readonly plans: readonly Plan[] }): string[] =>
  plans.map(({ expect, url }) => `${expect} ${url}`);

test('openalex: files of open locations, the best first', { skip }, async () => {
  const page = load('openalex/works-search-page1.json') as { results: unknown[] };
  for (const record of page.results) {
    const about = parseOpenAlexWork(record);
    assert.ok(about);
    const { plans } = await ask('openalex', about, {});
    assert.equal(plans.length, new Set(about.locations.filter(({ isOpen, pdfUrl }) => isOpen && pdfUrl !== null)).size);
  }
  const full = parseOpenAlexWork(load('openalex/work-by-doi-full-a.json'));
  assert.ok(full);
  assert.deepEqual(shown(await ask('openalex', full, {})), []);
  const pages = await ask('landing_page', full, {});
  assert.equal(pages.plans[0]?.url, 'https://doi.org/10.1016/j.xgen.2025.100814');
  assert.equal(pages.plans[0]?.expect, 'landing');
  assert.equal(pages.plans[0]?.license?.slug, 'cc-by');
});

test('openalex_content: needs a key, which stays with its origin', async () => {
  const about = work('W12', { content: { pdf: true, tei: true } });
  const { plans } = await ask('openalex_content', about, {});
  assert.deepEqual(
    plans.map(({ url }) => url),
    ['http://content.openalex.org.sim.test/works/W12.pdf', 'http://content.openalex.org.sim.test/works/W12.grobid-xml'],
  );
  assert.equal(plans[0]?.credentials[0]?.origin, 'http://content.openalex.org.sim.test');
  assert.ok(!JSON.stringify(plans).includes('key-openalex'));
  assert.equal(plans[0]?.credits, 100);
  const without = await ask('openalex_content', about, {}, { keys: {} });
  assert.deepEqual([without.plans.length, without.problems.length], [0, 1]);
  assert.deepEqual((await ask('openalex_content', work('W12'), {})).plans, []);
});

test('unpaywall: files, or pages where there is no file; the contact goes along', { skip }, async () => {
  for (const [name, doi] of [
    ['a', '10.1016/j.xgen.2025.100814'],
    ['c', '10.1016/j.addr.2015.01.008'],
  ] as const) {
    const record = unpaywallRecord.parse(load(`unpaywall/doi-lookup-${name}.json`));
    const result = await ask('unpaywall', work(doi), {
      [`api.unpaywall.org/v2/${doi}`]: fixture(`unpaywall/doi-lookup-${name}.json`),
    });
    assert.ok(result.plans.length > 0);
    assert.equal(result.plans[0]?.version, 'publishedVersion');
    assert.equal(result.plans[0]?.hostType, 'publisher');
    const hasFile = record.oa_locations?.some(({ url_for_pdf: url }) => url !== null);
    assert.ok(result.plans.every(({ expect }) => expect === (hasFile ? 'pdf' : 'landing')));
    assert.match(result.asked[0]?.url ?? '', /email=someone%40university\.edu/);
  }
  assert.deepEqual((await ask('unpaywall', work('10.1000/none'), {})).problems, []);
  assert.deepEqual((await ask('unpaywall', work('10.1000/x'), {}, { contact: null })).asked, []);
  const refused = await ask('unpaywall', work('10.1000/x'), {
    'api.unpaywall.org/v2/10.1000/x': { status: 422, body: '{"message":"email"}' },
  });
  assert.equal(refused.problems.length, 1);
});

test('crossref: every link but those for similarity checks, a 404 in plain text is no error', { skip }, async () => {
  const doi = '10.1371/journal.pone.0033693';
  const recorded = await ask('crossref', work(doi), {
    [`api.crossref.org/works/${doi}`]: fixture('crossref/work-by-doi.json'),
  });
  assert.deepEqual([recorded.plans, recorded.problems], [[], []]);
  const link = (URL: string, type: string, version: string, use = 'text-mining'): object => ({
    URL,
    'content-type': type,
    'content-version': version,
    'intended-application': use,
  });
  const body = JSON.stringify({
    status: 'ok',
    message: {
      link: [
        link('https://p.example/x', 'unspecified', 'vor'),
        link('https://p.example/x.xml', 'text/xml', 'vor'),
        link('https://p.example/am.pdf', 'application/pdf', 'am'),
        link('https://p.example/vor.pdf', 'application/pdf', 'vor'),
        link('https://p.example/check.pdf', 'application/pdf', 'vor', 'similarity-checking'),
        link('https://api.elsevier.com/content/article/PII:1', 'text/xml', 'vor'),
      ],
      license: [
        { URL: 'https://creativecommons.org/licenses/by/4.0/', 'content-version': 'vor' },
        { URL: 'https://p.example/tdm', 'content-version': 'tdm' },
      ],
    },
  });
  const made = await ask('crossref', work('10.5555/a#b'), { 'api.crossref.org/works/10.5555/a#b': body });
  assert.deepEqual(shown(made), [
    'any https://p.example/vor.pdf',
    'any https://p.example/am.pdf',
    'xml https://p.example/x.xml',
    'any https://p.example/x',
  ]);
  assert.deepEqual(
    made.plans.map(({ version }) => version),
    ['publishedVersion', 'acceptedVersion', 'publishedVersion', 'publishedVersion'],
  );
  assert.equal(made.plans[0]?.license?.slug, 'cc-by');
  for (const item of (load('crossref/works-cursor-page.json') as { message: { items: unknown[] } }).message.items)
    crossrefWork.parse(item);
  const missing = { status: 404, body: fixture('crossref/work-404.txt'), type: 'text/plain' };
  assert.deepEqual(
    (await ask('crossref', work('10.1371/notarealdoi'), { 'api.crossref.org/works/10.1371/notarealdoi': missing }))
      .problems,
    [],
  );
  for (const name of ['works-400-validation', 'works-bad-cursor'])
    assert.equal(crossrefAnswer.safeParse(load(`crossref/${name}.json`)).success, false);
  const wrong = await ask('crossref', work(doi), {
    [`api.crossref.org/works/${doi}`]: { status: 400, body: fixture('crossref/works-400-validation.json') },
  });
  assert.equal(wrong.problems.length, 1);
});

test('doi: the page behind it, and what negotiation answers can be read', { skip }, async () => {
  assert.deepEqual(shown(await ask('doi', work('10.1002/(sici)1<2>#'), {})), [
    'landing http://doi.org.sim.test/10.1002/(sici)1%3C2%3E%23',
  ]);
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from(fixture('doi/crossref-transform-bibtex.txt')));
  }
  const [cited] = await Array.fromAsync(parseWorks(bytes(), 'bibtex'));
  assert.equal(cited?.kind === 'work' && cited.work.ids.doi, '10.1126/science.169.3946.635');
  await using server = await openLoopback((request, response) => {
    if (request.host === 'doi.test')
      response
        .writeHead(302, { location: 'http://crossref.test/transform' })
        .end(fixture('doi/doi-302-to-crossref-transform.html'));
    else response.end('there');
  });
  await using client = loopbackClient(server);
  const result = await client.send({ url: new URL('http://doi.test/10.1126/science.169.3946.635') });
  assert.equal(result.kind === 'response' && result.response.body.toString(), 'there');
});

test('arxiv: the PDF for programs, the version when one was named', async () => {
  assert.deepEqual(shown(await ask('arxiv', work('arXiv:1706.03762'), {})), [
    'pdf http://export.arxiv.org.sim.test/pdf/1706.03762',
  ]);
  assert.deepEqual(shown(await ask('arxiv', work('math.CA/0611800v2'), {})), [
    'pdf http://export.arxiv.org.sim.test/pdf/math/0611800v2',
  ]);
  assert.deepEqual((await ask('arxiv', work('10.1000/182'), {})).plans, []);
});

test('arxiv: every recorded feed is read, errors and hostile XML are empty feeds', { skip }, () => {
  assert.deepEqual(readArxivFeed(fixture('arxiv/id-versioned.xml')), [
    { id: { id: '2104.12255', version: 1 }, title: '0', doi: null },
  ]);
  assert.equal(readArxivFeed(fixture('arxiv/id-new-style.xml'))[0]?.id.id, '1605.08386');
  assert.deepEqual(readArxivFeed(fixture('arxiv/id-unknown-empty.xml')), []);
  assert.equal(readArxivFeed(fixture('arxiv/search-page-0.xml')).length, 10);
  assert.deepEqual(
    readArxivFeed('<feed><entry><id>https://arxiv.org/api/errors#x</id><title>Error</title></entry></feed>'),
    [],
  );
  const hostile = join(FIXTURES, '../../hostile/open/markup');
  for (const name of globSync('x*.xml', { cwd: hostile }))
    assert.deepEqual(readArxivFeed(readFileSync(join(hostile, name), 'utf8')), [], name);
});

test('europe_pmc: XML first, then open PDFs; an error in a 200 is a problem', { skip }, async () => {
  const result = await ask('europe_pmc', work('PMC12938590'), {
    'www.ebi.ac.uk/europepmc/webservices/rest/search': fixture('europepmc/search-core.json'),
  });
  assert.deepEqual(shown(result).slice(0, 2), [
    'xml http://www.ebi.ac.uk.sim.test/europepmc/webservices/rest/PMC12938590/fullTextXML',
    'pdf https://europepmc.org/articles/PMC12938590?pdf=render',
  ]);
  assert.equal(result.plans[0]?.license?.slug, 'cc-by');
  assert.match(result.asked[0]?.url ?? '', /resultType=core/);
  const failed = await ask('europe_pmc', work('10.1000/x'), {
    'www.ebi.ac.uk/europepmc/webservices/rest/search': '{"errCode":404,"errMsg":"Invalid page size provided."}',
  });
  assert.equal(failed.problems.length, 1);
});

test('pmc: the cloud service, its latest version, its checksums', { skip }, async () => {
  const listing =
    '<ListBucketResult><CommonPrefixes><Prefix>PMC1817752.1/</Prefix></CommonPrefixes><CommonPrefixes><Prefix>PMC1817752.2/</Prefix></CommonPrefixes></ListBucketResult>';
  const routes = {
    'pmc-oa-opendata.s3.amazonaws.com/': listing,
    'pmc-oa-opendata.s3.amazonaws.com/metadata/PMC1817752.2.json': fixture('pmc/s3-metadata.json'),
    'pmc.ncbi.nlm.nih.gov/tools/idconv/api/v1/articles/':
      '{"status":"ok","records":[{"requested-id":"17375194","pmcid":"PMC1817752"}]}',
  };
  for (const id of ['PMC1817752', 'pmid:17375194']) {
    const result = await ask('pmc', work(id), routes);
    assert.deepEqual(shown(result), [
      'pdf http://pmc-oa-opendata.s3.amazonaws.com.sim.test/PMC1817752.1/PMC1817752.1.pdf',
      'xml http://pmc-oa-opendata.s3.amazonaws.com.sim.test/PMC1817752.1/PMC1817752.1.xml',
    ]);
    assert.deepEqual(result.plans[0]?.checksum, { algorithm: 'md5', hex: '8ef76029f7b5866bc3d97a942acc7e05' });
    assert.equal(result.plans[0]?.license?.slug, 'cc-by');
  }
  const unknown = await ask('pmc', work('pmid:1'), {
    'pmc.ncbi.nlm.nih.gov/tools/idconv/api/v1/articles/':
      '{"status":"ok","records":[{"requested-id":"1","status":"error","errmsg":"not found"}]}',
  });
  assert.deepEqual([unknown.plans, unknown.problems], [[], []]);
});

test('biorxiv: the latest version on whichever server has it', { skip }, async () => {
  const recorded = biorxivDetails.parse(load('biorxiv/details-interval.json'));
  assert.equal(recorded.collection.length, 100);
  const collection = [
    { doi: '10.1101/029900', version: '1', license: 'cc_by' },
    { doi: '10.1101/029900', version: '3', license: 'cc_by' },
  ];
  const result = await ask('biorxiv', work('10.1101/029900'), {
    'api.biorxiv.org/details/biorxiv/10.1101/029900/na/json':
      '{"messages":[{"status":"no posts found"}],"collection":[]}',
    'api.biorxiv.org/details/medrxiv/10.1101/029900/na/json': JSON.stringify({ collection }),
  });
  assert.deepEqual(shown(result), ['pdf http://www.medrxiv.org.sim.test/content/10.1101/029900v3.full.pdf']);
  assert.equal(result.plans[0]?.version, 'submittedVersion');
  assert.deepEqual((await ask('biorxiv', work('10.1000/x'), {})).asked, []);
});

test('semantic_scholar: a candidate of unknown kind, with the key in its header', { skip }, async () => {
  const doi = '10.1016/j.xgen.2025.100814';
  const result = await ask('semantic_scholar', work(doi), {
    [`api.semanticscholar.org/graph/v1/paper/DOI:${doi}`]: fixture('semanticscholar/paper-by-doi-a.json'),
  });
  assert.deepEqual(shown(result), [`any https://doi.org/${doi}`]);
  assert.equal(result.plans[0]?.license?.slug, 'cc-by');
  assert.equal(result.asked[0]?.headers['x-api-key'], 'key-s2');
  const page = load('semanticscholar/search-open-access-pdf.json') as { data: unknown[] };
  for (const paper of page.data) semanticScholarPaper.parse(paper);
  const missing = { status: 404, body: fixture('semanticscholar/paper-404.json') };
  assert.deepEqual(
    (await ask('semantic_scholar', work('pmid:7'), { 'api.semanticscholar.org/graph/v1/paper/PMID:7': missing }))
      .problems,
    [],
  );
  const closed = '{"openAccessPdf":{"url":"https://x.example/","status":"CLOSED"}}';
  assert.deepEqual(
    (await ask('semantic_scholar', work('pmid:8'), { 'api.semanticscholar.org/graph/v1/paper/PMID:8': closed })).plans,
    [],
  );
});

test('core: needs its key, asks with a slash and passes abstract pages of arXiv over', { skip }, async () => {
  const recorded = coreAnswer.parse(load('core/search-works.json'));
  const doi = recorded.results[0]?.doi ?? '';
  const result = await ask('core', work(doi), { 'api.core.ac.uk/v3/search/works/': fixture('core/search-works.json') });
  assert.deepEqual(result.plans, []);
  assert.equal(result.asked[0]?.headers.authorization, 'Bearer key-core');
  const body = JSON.stringify({
    results: [
      {
        doi: doi.toUpperCase(),
        downloadUrl: 'https://core.ac.uk/download/1.pdf',
        sourceFulltextUrls: 'https://repo.example/1',
      },
      { doi: '10.1000/other', downloadUrl: 'https://core.ac.uk/download/2.pdf' },
    ],
  });
  assert.deepEqual(shown(await ask('core', work(doi), { 'api.core.ac.uk/v3/search/works/': body })), [
    'any https://core.ac.uk/download/1.pdf',
    'any https://repo.example/1',
  ]);
  assert.equal((await ask('core', work(doi), {}, { keys: {} })).problems.length, 1);
});

test('doaj: the query is part of the path, links are pages unless they say otherwise', { skip }, async () => {
  const doi = '10.3389/fpsyg.2021.700180';
  const result = await ask('doaj', work(doi), {
    [`doaj.org/api/v4/search/articles/doi:"${doi}"`]: fixture('doaj/search-articles-v4.json'),
  });
  assert.deepEqual(shown(result), [`landing https://www.frontiersin.org/articles/${doi}/full`]);
});

test('hal: the main file, asked for in quotes', { skip }, async () => {
  const result = await ask('hal', work('10.1007/978-3-031-03948-5_7'), {
    'api.archives-ouvertes.fr/search/': fixture('hal/search-docs.json'),
  });
  assert.ok(result.plans.length > 0);
  assert.equal(result.plans[0]?.url, 'https://hal.science/hal-04637647/document');
  assert.match(decodeURIComponent(result.asked[0]?.url ?? ''), /q=doiId_s:"10\.1007/);
  assert.match(
    decodeURIComponent((await ask('hal', work('hal-04637647'), {})).asked[0]?.url ?? ''),
    /q=halId_s:"hal-04637647"/,
  );
});

test('zenodo: open PDFs with their checksums, by record or by search', { skip }, async () => {
  const search = load('zenodo/records-search.json') as { hits: { hits: { id: number }[] } };
  const record = search.hits.hits.find(({ id }) => id === 10_635_481);
  const expected = 'pdf https://zenodo.org/api/records/10635481/files/v2n1a04.pdf/content';
  const own = await ask(
    'zenodo',
    work('10.5281/zenodo.10635481'),
    { 'zenodo.org/api/records/10635481': JSON.stringify(record) },
    { thorough: false },
  );
  assert.deepEqual(shown(own), [expected]);
  assert.deepEqual(own.plans[0]?.checksum, { algorithm: 'md5', hex: 'cd464ba5808b8e0e2ac5994824820cb4' });
  assert.deepEqual([own.plans[0]?.license?.slug, own.plans[0]?.license?.ccVersion], ['cc-by', '4.0']);
  const searched = await ask('zenodo', work('10.1000/x'), {
    'zenodo.org/api/records': fixture('zenodo/records-search.json'),
  });
  assert.equal(shown(searched)[0], expected);
  assert.deepEqual((await ask('zenodo', work('10.1000/x'), {}, { thorough: false })).asked, []);
  const closed = JSON.stringify({ ...record, metadata: { access_right: 'restricted' } });
  assert.deepEqual(
    (await ask('zenodo', work('10.5281/zenodo.10635481'), { 'zenodo.org/api/records/10635481': closed })).plans,
    [],
  );
});

test('figshare: search, then the deposit with its files', async () => {
  const files = [
    { name: 'a.csv', download_url: 'https://ndownloader.figshare.com/files/1' },
    {
      name: 'paper.pdf',
      download_url: 'https://ndownloader.figshare.com/files/2',
      computed_md5: 'f'.repeat(32),
      is_link_only: false,
    },
  ];
  const routes = {
    'api.figshare.com/v2/articles/search': '[{"id":5,"title":"light"}]',
    'api.figshare.com/v2/articles/5': JSON.stringify({
      files,
      license: { value: 1, name: 'CC BY 4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
    }),
  };
  const own = await ask('figshare', work('10.6084/m9.figshare.5.v2'), routes, { thorough: false });
  assert.deepEqual(shown(own), ['pdf https://ndownloader.figshare.com/files/2']);
  assert.equal(own.asked[0]?.body, '{"doi":"10.6084/m9.figshare.5"}');
  assert.equal(own.plans[0]?.license?.slug, 'cc-by');
  const other = await ask('figshare', work('10.1000/x'), routes);
  assert.equal(other.asked[0]?.body, '{"resource_doi":"10.1000/x"}');
});

test('osf: from the guid in the DOI over two hops to the file', { skip }, async () => {
  osfFiles.parse(load('osf/files-list.json'));
  const [file] = (load('osf/files-list.json') as { data: unknown[] }).data;
  const preprint = {
    data: {
      attributes: { is_published: true, date_withdrawn: null, license_record: null },
      relationships: {
        primary_file: { links: { related: { href: 'https://evil.example/v2/files/5d4ef38e4e90e100146f7f41/' } } },
      },
    },
  };
  const routes = {
    'api.osf.io/v2/preprints/ab3de/': JSON.stringify(preprint),
    'api.osf.io/v2/files/5d4ef38e4e90e100146f7f41/': JSON.stringify({ data: file }),
  };
  const result = await ask('osf', work('10.31219/osf.io/ab3de'), routes);
  assert.deepEqual(shown(result), ['pdf https://test.osf.io/download/bexrz/']);
  assert.equal(result.plans[0]?.checksum?.algorithm, 'sha256');
  assert.ok(
    result.asked.every(
      ({ host, headers }) => host === 'api.osf.io.sim.test' && headers.authorization === 'Bearer key-osf',
    ),
  );
  const withdrawn = {
    data: { attributes: { ...preprint.data.attributes, date_withdrawn: '2026-01-01' }, relationships: {} },
  };
  assert.deepEqual(
    (await ask('osf', work('10.31219/osf.io/ab3de'), { 'api.osf.io/v2/preprints/ab3de/': JSON.stringify(withdrawn) }))
      .plans,
    [],
  );
});

test('openaire: addresses of open instances, but not the DOI once more', { skip }, async () => {
  const result = await ask('openaire', work('10.1089/crispr.2020.0030'), {
    'api.openaire.eu/graph/v3/research-products': fixture('openaire/graph-v3-research-products.json'),
  });
  assert.ok(result.plans.length > 0);
  assert.ok(result.plans.every(({ url }) => !url.includes('//doi.org/')));
  assert.match(result.asked[0]?.url ?? '', /pid=10\.1089%2Fcrispr/);
});

test('wayback: captures of files that are gone, by the quick index or the full one', { skip }, async () => {
  assert.equal(readCdx(fixture('wayback/cdx-text-with-resume-key.txt')).length, 3);
  assert.deepEqual(readCdx('[]'), []);
  const location = {
    landingUrl: null,
    isOpen: true,
    license: null,
    version: 'publishedVersion',
    hostType: 'publisher',
  } as const;
  const about = work('W1', {
    locations: [
      { ...location, pdfUrl: 'https://dead.example/a.pdf?x=1' },
      { ...location, pdfUrl: 'https://walled.example/b.pdf' },
    ],
  });
  const attempted = new Map([
    ['https://dead.example/a.pdf?x=1', 'not-found'],
    ['https://walled.example/b.pdf', 'blocked-login'],
    ['https://page.example/', 'timeout'],
  ]);
  const cdx = JSON.stringify([
    ['timestamp', 'original', 'mimetype', 'statuscode', 'digest'],
    ['20200102030405', 'x', 'application/pdf', '200', 'D'],
  ]);
  const full = await ask(
    'wayback',
    about,
    { 'archive.org/wayback/available': '{"archived_snapshots":{}}', 'web.archive.org/cdx/search/cdx': cdx },
    { attempted },
  );
  assert.deepEqual(shown(full), [
    'pdf http://web.archive.org.sim.test/web/20200102030405id_/https://dead.example/a.pdf?x=1',
    'pdf http://web.archive.org.sim.test/web/20200102030405id_/https://page.example/',
  ]);
  assert.equal(full.plans[0]?.version, 'publishedVersion');
  assert.equal(full.plans[0]?.hostType, 'archive');
  const quick =
    '{"archived_snapshots":{"closest":{"status":"200","available":true,"url":"http://web.archive.org/web/20240102030405/x","timestamp":"20240102030405"}}}';
  const found = await ask('wayback', about, { 'archive.org/wayback/available': quick }, { attempted: new Map() });
  assert.equal(found.plans.length, 2);
  assert.ok(found.asked.every(({ url }) => !url.includes('cdx')));
});

test('a service that fails is a problem, one that asks to wait names the moment', async () => {
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
  assert.equal(names({}).length, 19);
  assert.deepEqual(names({ preset: 'fast' }), [...PRESETS.fast]);
  assert.deepEqual(names({ preset: 'fast', disable: ['arxiv'], enable: ['hal'] }), [
    'openalex',
    'europe_pmc',
    'pmc',
    'biorxiv',
    'unpaywall',
    'landing_page',
    'hal',
  ]);
  assert.deepEqual(names({ order: ['wayback', 'arxiv'] }).slice(0, 3), ['wayback', 'arxiv', 'openalex']);
  const own = { name: 'mine', async *plans(): AsyncGenerator<Finding> {} };
  assert.ok(names({ extra: [own] }).includes('mine'));
  assert.throws(() => names({ disable: ['nobody'] }), { code: 'CONFIG_RESOLVER_UNKNOWN' });
});

test('plans come lazily, each URL once, and a bare id is looked up first', async () => {
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

test('a work known by its arXiv id only is looked up there', async () => {
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

test('limits of the services stay within what is documented, and move with their hosts', () => {
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
  assert.deepEqual(pool('biorxiv_sites').hosts, ['www.biorxiv.org.sim.test', 'www.medrxiv.org.sim.test']);
  assert.deepEqual(pool('zenodo_search').hosts, []);
  for (const [name, perHour] of [
    ['osf', 100],
    ['openaire', 60],
  ] as const) {
    assert.ok((pool(name).burst ?? 1) + pool(name).perSecond * 3600 <= perHour, name);
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
