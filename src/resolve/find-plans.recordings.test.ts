import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Routes } from '../../test/support/ask-resolver.ts';
import { ask, CONTACT, sent, shown, work } from '../../test/support/ask-resolver.ts';
import type { Work } from '../works/index.ts';
import { parseOpenAlexWork } from '../works/index.ts';
import { readArxivFeed } from './find-plans.ts';
import { decodePage, readLandingPage } from './index.ts';

// Real responses of the services, recorded by others and not part of the project: each with its work, the request that
// the resolver must send, and the plans that it must find. Reviewed line by line.

const FIXTURES = join(import.meta.dirname, '../../../shared/data/api-fixtures/open');
const skip = existsSync(FIXTURES) ? false : `${FIXTURES} is absent`;
const read = (name: string): string => readFileSync(join(FIXTURES, name), 'utf8');
/** Recorded JSON of any shape. */
// oxlint-disable-next-line typescript/no-explicit-any
const load = (name: string): any => JSON.parse(read(name));

interface Line {
  readonly file: string;
  readonly resolver: string;
  readonly about: Work;
  readonly routes: Routes;
  readonly sends: string;
  readonly plans: readonly string[];
}

const render = (pmcid: string): string[] => [
  `xml https://www.ebi.ac.uk/europepmc/webservices/rest/${pmcid}/fullTextXML`,
  `pdf https://europepmc.org/articles/${pmcid}?pdf=render`,
];

function crossref(name: string, plans: readonly string[]): Line {
  const file = `crossref/${name}.json`;
  const doi = String(load(file).message.DOI).toLowerCase();
  const path = `api.crossref.org/works/${doi}`;
  const sends = `GET https://${path}?mailto=${CONTACT}`;
  return { file, resolver: 'crossref', about: work(doi), routes: { [path]: read(file) }, sends, plans };
}

function unpaywall(name: string, plans: readonly string[]): Line {
  const file = `unpaywall/doi-lookup-${name}.json`;
  const { doi } = load(file);
  const path = `api.unpaywall.org/v2/${doi}`;
  const sends = `GET https://${path}?email=${CONTACT}`;
  return { file, resolver: 'unpaywall', about: work(doi), routes: { [path]: read(file) }, sends, plans };
}

function semanticScholar(name: string, plans: readonly string[]): Line {
  const file = `semanticscholar/${name}.json`;
  const doi = String(load(file).externalIds.DOI).toLowerCase();
  const path = `api.semanticscholar.org/graph/v1/paper/DOI:${doi}`;
  const sends = `GET https://${path}?fields=title,externalIds,isOpenAccess,openAccessPdf`;
  return { file, resolver: 'semantic_scholar', about: work(doi), routes: { [path]: read(file) }, sends, plans };
}

const EUROPE = 'www.ebi.ac.uk/europepmc/webservices/rest/search';

function europePmc(name: string, id: string, plans: readonly string[]): Line {
  const file = `europepmc/${name}.json`;
  const query = id.startsWith('PMC') ? `PMCID:${id}` : `DOI:"${id}"`;
  const sends = `GET https://${EUROPE}?query=${query.replace(' ', '+')}&resultType=core&format=json&pageSize=5`;
  return { file, resolver: 'europe_pmc', about: work(id), routes: { [EUROPE]: read(file) }, sends, plans };
}

function doaj(name: string, doi: string, plans: readonly string[]): Line {
  const file = `doaj/search-articles-${name}.json`;
  const path = (id: string): string => `doaj.org/api/v4/search/articles/doi:"${id}"`;
  const routes = { [path(doi.toLowerCase())]: '{"results":[]}', [path(doi)]: read(file) };
  return {
    file,
    resolver: 'doaj',
    about: work(doi),
    routes,
    sends: `GET https://${path(doi.toLowerCase())}?pageSize=5`,
    plans,
  };
}

function hal(name: string, id: string, plans: readonly string[]): Line {
  const file = `hal/${name}.json`;
  const doi = id.toLowerCase();
  const query = id.startsWith('hal-') ? `halId_s:"${id}"` : `doiId_s:"${doi}"+OR+doiId_id:"${doi}"`;
  const fields = 'halId_s,doiId_s,title_s,authFullName_s,fileMain_s,files_s,licence_s,linkExtId_s,linkExtUrl_s';
  const sends = `GET https://api.archives-ouvertes.fr/search/?q=${query}&fl=${fields}&wt=json&rows=5`;
  return {
    file,
    resolver: 'hal',
    about: work(id),
    routes: { 'api.archives-ouvertes.fr/search/': read(file) },
    sends,
    plans,
  };
}

function openaire(doi: string, plans: readonly string[]): Line {
  const file = 'openaire/graph-v3-research-products.json';
  const path = 'api.openaire.eu/graph/v3/research-products';
  return {
    file,
    resolver: 'openaire',
    about: work(doi),
    routes: { [path]: read(file) },
    sends: `GET https://${path}?pid=${doi}&pageSize=5`,
    plans,
  };
}

function zenodo(name: string, id: number, plans: readonly string[]): Line {
  const file = `zenodo/${name}.json`;
  const record = load(file).hits.hits.find((each: { readonly id: number }) => each.id === id);
  const path = `zenodo.org/api/records/${id}`;
  return {
    file,
    resolver: 'zenodo',
    about: work(`10.5281/zenodo.${id}`),
    routes: { [path]: JSON.stringify(record) },
    sends: `GET https://${path}`,
    plans,
  };
}

/** The n-th record in a file from OpenAlex. */
function openalex(name: string, at: number, resolver: string, plans: readonly string[]): Line {
  const file = `openalex/${name}.json`;
  const data = load(file);
  const about = parseOpenAlexWork((data.results ?? [data].flat())[at]);
  assert.ok(about, `${file} ${at}`);
  return { file, resolver, about, routes: {}, sends: '', plans };
}

function* lines(): Generator<Line> {
  // Links for similarity checks, and text-mining licences, do not make a work open.
  yield crossref('work-978-3-030-64953-1-4', []);
  yield crossref('work-aip-1-4938384', []);
  yield crossref('work-biorxiv-preprint', []);
  yield crossref('work-by-doi', ['landing https://dx.plos.org/10.1371/journal.pone.0033693']);
  yield crossref('work-elsevier-tdm', ['landing https://doi.org/10.31222/osf.io/jb4dx']);
  yield crossref('work-pnas-1205508109', []);
  yield crossref('work-s1047951103000064', []);
  yield openalex('svp-with-hal-locations', 0, 'openalex', []);
  yield openalex('titlesearch-chemcrow', 0, 'openalex', ['pdf https://www.nature.com/articles/s42256-024-00832-8.pdf']);
  yield openalex('titlesearch-chemcrow', 0, 'landing_page', []);
  yield openalex('titlesearch-chemcrow', 1, 'openalex', []);
  yield openalex('titlesearch-chemcrow', 1, 'arxiv', ['pdf https://export.arxiv.org/pdf/2304.05376']);
  yield openalex('titlesearch-chemcrow', 1, 'doi', []);
  yield openalex('work-by-doi-full-a', 0, 'openalex', []);
  yield openalex('work-by-doi-full-a', 0, 'landing_page', ['landing https://doi.org/10.1016/j.xgen.2025.100814']);
  yield openalex('work-springer-closed', 0, 'landing_page', []);
  yield openalex('works-search-page1', 0, 'openalex', []);
  yield openalex('works-search-page1', 1, 'openalex', [
    'pdf https://link.springer.com/content/pdf/10.1007/s41095-022-0271-y.pdf',
  ]);
  yield openalex('works-search-page1', 1, 'arxiv', ['pdf https://export.arxiv.org/pdf/2111.07624']);
  yield openalex('works-search-page1', 2, 'openalex', []);
  yield unpaywall('a', [
    'landing https://doi.org/10.1016/j.xgen.2025.100814',
    'pdf https://europepmc.org/articles/PMC12008803?pdf=render',
  ]);
  yield unpaywall('c', ['landing https://doi.org/10.1016/j.addr.2015.01.008']);
  yield unpaywall('springer-closed', []);
  yield semanticScholar('paper-1023', []);
  yield semanticScholar('paper-arxiv', ['pdf https://export.arxiv.org/pdf/2312.07559']);
  yield semanticScholar('paper-by-doi-a', [
    'landing https://doi.org/10.1016/j.xgen.2025.100814',
    'pdf https://europepmc.org/articles/PMC12008803?pdf=render',
  ]);
  yield semanticScholar('paper-nmi', [
    'any https://www.nature.com/articles/s42256-024-00832-8.pdf',
    'pdf https://export.arxiv.org/pdf/2304.05376',
    'pdf https://europepmc.org/articles/PMC11116106?pdf=render',
  ]);
  const coreDoi = '10.1109/icassp.2019.8683483';
  yield {
    file: 'core/search-works.json',
    resolver: 'core',
    about: work(coreDoi),
    routes: { 'api.core.ac.uk/v3/search/works/': read('core/search-works.json') },
    sends: `GET https://api.core.ac.uk/v3/search/works/?q=doi:"${coreDoi}"&limit=3`,
    plans: ['pdf https://export.arxiv.org/pdf/1904.10788'],
  };
  yield europePmc('search-core', '10.1038/s41598-026-43147-x', []);
  yield europePmc('search-core', '10.3390/biomimetics11020103', render('PMC12938590'));
  yield europePmc('search-core', 'PMC13013079', render('PMC13013079'));
  yield europePmc('search-cancer-core', '10.1016/s0140-6736(24)02600-x', []);
  yield europePmc('search-cancer-core', '10.1016/s0140-6736(24)02716-8', render('PMC12124214').slice(1));
  yield europePmc('search-cancer-core', '10.1002/hpja.70059', render('PMC12120539'));
  yield europePmc('search-cancer-core', '10.1017/s1463423625100169', render('PMC12175096'));
  yield europePmc('search-preprint-removal', '10.1101/2020.01.30.927871', []);
  yield doaj('v4', '10.3389/fpsyg.2021.700180', [
    'landing https://www.frontiersin.org/articles/10.3389/fpsyg.2021.700180/full',
  ]);
  yield doaj('v4', '10.1109/JSTARS.2023.3339235', ['landing https://ieeexplore.ieee.org/document/10342786/']);
  yield doaj('v4', '10.3390/app14124996', ['landing https://www.mdpi.com/2076-3417/14/12/4996']);
  yield doaj('v2-ccby', '10.1038/s41467-020-15686-y', [
    'landing http://link.springer.com/article/10.1038/s41467-020-15686-y',
  ]);
  yield doaj('v2-ccby', '10.3980/j.issn.1672-5123.2015.10.16', [
    'any http://ies.ijo.cn/cn_publish/2015/10/201510016.pdf',
  ]);
  yield hal('search-docs', 'hal-04637647', ['pdf https://hal.science/hal-04637647/document']);
  yield hal('search-docs', '10.1007/978-3-031-03948-5_7', ['pdf https://inria.hal.science/hal-04178712/document']);
  yield hal('docs-with-files-and-external-links', 'hal-00002447', []);
  yield hal('docs-with-files-and-external-links', '10.1103/PhysRevB.80.195406', [
    'pdf https://hal.science/hal-00440439/document',
  ]);
  yield hal('docs-with-files-and-external-links', '10.1021/jp511070h', [
    'pdf https://hal.science/hal-01115164/document',
  ]);
  yield hal('docs-with-files-and-external-links', 'hal-01309285', []);
  yield openaire('10.1089/crispr.2020.0030', []);
  yield openaire('10.1089/crispr.2020.29092.rba', []);
  yield openaire('10.1089/crispr.2018.29027.gre', [
    'any https://www.liebertpub.com/doi/pdf/10.1089/crispr.2018.29027.gre',
  ]);
  yield zenodo('records-search', 10_635_481, ['pdf https://zenodo.org/api/records/10635481/files/v2n1a04.pdf/content']);
  yield zenodo('cldf-record', 5_173_799, []);
  yield zenodo('cldf-record-multifile', 7_085_903, []);
  const figshare = load('figshare/article-14763051.json');
  yield {
    file: 'figshare/article-14763051.json',
    resolver: 'figshare',
    about: work(figshare.doi),
    routes: {
      'api.figshare.com/v2/articles/search': '[{"id":14763051}]',
      'api.figshare.com/v2/articles/14763051': JSON.stringify(figshare),
    },
    sends: 'POST https://api.figshare.com/v2/articles/search',
    plans: [],
  };
  const bucket = 'pmc-oa-opendata.s3.amazonaws.com/';
  yield {
    file: 'pmc/s3-metadata.json',
    resolver: 'pmc',
    about: work('PMC1817752'),
    routes: {
      [bucket]: '<ListBucketResult><CommonPrefixes><Prefix>PMC1817752.1/</Prefix></CommonPrefixes></ListBucketResult>',
      [`${bucket}metadata/PMC1817752.1.json`]: read('pmc/s3-metadata.json'),
    },
    sends: `GET https://${bucket}?list-type=2&prefix=PMC1817752.&delimiter=/`,
    plans: [`pdf https://${bucket}PMC1817752.1/PMC1817752.1.pdf`, `xml https://${bucket}PMC1817752.1/PMC1817752.1.xml`],
  };
  const [registered] = load('datacite/dois-list.json').data;
  const desy = String(registered.attributes.doi).toLowerCase();
  yield {
    file: 'datacite/dois-list.json',
    resolver: 'datacite',
    about: work(desy),
    routes: {
      'doi.org/doiRA/10.3204': '[{"DOI":"10.3204","RA":"DataCite"}]',
      [`api.datacite.org/dois/${desy}`]: JSON.stringify({ data: registered }),
    },
    sends: 'GET https://doi.org/doiRA/10.3204',
    plans: ['landing http://bib-pubdb1.desy.de/record/165916', 'landing https://doi.org/10.1088/0067-0049/208/2/17'],
  };
  const preprints = load('biorxiv/details-interval.json').collection;
  const [posted] = preprints;
  yield {
    file: 'biorxiv/details-interval.json',
    resolver: 'biorxiv',
    about: work(posted.doi),
    routes: { [`api.biorxiv.org/details/biorxiv/${posted.doi}/na/json`]: JSON.stringify({ collection: preprints }) },
    sends: `GET https://api.biorxiv.org/details/biorxiv/${posted.doi}/na/json`,
    plans: [`pdf https://www.biorxiv.org/content/${posted.doi}v${posted.version}.full.pdf`],
  };
}

test('every recording: the request sent and the plans found', { skip }, async () => {
  for (const { file, resolver, about, routes, sends, plans } of lines()) {
    const found = await ask(resolver, about, routes);
    const title = `${file} ${resolver} ${about.id}`;
    assert.equal(sent(found)[0] ?? '', sends, title);
    assert.deepEqual([...new Set(shown(found))], plans, title);
    assert.deepEqual(found.problems, [], title);
  }
});

test('every recorded Crossref list: only works with an open licence are planned', { skip }, async () => {
  const { items } = load('crossref/works-cursor-page.json').message;
  let planned = 0;
  for (const message of items) {
    const doi = String(message.DOI).toLowerCase();
    const { plans } = await ask('crossref', work(doi), {
      [`api.crossref.org/works/${doi}`]: JSON.stringify({ status: 'ok', message }),
    });
    const isOpen = (message.license ?? []).some(
      (each: Record<string, string>) => each['content-version'] !== 'tdm' && /creativecommons/.test(each['URL'] ?? ''),
    );
    assert.equal(plans.length > 0, isOpen, doi);
    planned += plans.length;
  }
  assert.equal(planned, 1);
});

test('recorded errors and feeds are recognised', { skip }, async () => {
  const missing = { status: 404, body: read('crossref/work-404.txt'), type: 'text/plain' };
  const none = await ask('crossref', work('10.1371/notarealdoi'), {
    'api.crossref.org/works/10.1371/notarealdoi': missing,
  });
  assert.deepEqual([none.plans, none.problems], [[], []]);
  for (const [name, status] of [
    ['works-400-validation', 400],
    ['works-bad-cursor', 400],
  ] as const) {
    const failed = await ask('crossref', work('10.5555/x'), {
      'api.crossref.org/works/10.5555/x': { status, body: read(`crossref/${name}.json`) },
    });
    assert.equal(failed.problems.length, 1, name);
  }
  const unknown = { status: 404, body: read('semanticscholar/paper-404.json') };
  assert.deepEqual(
    (await ask('semantic_scholar', work('pmid:7'), { 'api.semanticscholar.org/graph/v1/paper/PMID:7': unknown }))
      .problems,
    [],
  );
  for (const paper of load('semanticscholar/search-open-access-pdf.json').data) {
    const { plans } = await ask('semantic_scholar', work('pmid:8'), {
      'api.semanticscholar.org/graph/v1/paper/PMID:8': JSON.stringify(paper),
    });
    const { url, status } = paper.openAccessPdf;
    assert.equal(plans.length, url !== '' && (status !== 'CLOSED' || url.includes('arxiv.org')) ? 1 : 0, url);
  }
  assert.equal(readArxivFeed(read('arxiv/id-new-style.xml'))?.[0]?.id.id, '1605.08386');
  assert.deepEqual(readArxivFeed(read('arxiv/id-versioned.xml'))?.[0]?.id, { id: '2104.12255', version: 1 });
  assert.deepEqual(readArxivFeed(read('arxiv/id-unknown-empty.xml')), []);
  assert.equal(readArxivFeed(read('arxiv/search-page-0.xml'))?.length, 10);
});

test('every recorded article page: its file, DOI, licence, and whether it is the full text', { skip }, () => {
  for (const [name, first, doi, license, isFullText] of [
    [
      'aps-physrevx-12-041027',
      'http://link.aps.org/pdf/10.1103/PhysRevX.12.041027',
      '10.1103/physrevx.12.041027',
      'cc-by',
      false,
    ],
    ['peerj', 'https://peerj.com/articles/4886.pdf', '10.7717/peerj.4886', 'cc-by', true],
    [
      'plos-one',
      'https://journals.plos.org/plosone/article/file?id=10.1371/journal.pone.0213978&type=printable',
      '10.1371/journal.pone.0213978',
      'cc-by',
      true,
    ],
    [
      'sciencedirect-s146290112300117x',
      /^https:\/\/www\.sciencedirect\.com\/science\/article\/pii\/S146290112300117X\/pdfft\?md5=/,
      '10.1016/j.envsci.2023.04.016',
      'cc-by',
      false,
    ],
    [
      'tandf-17453670810016597-2024',
      'https://www.tandfonline.com/doi/pdf/10.1080/17453670810016597',
      '10.1080/17453670810016597',
      null,
      true,
    ],
    ['cloudflare-challenge-acs', undefined, '10.1021/acscombsci.5b00087', null, false],
  ] as const) {
    const { request } = load(`landing/${name}.meta.json`);
    const page = readLandingPage(
      decodePage(readFileSync(join(FIXTURES, `landing/${name}.html`)), undefined),
      new URL(request.url),
    );
    const [link] = page.links;
    if (first instanceof RegExp) assert.match(link?.url ?? '', first, name);
    else assert.equal(link?.url, first, name);
    assert.deepEqual([page.doi, page.license?.slug ?? null, page.isFullText], [doi, license, isFullText], name);
  }
});
