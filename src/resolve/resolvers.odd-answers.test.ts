import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as z from 'zod';

import type { Routes } from '../../test/support/ask-resolver.ts';
import { ask, shown, work } from '../../test/support/ask-resolver.ts';
import { SqliteCacheStore } from '../http/index.ts';
import { loopbackClient, openLoopback } from '../testing/index.ts';
import { lookupJson, lookupParsed, parseOpenAlexWork } from '../works/index.ts';

// Undocumented responses of services: fields that are missing, null or of another type, one odd entry among good ones,
// error pages with status 200, merged records. One bad entry must not lose the good ones.

const DOI = '10.5555/work';

test('an invalid entry in a list does not affect the others', async () => {
  const lines: readonly (readonly [string, Routes, readonly string[]])[] = [
    [
      'unpaywall',
      {
        [`api.unpaywall.org/v2/${DOI}`]: JSON.stringify({
          doi: DOI,
          oa_locations: [
            { url_for_pdf: 7 },
            { url_for_pdf: 'https://r.example/a.pdf', license: { odd: true }, version: 3 },
          ],
        }),
      },
      ['pdf https://r.example/a.pdf'],
    ],
    [
      'core',
      {
        'api.core.ac.uk/v3/search/works/': JSON.stringify({
          results: [
            { doi: 5 },
            {
              doi: DOI,
              authors: 'A',
              links: [{ type: 'download', url: 'https://core.ac.uk/download/7.pdf' }],
              license: [],
            },
          ],
        }),
      },
      ['any https://core.ac.uk/download/7.pdf'],
    ],
    [
      'core',
      {
        'api.core.ac.uk/v3/search/works/': JSON.stringify({
          results: [{ doi: DOI, downloadUrl: '', identifiers: [{ type: 'ARXIV_ID', identifier: '2111.07624' }] }],
        }),
      },
      ['pdf https://export.arxiv.org/pdf/2111.07624'],
    ],
    [
      'crossref',
      {
        [`api.crossref.org/works/${DOI}`]: JSON.stringify({
          message: {
            DOI,
            link: [{}, { URL: 'https://p.example/a.pdf', 'content-type': 'application/pdf', 'content-version': 'vor' }],
            license: [
              {},
              {
                URL: 'https://creativecommons.org/licenses/by/4.0/',
                'content-version': 'vor',
                start: { 'date-time': '2020-01-01T00:00:00Z' },
              },
            ],
            relation: { 'is-referenced-by': 'odd' },
          },
        }),
      },
      ['any https://p.example/a.pdf'],
    ],
    [
      'doaj',
      {
        [`doaj.org/api/v4/search/articles/doi:"${DOI}"`]: JSON.stringify({
          results: [
            { bibjson: 'odd' },
            {
              bibjson: {
                identifier: [{ type: 'DOI', id: DOI.toUpperCase() }],
                link: [{ type: 'fulltext', url: 'https://j.example/1' }],
              },
            },
          ],
        }),
      },
      ['landing https://j.example/1'],
    ],
    [
      'hal',
      {
        'api.archives-ouvertes.fr/search/': JSON.stringify({
          response: { docs: [{ doiId_s: 4 }, { doiId_s: [DOI], fileMain_s: ['https://hal.science/hal-1/document'] }] },
        }),
      },
      ['pdf https://hal.science/hal-1/document'],
    ],
    [
      'openaire',
      {
        'api.openaire.eu/graph/v3/research-products': JSON.stringify({
          results: [
            null,
            {
              pids: [{ scheme: 'doi', value: DOI }],
              instances: [
                'odd',
                { accessRight: 'OPEN', urls: ['https://r.example/closed'] },
                { accessRight: { label: 'Open Access' }, urls: ['https://r.example/1'], license: ['CC BY'] },
              ],
            },
          ],
        }),
      },
      ['any https://r.example/1'],
    ],
    [
      'semantic_scholar',
      {
        [`api.semanticscholar.org/graph/v1/paper/DOI:${DOI}`]: JSON.stringify({
          externalIds: null,
          openAccessPdf: { url: 'https://r.example/a.pdf', status: 4, license: {} },
        }),
      },
      ['any https://r.example/a.pdf'],
    ],
  ];
  for (const [resolver, routes, plans] of lines) {
    const found = await ask(resolver, work(DOI), routes);
    assert.deepEqual([shown(found), found.problems], [plans, []], resolver);
  }
});

test('a list without a valid entry and an HTML page with status 200 are reported', async () => {
  for (const body of ['{"results":[{"doi":5}]}', '<html><title>Maintenance</title></html>', '[]', '']) {
    const { plans, problems } = await ask('core', work(DOI), { 'api.core.ac.uk/v3/search/works/': body });
    assert.deepEqual([plans.length, problems.length], [0, 1], body);
  }
});

test('an error in JSON with status 200 is reported, and does not mean that there is no open copy', async () => {
  const about = { title: 'A work' };
  for (const body of ['{"error":"rate limit exceeded"}', '{"message":"Internal server error","code":"429"}', '{}']) {
    const anything = new Proxy({}, { get: () => body }) as Routes;
    for (const resolver of [
      'unpaywall',
      'semantic_scholar',
      'europe_pmc',
      'core',
      'crossref',
      'doaj',
      'hal',
      'openaire',
    ]) {
      const { plans, problems } = await ask(resolver, work(DOI, about), anything);
      assert.deepEqual([plans.length, problems.length > 0], [0, true], `${resolver} ${body}`);
    }
  }
});

test('an error page with status 200 is not cached as the answer', async () => {
  await using server = await openLoopback((_request, response) => {
    response.setHeader('cache-control', 'max-age=86400');
    response.end(server.requests.length <= 2 ? '<html>Maintenance</html>' : '{"id":1}');
  });
  using cache = new SqliteCacheStore(':memory:', { now: Date.now });
  await using client = loopbackClient(server, { cache });
  const lookUp = () => lookupJson(client.send, { url: new URL('http://api.test/x') }, z.object({ id: z.number() }));
  assert.equal((await lookUp()).kind, 'problem');
  assert.equal((await lookUp()).kind, 'found');
});

test('an XML error with status 200 is not cached as the answer', async () => {
  await using server = await openLoopback((_request, response) => {
    response.setHeader('cache-control', 'max-age=86400');
    response.end(server.requests.length <= 2 ? '<Error><Code>InternalError</Code></Error>' : '<feed>1</feed>');
  });
  using cache = new SqliteCacheStore(':memory:', { now: Date.now });
  await using client = loopbackClient(server, { cache });
  const read = (xml: string): string | undefined => /<feed>(.*)<\/feed>/.exec(xml)?.[1];
  const lookUp = () => lookupParsed(client.send, { url: new URL('http://api.test/x') }, read);
  assert.deepEqual(await lookUp(), {
    kind: 'problem',
    reason: 'unexpected-shape',
    message: '<Error><Code>InternalError</Code></Error>',
    status: 200,
  });
  const found = await lookUp();
  assert.equal(found.kind === 'found' && found.value, '1');
});

test('zenodo in InvenioRDM format: rights and access are read', async () => {
  const record = (files: string): string =>
    JSON.stringify({
      id: '77',
      metadata: {
        title: 'A study',
        rights: [{ id: 'cc-by-4.0' }],
        creators: [{ person_or_org: { name: 'Berg, Ana' } }],
      },
      access: { record: 'public', files },
      files: { enabled: true, entries: { 'a.pdf': { key: 'a.pdf' } } },
    });
  const ofZenodo = work('10.5281/zenodo.77');
  const open = await ask('zenodo', ofZenodo, { 'zenodo.org/api/records/77': record('public') });
  assert.deepEqual(shown(open), ['pdf https://zenodo.org/api/records/77/files/a.pdf/content']);
  assert.equal(open.plans[0]?.license?.slug, 'cc-by');
  const closed = await ask('zenodo', ofZenodo, { 'zenodo.org/api/records/77': record('restricted') });
  assert.deepEqual(closed.plans, []);
});

test('crossref: a DOI merged into another returns the record of that one', async () => {
  const message = {
    DOI: '10.5555/kept',
    aliases: [DOI.toUpperCase()],
    resource: { primary: { URL: 'https://p.example/1' } },
    license: [{ URL: 'https://creativecommons.org/licenses/by/4.0/' }],
  };
  const found = await ask('crossref', work(DOI), { [`api.crossref.org/works/${DOI}`]: JSON.stringify({ message }) });
  assert.deepEqual([shown(found), found.problems], [['landing https://p.example/1'], []]);
});

test('Europe PMC pages are its own rendering; text mining terms and access notes are not licences', async () => {
  const found = await ask('unpaywall', work(DOI), {
    [`api.unpaywall.org/v2/${DOI}`]: JSON.stringify({
      doi: DOI,
      best_oa_location: {
        url_for_pdf: null,
        url: 'https://europepmc.org/article/PMC/PMC7',
        license: 'info:eu-repo/semantics/openAccess',
      },
      oa_locations: [
        {
          url_for_pdf: 'https://europepmc.org/articles/pmc7?pdf=render',
          license: 'https://www.elsevier.com/tdm/userlicense/1.0/',
        },
      ],
    }),
  });
  assert.deepEqual(shown(found), ['pdf https://europepmc.org/articles/PMC7?pdf=render']);
  assert.equal(found.plans[0]?.license, null);
});

test('an older or unusual OpenAlex record is still a work', () => {
  const old = parseOpenAlexWork({
    id: 'https://openalex.org/W1',
    title: 'A',
    publication_year: '2020',
    host_venue: {},
    grants: [],
    has_content: true,
    content_urls: 'none',
    authorships: [{ author: 5 }, { author: { display_name: 'Ana' } }],
    locations: [{ is_oa: 'yes' }, { is_oa: true, pdf_url: 'https://r.example/a.pdf', source: 'odd', license: 4 }],
  });
  assert.deepEqual(
    [old?.id, old?.authors, old?.locations.map(({ pdfUrl }) => pdfUrl), old?.content],
    ['W1', ['Ana'], ['https://r.example/a.pdf'], { pdf: false, tei: false }],
  );
});
