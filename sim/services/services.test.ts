import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';

import { HeldClock } from '../../src/testing/index.ts';
import { SIM_KEYS } from '../server/run-state.ts';
import { Simulation } from '../server/simulation.ts';
import type { Profile, Work } from '../world/types.ts';
import type { Archetype } from '../world/work.ts';

const AGENT = 'DocsToKG-TS/0.0 (+https://example.org; mailto:test@sim.test)';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

type Get = (url: string, headers?: Readonly<Record<string, string>>, body?: string) => Promise<Answer>;

async function open(
  profile: Profile,
  works = 300,
): Promise<{
  readonly simulation: Simulation;
  readonly clock: HeldClock;
  readonly get: Get;
  readonly one: (archetype: Archetype) => Work;
}> {
  const clock = new HeldClock();
  const simulation = await Simulation.open({
    documents: 'plain',
    parameters: { seed: 7, works, hosts: 30, profile },
    clock,
    latency: false,
  });
  const get: Get = (url, headers = {}, body) => {
    const { hostname, pathname, search } = new URL(url);
    return new Promise((resolve, reject) => {
      const sent = request({
        host: '127.0.0.1',
        port: simulation.port,
        method: body === undefined ? 'GET' : 'POST',
        path: pathname + search,
        headers: { host: hostname, 'user-agent': AGENT, ...headers },
      });
      sent.on('response', (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(pieces).toString('utf8'),
          }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
  };
  const one = (archetype: Archetype): Work => {
    for (const work of simulation.world.works()) if (work.archetype === archetype && work.doi !== null) return work;
    throw new Error(`no ${archetype}`);
  };
  return { simulation, clock, get, one };
}

const WORKS = 'http://api.openalex.org.sim.test/works';
const KEY = { authorization: `Bearer ${SIM_KEYS.openalex}` };
const id = (work: Work): string => encodeURIComponent(work.doi ?? '');

test('OpenAlex rejects what the real service rejects, with the same messages', async () => {
  const { simulation, get } = await open('calm');
  await using _ = simulation;
  const refusals: readonly (readonly [query: string, status: number, words: RegExp])[] = [
    ['?limit=5', 400, /Invalid query parameters error.*limit is not a valid parameter/],
    ['?select=titel', 400, /titel is not a valid select field.*display_name/],
    ['?per_page=101', 400, /Pagination error.*between 1 and 100/],
    ['?page=101&per_page=100', 400, /Maximum results size of 10000/],
    ['?filter=is_oa:true&filter=has_doi:true', 400, /Only one filter/],
    ['?filter=colour:red', 400, /colour is not a valid field/],
    ['?cursor=*', 401, /Cursor paging requires an API key/],
    ['?api_key=wrong', 401, /API key not found/],
    ['?filter=from_created_date:2026-01-01', 429, /Plan upgrade required/],
  ];
  for (const [query, status, words] of refusals) {
    const answer = await get(WORKS + query);
    assert.equal(answer.status, status, query);
    assert.match(answer.text, words);
  }
  const missing = await get(`${WORKS}/W7999999999`);
  assert.equal(missing.status, 404);
  assert.match(missing.headers['content-type'] ?? '', /html/, 'a missing work is an HTML page');
  assert.equal((await get(`${WORKS}/W6900000001`)).status, 301, 'a merged work redirects');
});

test('cursor paging visits every work, repeats one occasionally, and ends with an empty page on an exact multiple', async () => {
  const { simulation, get } = await open('calm', 400);
  await using _ = simulation;
  const seen: string[] = [];
  const sizes: number[] = [];
  for (let cursor: string | null = '*'; cursor !== null;) {
    const answer = await get(
      `${WORKS}?include_xpac=true&per_page=100&select=id&cursor=${encodeURIComponent(cursor)}`,
      KEY,
    );
    const page = JSON.parse(answer.text) as {
      readonly meta: { readonly next_cursor: string | null };
      readonly results: readonly { readonly id: string }[];
    };
    seen.push(...page.results.map((work) => work.id));
    sizes.push(page.results.length);
    cursor = page.meta.next_cursor;
  }
  assert.equal(new Set(seen).size, 400);
  assert.equal(seen.length, 401);
  assert.equal(sizes.at(-1), 0);
});

test('filters, search and sort select works as documented', async () => {
  const { simulation, get } = await open('calm');
  await using _ = simulation;
  const count = async (query: string): Promise<number> =>
    (
      JSON.parse((await get(`${WORKS}?include_xpac=true&${query}`, KEY)).text) as {
        readonly meta: { readonly count: number };
      }
    ).meta.count;
  const works = [...simulation.world.works()];
  assert.equal(
    await count('filter=publication_year:2015-2020'),
    works.filter(({ year }) => year >= 2015 && year <= 2020).length,
  );
  assert.equal(
    await count('filter=has_doi:true,is_retracted:!true'),
    works.filter(({ doi, isRetracted }) => doi !== null && !isRetracted).length,
  );
  assert.equal(
    await count('filter=topics.id:T11273|T10341'),
    works.filter(({ topics }) => topics.some(({ topic }) => topic === 8 || topic === 18)).length,
  );
  assert.equal(
    await count('search=coral%20bleaching'),
    works.filter(({ title }) => title.includes('coral bleaching')).length,
  );
  assert.equal(await count('filter=type:dataset'), works.filter(({ type }) => type === 'dataset').length);
  const sorted = JSON.parse(
    (await get(`${WORKS}?sort=publication_year:desc&per_page=50&select=publication_year`, KEY)).text,
  ) as { readonly results: readonly { readonly publication_year: number }[] };
  const years = sorted.results.map(({ publication_year }) => publication_year);
  assert.deepEqual(
    years,
    [...years].sort((a, b) => b - a),
  );
});

test('the daily budget ends with a 429 until midnight, and then resets', async () => {
  const { simulation, get } = await open('calm');
  await using _ = simulation;
  simulation.run.allow(SIM_KEYS.openalex, 12);
  const search = `${WORKS}?search=coral&per_page=1`;
  const first = await get(search, KEY);
  assert.equal(first.headers['x-ratelimit-remaining'], '2');
  assert.equal(first.headers['x-ratelimit-cost-usd'], '0.001');
  const second = await get(search, KEY);
  assert.equal(second.status, 429);
  assert.equal(second.headers['retry-after'], '86400');
  assert.match(second.text, /Insufficient budget/);
  assert.equal((await get(`${WORKS}?per_page=1`, KEY)).status, 200, 'a cheaper request is still within the budget');
  simulation.advance(86_400_000);
  assert.equal((await get(search, KEY)).status, 200);
});

test('content costs a hundred credits, needs a key, and redirects to a URL that must not receive it', async () => {
  const { simulation, get, one } = await open('calm');
  await using _ = simulation;
  const url = `http://content.openalex.org.sim.test/works/${one('A11').id}.pdf`;
  assert.equal((await get(url)).status, 401);
  const answer = await get(url, KEY);
  assert.equal(answer.status, 302);
  assert.equal(answer.headers['x-ratelimit-credits-used'], '100');
  assert.match((await get(answer.headers.location ?? '')).text, /^%PDF-/);
  assert.deepEqual(simulation.log.violations, []);
  await get(answer.headers.location ?? '', KEY);
  assert.deepEqual(
    simulation.log.violations.map(({ rule }) => rule),
    ['key-leak'],
  );
});

test('each service has the errors and pitfalls that clients must handle', async () => {
  const { simulation, get, one } = await open('calm');
  await using _ = simulation;
  const expect = async (
    url: string,
    status: number,
    words: RegExp,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const answer = await get(url, headers);
    assert.equal(answer.status, status, url);
    assert.match(answer.text, words, url);
    return answer;
  };
  const [zenodo, hal, osf, crossref, biomedical, biorxiv] = [
    one('A9-zenodo'),
    one('A8-hal'),
    one('A9-osf'),
    one('A7'),
    one('A5'),
    one('A10'),
  ];
  await expect(
    `http://api.unpaywall.org.sim.test/v2/${id(crossref)}?email=me@example.com`,
    422,
    /"HTTP_status_code":422/,
  );
  await expect(`http://api.unpaywall.org.sim.test/v2/${id(zenodo)}?email=me@sim.test`, 404, /"error":true/);
  const polite = await expect(`http://api.crossref.org.sim.test/works/${id(crossref)}`, 200, /"link":\[/);
  assert.equal(polite.headers['x-api-pool'], 'polite');
  assert.equal(
    (await get(`http://api.crossref.org.sim.test/works/${id(crossref)}`, { 'user-agent': 'x (+https://example.org)' }))
      .headers['x-concurrency-limit'],
    '1',
  );
  await expect(`http://api.crossref.org.sim.test/works/${id(zenodo)}`, 404, /^Resource not found\.$/);
  await expect('http://doi.org.sim.test/10.5555/nothing', 404, /DOI Not Found/);
  await expect('http://export.arxiv.org.sim.test/api/query?id_list=nonsense', 400, /<title>Error<\/title>/);
  await expect('http://export.arxiv.org.sim.test/api/query?search_query=all:x&start=-1', 200, /<title>Error<\/title>/);
  await expect('http://export.arxiv.org.sim.test/api/query?id_list=0000.00000', 200, /totalResults>0</);
  const epmc = 'http://www.ebi.ac.uk.sim.test/europepmc/webservices/rest';
  await expect(`${epmc}/search?query=x&format=json&pageSize=5000`, 200, /"errCode":404/);
  assert.doesNotMatch(
    (await get(`${epmc}/search?query=PMCID:${biomedical.pmcid}&format=json`)).text,
    /fullTextUrlList/,
    'lite has no links',
  );
  await expect(`${epmc}/PPR123/fullTextXML`, 404, /^$/);
  await expect('http://pmc-oa-opendata.s3.amazonaws.com.sim.test/metadata/PMC1.1.json', 404, /<Code>NoSuchKey</);
  await expect(`http://pmc.ncbi.nlm.nih.gov.sim.test/articles/${biomedical.pmcid}/pdf/`, 200, /Preparing to download/);
  await expect('http://www.ncbi.nlm.nih.gov.sim.test/pmc/utils/oa/oa.fcgi?id=PMC1', 404, /not found/i);
  await expect(
    'http://api.semanticscholar.org.sim.test/graph/v1/paper/DOI:10.5555/x?fields=colour',
    400,
    /Unrecognized or unsupported fields: \[colour\]/,
  );
  assert.equal(
    (await get('http://api.core.ac.uk.sim.test/v3/search/works?q=x')).status,
    301,
    'a missing slash redirects',
  );
  await expect('http://api.core.ac.uk.sim.test/v3/search/works/?q=x', 401, /API key/);
  await expect('http://core.ac.uk.sim.test/download/1000000.pdf', 400, /Bad Request/, {
    authorization: `Bearer ${SIM_KEYS.core}`,
  });
  await expect('http://doaj.org.sim.test/api/v4/search/articles/title:x*', 400, /disallowed Lucene/);
  await expect(`http://api.archives-ouvertes.fr.sim.test/search/?q=doiId_s:${hal.doi}`, 400, /SyntaxError/);
  assert.match((await get(hal.locations[0]?.url ?? '')).headers.location ?? '', /\/file\/paper\.pdf$/);
  await expect('http://zenodo.org.sim.test/api/records?size=26', 400, /Page size cannot be greater than 25/);
  assert.equal((await get(zenodo.locations[0]?.url ?? '')).headers['content-type'], 'application/octet-stream');
  const concept = `2${/\d{7}$/.exec(zenodo.doi ?? '')?.[0]}`;
  await expect(`http://zenodo.org.sim.test/api/records/${concept}/files`, 404, /PID does not exist/);
  assert.equal((await get(`http://zenodo.org.sim.test/records/${concept}`)).status, 302);
  await expect(
    `http://api.osf.io.sim.test/v2/preprints/${/[a-z0-9]+$/.exec(osf.doi ?? '')?.[0]}/`,
    200,
    /primary_file/,
  );
  await expect('http://api.openaire.eu.sim.test/graph/v3/research-products?doi=x', 400, /Unknown parameter: doi/);
  await expect('http://api.biorxiv.org.sim.test/details/biorxiv/10.1101/x/na/json', 200, /"collection":\[\]/);
  await expect(`http://www.biorxiv.org.sim.test/content/${biorxiv.doi}v9`, 404, /Not Found/);
  const gone = one('A12').locations[0]?.url ?? '';
  await expect(
    `http://web.archive.org.sim.test/cdx/search/cdx?url=${encodeURIComponent(gone)}&output=json`,
    200,
    /^\[\["urlkey","timestamp"/,
  );
  assert.match(
    (await get(`http://web.archive.org.sim.test/web/2020id_/${gone}`)).headers.location ?? '',
    /\/web\/2023\d+id_\//,
    'the nearest capture',
  );
  const stamp = /\/web\/(\d+)id_/.exec(one('A12').locations[1]?.url ?? '')?.[1];
  await expect(`http://web.archive.org.sim.test/web/${stamp}/${gone}`, 200, /toolbar/);
});

test('published limits apply by time of arrival, with a tolerance', async () => {
  const { simulation, clock, get } = await open('politeness');
  await using _ = simulation;
  const url = 'http://export.arxiv.org.sim.test/api/query?id_list=0000.00000';
  assert.equal((await get(url)).status, 200);
  await clock.advance(2_000);
  const early = await get(url);
  assert.deepEqual([early.status, early.text], [429, 'Rate exceeded.']);
  await clock.advance(900);
  assert.equal((await get(url)).status, 200, 'a tenth of a second too early is tolerated');
  await clock.advance(3_000);
  assert.equal((await get('http://arxiv.org.sim.test/abs/none')).status, 404, 'the limit and its renewal are shared');
});

test('the PMC bucket separates earlier versions, and its ETag is the published MD5', async () => {
  const { simulation, get } = await open('calm', 500);
  await using _ = simulation;
  const two = [...simulation.world.works()].find(({ locations }) =>
    locations.some(({ url }) => /PMC\d+\.2\.pdf$/.test(url)),
  );
  assert.ok(two);
  const bucket = 'http://pmc-oa-opendata.s3.amazonaws.com.sim.test';
  const listing = await get(`${bucket}/?list-type=2&prefix=${two.pmcid}.&delimiter=/`);
  assert.deepEqual(
    [...listing.text.matchAll(/<Prefix>PMC\d+\.(\d)\//g)].map(([, version]) => version),
    ['1', '2'],
  );
  const files = await Promise.all(
    [1, 2].map(async (version) => {
      const { pdf_url } = JSON.parse((await get(`${bucket}/metadata/${two.pmcid}.${version}.json`)).text) as {
        readonly pdf_url: string;
      };
      const [, key = '', md5 = ''] = /^s3:\/\/pmc-oa-opendata\/(.+)\?md5=(.+)$/.exec(pdf_url) ?? [];
      const file = await get(`${bucket}/${key}`);
      assert.equal(file.headers.etag, `"${md5}"`);
      assert.equal((await get(`${bucket}/${key}`, { 'if-none-match': `"${md5}"` })).status, 304);
      return file.text;
    }),
  );
  assert.notEqual(files[0], files[1]);
});
