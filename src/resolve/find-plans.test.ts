import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ask, CONTACT, work } from '../../test/support/ask-resolver.ts';
import { loopbackClient, openLoopback } from '../testing/index.ts';
import { identify, NO_IDS, workFromIds } from '../works/index.ts';
import { SqliteCacheStore } from '../http/index.ts';
import { completeWork } from './find-plans.ts';
import type { Finding, ResolveContext } from './index.ts';
import { baseUrlsBelow, chooseResolvers, findPlans, Lookups, plan, Services } from './index.ts';

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
