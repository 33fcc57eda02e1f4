import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ask, shown, work } from '../../../test/support/ask-resolver.ts';
import { loopbackClient, openLoopback } from '../../testing/index.ts';
import { identify, NO_IDS, parseOpenAlexWork, workFromIds } from '../../works/index.ts';
import type { ResolveContext } from '../index.ts';
import { baseUrlsBelow, findPlans, Lookups, Services } from '../index.ts';

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
