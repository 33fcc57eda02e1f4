import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join, sep } from 'node:path';
import { test } from 'node:test';

import { SaxesParser } from 'saxes';

import { HeldClock } from '../../src/testing/index.ts';
import { SIM_KEYS } from '../server/run-state.ts';
import { Simulation } from '../server/simulation.ts';
import type { Work } from '../world/types.ts';
import type { Archetype } from '../world/work.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const FIXTURES = ['..', '../..']
  .map((up) => join(ROOT, up, 'shared', 'data', 'api-fixtures', 'open'))
  .find((folder) => existsSync(folder));
const AGENT = 'DocsToKG-TS/0.0 (+https://example.org; mailto:contract@sim.test)';

type Shape = Map<string, Set<string>>;

/** Field paths of JSON with the types seen at each; list items share one path, and so do the words of an abstract. */
function shapeOf(value: unknown, path = '$', shape: Shape = new Map()): Shape {
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  (shape.get(path) ?? shape.set(path, new Set()).get(path))?.add(type);
  if (Array.isArray(value)) for (const item of value) shapeOf(item, `${path}[]`, shape);
  else if (value !== null && typeof value === 'object')
    for (const [key, inner] of Object.entries(value))
      shapeOf(inner, `${path}.${path.endsWith('abstract_inverted_index') ? '*' : key}`, shape);
  return shape;
}

/** Element paths of XML, attributes as `@name`. */
function xmlShape(text: string): Shape {
  const shape: Shape = new Map();
  const path: string[] = [];
  const parser = new SaxesParser();
  parser.on('opentag', (tag) => {
    path.push(tag.name);
    shape.set(path.join('/'), new Set(['element']));
    for (const name of Object.keys(tag.attributes)) shape.set(`${path.join('/')}@${name}`, new Set(['attribute']));
  });
  parser.on('closetag', () => void path.pop());
  parser.write(text).close();
  return shape;
}

interface Contract {
  readonly name: string;
  readonly urls: (works: readonly Work[]) => readonly string[];
  readonly fixtures: readonly string[];
  /** Documented paths that are missing in the recording. */
  readonly documented?: readonly string[];
}

const at = (host: string, path: string): string => `http://${host}.sim.test${path}`;
const of = (works: readonly Work[], archetype: Archetype): Work[] =>
  works.filter((work) => work.archetype === archetype).slice(0, 8);
const encode = (work: Work): string => encodeURIComponent(work.doi ?? '');

const WHOLE_WORKS = [
  'openalex/work-by-doi-full-a.json',
  'openalex/svp-with-hal-locations.json',
  'openalex/work-springer-closed.json',
];
const WORKS_OF_CROSSREF = [
  'crossref/work-by-doi.json',
  'crossref/work-978-3-030-64953-1-4.json',
  'crossref/work-aip-1-4938384.json',
  'crossref/work-biorxiv-preprint.json',
  'crossref/work-elsevier-tdm.json',
  'crossref/work-pnas-1205508109.json',
  'crossref/work-s1047951103000064.json',
];

const JSON_CONTRACTS: readonly Contract[] = [
  {
    name: 'openalex /works',
    urls: () => [at('api.openalex.org', '/works?per_page=100&include_xpac=true')],
    fixtures: [
      'openalex/works-search-page1.json',
      'openalex/titlesearch-chemcrow.json',
      ...WHOLE_WORKS.map((file) => `${file}@$>$.results[]`),
    ],
    documented: [
      '$.results[].ids.pmcid',
      '$.results[].is_authors_truncated',
      '$.results[].primary_location:null',
      '$.results[].content_urls.pdf:null',
      '$.results[].content_urls.grobid_xml:null',
      '$.results[].locations[].landing_page_url:null',
      '$.results[].primary_location.landing_page_url:null',
      '$.results[].best_oa_location.landing_page_url:null',
      '$.results[].*.license:null',
      '$.results[].*.license_id:null',
      '$.results[].*.source.issn_l:null',
      '$.results[].*.source.issn:null',
      '$.results[].*.raw_source_name:null',
      '$.results[].*.raw_type:null',
    ],
  },
  {
    name: 'openalex /works/{id}',
    urls: (works) => works.slice(0, 30).map((work) => at('api.openalex.org', `/works/${work.id}`)),
    fixtures: [
      ...WHOLE_WORKS,
      'openalex/work-by-doi-select.json',
      'openalex/works-search-page1.json@$.results[]>$',
      'openalex/titlesearch-chemcrow.json@$.results[]>$',
    ],
    documented: [
      '$.ids.pmcid',
      '$.primary_location:null',
      '$.content_urls.pdf:null',
      '$.content_urls.grobid_xml:null',
      '$.*.landing_page_url:null',
      '$.*.license:null',
      '$.*.license_id:null',
      '$.*.source.issn_l:null',
      '$.*.source.issn:null',
      '$.*.raw_source_name:null',
      '$.*.raw_type:null',
    ],
  },
  {
    name: 'unpaywall /v2/{doi}',
    urls: (works) =>
      [...of(works, 'A1'), ...of(works, 'A6'), ...of(works, 'A13')]
        .filter(({ doi }) => doi !== null)
        .map((work) => at('api.unpaywall.org', `/v2/${encode(work)}?email=contract@sim.test`)),
    fixtures: [
      'unpaywall/doi-lookup-a.json',
      'unpaywall/doi-lookup-c.json',
      'unpaywall/doi-lookup-springer-closed.json',
    ],
    documented: ['$.*.url_for_pdf', '$.*.license:null'],
  },
  {
    name: 'crossref /works/{doi}',
    urls: (works) => of(works, 'A7').map((work) => at('api.crossref.org', `/works/${encode(work)}`)),
    fixtures: WORKS_OF_CROSSREF,
  },
  {
    name: 'crossref /works',
    urls: () => [at('api.crossref.org', '/works?query=robust&cursor=*')],
    fixtures: [
      'crossref/works-cursor-page.json',
      ...WORKS_OF_CROSSREF.map((file) => `${file}@$.message>$.message.items[]`),
    ],
  },
  {
    name: 'crossref 400',
    urls: (works) =>
      of(works, 'A7')
        .slice(0, 1)
        .map((work) => at('api.crossref.org', `/works/${encode(work)}?query.author=x`)),
    fixtures: ['crossref/works-400-validation.json'],
  },
  {
    name: 'crossref bad cursor',
    urls: () => [at('api.crossref.org', '/works?query=widget&cursor=thing')],
    fixtures: ['crossref/works-bad-cursor.json'],
  },
  {
    name: 'datacite /dois/{doi}',
    urls: (works) => of(works, 'A9-zenodo').map((work) => at('api.datacite.org', `/dois/${work.doi}`)),
    fixtures: ['datacite/dois-list.json@$.data[]>$.data'],
    documented: ['$.data.attributes.rightsList[]', '$.data.attributes.rightsList[].*'],
  },
  {
    name: 'europe pmc search',
    urls: (works) =>
      of(works, 'A5').map((work) =>
        at('www.ebi.ac.uk', `/europepmc/webservices/rest/search?query=PMCID:${work.pmcid}&resultType=core&format=json`),
      ),
    fixtures: [
      'europepmc/search-core.json',
      'europepmc/search-cancer-core.json',
      'europepmc/search-preprint-removal.json',
    ],
  },
  {
    name: 'semantic scholar paper',
    urls: (works) =>
      works
        .slice(0, 20)
        .filter(({ doi }) => doi !== null)
        .map((work) =>
          at(
            'api.semanticscholar.org',
            `/graph/v1/paper/DOI:${encode(work)}?fields=title,externalIds,isOpenAccess,openAccessPdf,year,venue,publicationTypes,publicationDate,journal,authors,url,citationCount`,
          ),
        ),
    fixtures: [
      'semanticscholar/paper-by-doi-a.json',
      'semanticscholar/paper-1023.json',
      'semanticscholar/paper-arxiv.json',
      'semanticscholar/paper-nmi.json',
      'semanticscholar/search-open-access-pdf.json@$.data[]>$',
    ],
    documented: ['$.openAccessPdf:null'],
  },
  {
    name: 'semantic scholar 404',
    urls: () => [at('api.semanticscholar.org', '/graph/v1/paper/0?fields=title')],
    fixtures: ['semanticscholar/paper-404.json'],
  },
  {
    name: 'core search',
    urls: (works) =>
      of(works, 'A8-core').map((work) => at('api.core.ac.uk', `/v3/search/works/?q=doi:%22${encode(work)}%22&limit=1`)),
    fixtures: ['core/search-works.json'],
  },
  {
    name: 'doaj search',
    urls: (works) => of(works, 'A8-doaj').map((work) => at('doaj.org', `/api/v4/search/articles/doi:${encode(work)}`)),
    fixtures: ['doaj/search-articles-v4.json'],
  },
  {
    name: 'hal search',
    urls: (works) =>
      of(works, 'A8-hal').map((work) => at('api.archives-ouvertes.fr', `/search/?q=doiId_s:%22${encode(work)}%22`)),
    fixtures: ['hal/search-docs.json', 'hal/docs-with-files-and-external-links.json'],
    documented: ['$.response.docs[].licence_s'],
  },
  {
    name: 'zenodo search',
    urls: (works) => of(works, 'A9-zenodo').map((work) => at('zenodo.org', `/api/records?q=doi:%22${work.doi}%22`)),
    fixtures: ['zenodo/records-search.json', 'zenodo/cldf-record.json', 'zenodo/cldf-record-multifile.json'],
  },
  {
    name: 'openaire products',
    urls: (works) =>
      of(works, 'A8-openaire').map((work) => at('api.openaire.eu', `/graph/v3/research-products?pid=${encode(work)}`)),
    fixtures: ['openaire/graph-v3-research-products.json'],
  },
  {
    name: 'biorxiv details',
    urls: (works) =>
      of(works, 'A10').map((work) =>
        at(
          'api.biorxiv.org',
          `/details/${work.locations[0]?.host.includes('medrxiv') ? 'medrxiv' : 'biorxiv'}/${work.doi}/na/json`,
        ),
      ),
    fixtures: ['biorxiv/details-interval.json'],
  },
  {
    name: 'pmc cloud metadata',
    urls: (works) =>
      of(works, 'A5')
        .filter(({ locations }) => locations.some(({ visibleIn }) => visibleIn.includes('pmc')))
        .map((work) => at('pmc-oa-opendata.s3.amazonaws.com', `/metadata/${work.pmcid}.1.json`)),
    fixtures: ['pmc/s3-metadata.json'],
    documented: ['$.pdf_url:null', '$.text_url:null'],
  },
  {
    name: 'figshare article',
    urls: (works) =>
      of(works, 'A9-figshare').map((work) =>
        at('api.figshare.com', `/v2/articles/${/figshare\.(\d+)$/.exec(work.doi ?? '')?.[1]}`),
      ),
    fixtures: ['figshare/article-14763051.json'],
    documented: ['$.embargo_type:null'],
  },
  {
    name: 'osf file',
    urls: (works) =>
      of(works, 'A9-osf').map((work) =>
        at('api.osf.io', `/v2/files/file${/osf\.io\/(.+)$/.exec(work.doi ?? '')?.[1]}/`),
      ),
    fixtures: ['osf/files-list.json@$.data[]>$.data', 'osf/files-list.json@$.meta>$.meta'],
  },
];

const XML_CONTRACTS: readonly Contract[] = [
  {
    name: 'arxiv api',
    urls: (works) => [
      at(
        'export.arxiv.org',
        `/api/query?id_list=${of(works, 'A4')
          .map(({ arxivId }) => arxivId)
          .join(',')}`,
      ),
      at('export.arxiv.org', '/api/query?id_list=0000.00000'),
    ],
    fixtures: [
      'arxiv/id-new-style.xml',
      'arxiv/id-unknown-empty.xml',
      'arxiv/search-page-0.xml',
      'arxiv/id-versioned.xml',
    ],
  },
];

/** Endpoints of the simulator without a recording. */
const WITHOUT_RECORDING = [
  'openalex /topics; errors 400, 401, 429',
  'openalex content: /works/{W}.pdf, .grobid-xml and their 401, 404',
  'unpaywall 404 and 422',
  'crossref 429',
  'doi.org /doiRA',
  'datacite errors',
  'arxiv error feeds, abs and html pages',
  'europe pmc errCode answers, fullTextXML',
  'pmc bucket listing and errors, idconv',
  'semantic scholar 429',
  'zenodo /records/{id}',
  'figshare /articles/search',
  'osf /preprints/{guid}',
  'openaire and biorxiv errors, openaire tokens',
  'springer nature, wiley and elsevier (all)',
  'wayback availability and JSON CDX',
];

async function get(simulation: Simulation, url: string): Promise<string> {
  const { host, pathname, search } = new URL(url);
  const key = Object.entries({ openalex: 'openalex', core: 'core', osf: 'osf', openaire: 'openaire' } as const).find(
    ([name]) => host.includes(name),
  )?.[1];
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port: simulation.port,
      path: pathname + search,
      headers: { host, 'user-agent': AGENT, ...(key && { authorization: `Bearer ${SIM_KEYS[key]}` }) },
    });
    sent.on('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => resolve(Buffer.concat(pieces).toString('utf8')));
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** The recorded shape; `file@a>b` is the part at `a`, renamed to `b`. */
function recorded(name: string, read: (text: string) => Shape): Shape {
  const [file = '', rename] = name.split('@');
  const shape = read(readFileSync(join(FIXTURES ?? '', file), 'utf8'));
  if (rename === undefined) return shape;
  const [from = '$', to = '$'] = rename.split('>');
  return new Map(
    [...shape]
      .filter(([path]) => path === from || path.startsWith(`${from}.`) || path.startsWith(`${from}[`))
      .map(([path, types]) => [to + path.slice(from.length), types]),
  );
}

function documents(allowed: readonly string[], path: string, type: string): boolean {
  return allowed.some((rule) => {
    const [pattern = '', only] = rule.split(':');
    if (only !== undefined && only !== type) return false;
    const [before = '', after] = pattern.split('.*');
    return after === undefined ? path === pattern : path.startsWith(before) && path.endsWith(after);
  });
}

/** Whether a recording contains a path that is listed as documented only. */
function isRecorded(known: Shape, rule: string): boolean {
  const [path = '', type] = rule.split(':');
  const types = known.get(path);
  return types !== undefined && (type === undefined || types.has(type));
}

async function compare(simulation: Simulation, contract: Contract, read: (text: string) => Shape): Promise<string[]> {
  const known: Shape = new Map();
  for (const fixture of contract.fixtures)
    for (const [path, types] of recorded(fixture, read))
      known.set(path, new Set([...(known.get(path) ?? []), ...types]));
  const works = [...simulation.world.works()];
  const urls = contract.urls(works);
  assert.ok(urls.length > 0, `${contract.name}: nothing to ask for`);
  const faults = new Set(
    (contract.documented ?? []).filter((rule) => isRecorded(known, rule)).map((rule) => `${rule} is recorded`),
  );
  for (const url of urls) {
    const shape = read(await get(simulation, url));
    assert.ok(shape.size > 1, `${contract.name}: ${url} answered next to nothing`);
    for (const [path, types] of shape)
      for (const type of types) {
        if (path === '$' || known.get(path)?.has(type) || documents(contract.documented ?? [], path, type)) continue;
        faults.add(
          known.has(path)
            ? `${path} is ${type}, recorded ${[...(known.get(path) ?? [])].join('|')}`
            : `${path} (${type}) is not recorded`,
        );
      }
  }
  return [...faults];
}

if (!FIXTURES) {
  test(
    'contract with recorded responses',
    {
      skip: 'NOT RUN: ../shared/data/api-fixtures/open is absent, so the shapes of the simulator were not compared with real answers',
    },
    () => undefined,
  );
} else {
  for (const [contracts, read] of [
    [JSON_CONTRACTS, (text: string) => shapeOf(JSON.parse(text))],
    [XML_CONTRACTS, xmlShape],
  ] as const)
    for (const contract of contracts)
      test(`${contract.name} returns nothing that the real service was not seen to return`, async () => {
        await using simulation = await Simulation.open({
          documents: 'plain',
          parameters: { seed: 7, works: 300, hosts: 30, profile: 'calm' },
          clock: new HeldClock(),
        });
        assert.deepEqual(await compare(simulation, contract, read), []);
      });

  test('Crossref returns 404 in plain text, verbatim', async () => {
    await using simulation = await Simulation.open({
      documents: 'plain',
      parameters: { seed: 7, works: 20, hosts: 10, profile: 'calm' },
      clock: new HeldClock(),
    });
    const recordedText = readFileSync(join(FIXTURES, 'crossref/work-404.txt'), 'utf8');
    assert.equal(await get(simulation, at('api.crossref.org', '/works/10.1371/notarealdoi')), recordedText);
  });

  test('endpoints without a recording are listed, and recordings without an endpoint', () => {
    const all = globSync('*/*.{json,xml}', { cwd: FIXTURES, exclude: ['**/*.meta.json'] });
    const compared = new Set(
      [...JSON_CONTRACTS, ...XML_CONTRACTS].flatMap(({ fixtures }) => fixtures.map((each) => each.replace(/@.*/, ''))),
    );
    const left = all.filter((file) => !compared.has(file.replaceAll(sep, '/'))).sort();
    console.log(`served without a recording to compare with:\n  ${WITHOUT_RECORDING.join('\n  ')}`);
    console.log(`recorded, and not served by the simulator in that form:\n  ${left.join('\n  ')}`);
    assert.deepEqual(
      [...compared].filter((file) => !all.includes(file.replaceAll('/', sep))),
      [],
    );
  });
}
