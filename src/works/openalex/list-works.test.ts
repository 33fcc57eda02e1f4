import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { Secret } from '../../http/index.ts';
import { HeldClock, loopbackClient, openLoopback, Wire } from '../../testing/index.ts';
import type { OpenAlexOptions, OpenAlexQuery } from '../index.ts';
import { iterateOpenAlex, parseOpenAlexWork } from '../index.ts';

type Page = ReturnType<typeof iterateOpenAlex> extends AsyncGenerator<infer Yielded> ? Yielded : never;

const FIXTURES = join(import.meta.dirname, '../../../../shared/data/api-fixtures/open/openalex');
const baseUrl = new URL('http://api.openalex.test/');
const credentials = [{ origin: baseUrl.origin, place: 'query', name: 'api_key', secret: new Secret('k') }] as const;

interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Lists `total` works from a service with OpenAlex's paging. */
async function listing(
  total: number,
  query: OpenAlexQuery,
  options: Partial<OpenAlexOptions> = {},
  odd: (
    asked: Asked,
    before: number,
  ) => { status: number; body: string; headers?: Record<string, string> } | undefined = () => undefined,
): Promise<{ events: Page[]; asked: Asked[]; ms: number }> {
  const clock = new HeldClock();
  const wire = new Wire(clock);
  const asked: Asked[] = [];
  await using server = await openLoopback((request, response) => {
    const url = new URL(request.url, baseUrl);
    const seen = { path: url.pathname, query: url.searchParams };
    const before = asked.filter(
      (each) => each.path === seen.path && each.query.toString() === seen.query.toString(),
    ).length;
    asked.push(seen);
    const special = odd(seen, before);
    if (special) return void response.writeHead(special.status, special.headers).end(special.body);
    if (url.pathname.startsWith('/autocomplete')) {
      return void response.end(
        JSON.stringify({
          results: [
            { id: 'https://openalex.org/T11273', display_name: 'Advanced Graph Neural Networks' },
            { id: 'https://openalex.org/T1', display_name: 'Coral Bleaching' },
            { id: 'https://openalex.org/T2', display_name: 'Coral Bleaching and Genes' },
          ],
        }),
      );
    }
    const perPage = Number(seen.query.get('per_page'));
    const cursor = seen.query.get('cursor');
    const from = cursor === null ? (Number(seen.query.get('page')) - 1) * perPage : cursor === '*' ? 0 : Number(cursor);
    const ids = Array.from({ length: Math.max(0, Math.min(perPage, total - from)) }, (_, at) => from + at + 1);
    // A rebuilt index repeats the last work of the previous page.
    const results = (from > 0 && ids.length > 0 ? [from, ...ids] : ids).map((id) => ({
      id: `https://openalex.org/W${id}`,
      doi: null,
      locations: [],
    }));
    response.setHeader('x-ratelimit-remaining-usd', '0.5').setHeader('x-ratelimit-limit-usd', '1');
    response.end(
      JSON.stringify({
        meta: {
          count: total,
          ...(cursor !== null && { next_cursor: ids.length < perPage ? null : String(from + perPage) }),
        },
        results,
      }),
    );
    return undefined;
  });
  await using client = loopbackClient(server, {
    clock,
    report: wire.report,
    random: () => 0.5,
    retry: { retries: 3, maxDelayMs: 2000 },
  });
  const all = Array.fromAsync(iterateOpenAlex(query, { send: client.send, baseUrl, credentials, ...options }));
  const { result: events, ms } = await wire.settle(all);
  return { events, asked, ms };
}

const ids = (events: readonly Page[]): string[] =>
  events.flatMap((event) => (event.kind === 'page' ? event.works.map(({ work }) => work.id) : []));

test('pages follow the cursor, duplicates are dropped, the last page ends the listing', async () => {
  const { events, asked } = await listing(25, { topic: 'whales and song' }, { perPage: 10 });
  assert.deepEqual(
    ids(events),
    Array.from({ length: 25 }, (_, at) => `W${at + 1}`),
  );
  assert.deepEqual(events.at(-1), { kind: 'complete' });
  assert.deepEqual(
    asked.slice(1).map(({ query }) => query.get('cursor')),
    ['*', '10', '20'],
  );
  assert.equal(asked[1]?.query.get('search'), 'whales and song');
  assert.ok(asked[1]?.query.get('select')?.includes('best_oa_location'));
  const pages = events.filter((event) => event.kind === 'page');
  assert.deepEqual(pages[0]?.budget, { remainingUsd: 0.5 });
  assert.equal(pages[0]?.total, 25);
});

test('a list of full pages ends with an empty page, one with a maximum before it', async () => {
  assert.equal(ids((await listing(20, { topic: 'x' }, { perPage: 10 })).events).length, 20);
  const limited = await listing(100, { topic: 'x' }, { perPage: 10, maxResults: 15 });
  assert.equal(ids(limited.events).length, 15);
  assert.deepEqual(limited.events.at(-1), { kind: 'limit' });
  assert.equal(limited.asked.length, 3);
});

test('a text that names one topic is queried by topic id, with all filters', async () => {
  const { asked } = await listing(3, {
    topic: 'graph neural networks',
    yearStart: 2020,
    yearEnd: 2024,
    oaOnly: true,
    type: 'article|review',
    language: 'en',
  });
  assert.equal(
    asked[1]?.query.get('filter'),
    'topics.id:T11273,publication_year:2020-2024,is_oa:true,type:article|review,language:en',
  );
  assert.equal(asked[1]?.query.has('search'), false);
  const exact = await listing(3, { topic: 'Coral bleaching', yearStart: 2020 });
  assert.equal(exact.asked[1]?.query.get('filter'), 'topics.id:T1,publication_year:2020-');
  const direct = await listing(3, { topic: 'T10325', yearEnd: 2000 });
  assert.equal(direct.asked[0]?.query.get('filter'), 'topics.id:T10325,publication_year:-2000');
  await assert.rejects(listing(3, { topic: 'x', type: 'a,is_oa:false' }), { code: 'OPENALEX_FILTER' });
});

test('without a key pages are numbered, because cursors need one', async () => {
  const { events, asked } = await listing(25, { topic: 'x' }, { perPage: 10, credentials: [] });
  assert.equal(ids(events).length, 25);
  assert.deepEqual(
    asked.slice(1).map(({ query }) => query.get('page')),
    ['1', '2', '3'],
  );
  assert.ok(asked.every(({ query }) => !query.has('cursor')));
});

test('an empty page before the last ends the listing with a failure', async () => {
  for (const keyed of [true, false]) {
    const { events } = await listing(
      35,
      { topic: 'x' },
      { perPage: 10, ...(!keyed && { credentials: [] }) },
      ({ query }) =>
        query.get(keyed ? 'cursor' : 'page') === (keyed ? '10' : '2')
          ? { status: 200, body: '{"meta":{"count":35,"next_cursor":null},"results":[]}' }
          : undefined,
    );
    assert.equal(ids(events).length, 10);
    const end = events.at(-1);
    assert.equal(end?.kind === 'failed' && end.message, 'a page is empty, after 10 of 35 works');
    assert.equal(end?.kind === 'failed' && end.state?.yielded, 10);
  }
});

test('a repeated cursor ends the listing with a failure, or silently after the last work', async () => {
  const page = (count: number, next: string, id: number) => ({
    status: 200,
    body: JSON.stringify({
      meta: { count, next_cursor: next },
      results: [{ id: `https://openalex.org/W${id}`, doi: null, locations: [] }],
    }),
  });
  const circle = (count: number) =>
    listing(0, { filter: 'x:1' }, {}, ({ query }) =>
      query.get('cursor') === 'b' ? page(count, 'a', 2) : page(count, query.get('cursor') === 'a' ? 'b' : 'a', 1),
    );
  const early = await circle(9);
  assert.deepEqual([ids(early.events), early.asked.length], [['W1', 'W2'], 3]);
  const last = early.events.at(-1);
  assert.ok(last?.kind === 'failed');
  assert.match(last.message, /after 2 of 9 works/);
  assert.deepEqual((await circle(2)).events.at(-1), { kind: 'complete' });
});

test('without a key a short page in the middle does not end the listing', async () => {
  const { events } = await listing(25, { topic: 'x' }, { perPage: 10, credentials: [] }, ({ query }) =>
    query.get('page') === '2'
      ? { status: 200, body: JSON.stringify({ meta: { count: 25 }, results: [{ id: 'https://openalex.org/W11' }] }) }
      : undefined,
  );
  assert.deepEqual([ids(events).length, events.at(-1)], [16 + 1, { kind: 'complete' }]);
});

test('a failed page is requested again by its cursor, with delays below the cap', async () => {
  const { events, asked, ms } = await listing(25, { topic: 'x' }, { perPage: 10 }, (seen, before) =>
    seen.query.get('cursor') === '10' && before < 3 ? { status: 503, body: '{}' } : undefined,
  );
  assert.equal(ids(events).length, 25);
  assert.deepEqual(
    asked.slice(1).map(({ query }) => query.get('cursor')),
    ['*', '10', '10', '10', '10', '20'],
  );
  assert.equal(ms, 750 + 1500 + 1500);
});

test('an exhausted budget ends the listing with its reset time, and the listing resumes at the same page', async () => {
  const body = JSON.stringify({
    error: 'Rate limit exceeded',
    message: 'Insufficient budget.',
    retryAfter: 50_400,
    creditsRequired: 10,
    creditsRemaining: 0,
    dailyRemainingUsd: 0,
  });
  const { events } = await listing(25, { topic: 'x' }, { perPage: 10 }, ({ query }) =>
    query.get('cursor') === '10'
      ? { status: 429, body, headers: { 'retry-after': '50400', 'x-ratelimit-remaining-usd': '0' } }
      : undefined,
  );
  assert.equal(ids(events).length, 10);
  const last = events.at(-1);
  assert.ok(last?.kind === 'later');
  assert.equal(last.resumesAt, Date.UTC(2026, 0, 15) + 50_400_000);
  assert.equal(last.budget?.remainingUsd, 0);
  assert.ok(last.state);
  const state: unknown = JSON.parse(JSON.stringify(last.state));
  const rest = await listing(25, { topic: 'x' }, { perPage: 10, maxResults: 20, resume: state as typeof last.state });
  assert.deepEqual(
    ids(rest.events),
    Array.from({ length: 10 }, (_, at) => `W${at + 10}`),
  );
  assert.equal(rest.asked[0]?.query.get('cursor'), '10');
});

test('an error page or half a page with status 200 is requested once more', async () => {
  for (const body of ['<html>Maintenance</html>', '{"meta":{"count":25},"resul']) {
    const odd = (times: number) =>
      listing(25, { topic: 'x' }, { perPage: 10 }, ({ query }, before) =>
        query.get('cursor') === '10' && before < times ? { status: 200, body } : undefined,
      );
    assert.deepEqual((await odd(1)).events.at(-1), { kind: 'complete' });
    const last = (await odd(9)).events.at(-1);
    assert.ok(last?.kind === 'failed');
    assert.match(last.hint ?? '', /same command/);
    assert.deepEqual(last.state?.at, { kind: 'cursor', cursor: '10' });
  }
});

test('an invalid key is a failure with a hint', async () => {
  const { events } = await listing(5, { topic: 'x' }, {}, () => ({
    status: 401,
    body: '{"error":"Invalid or missing API key"}',
  }));
  const last = events.at(-1);
  assert.ok(last?.kind === 'failed');
  assert.equal(last.code, 'OPENALEX_UNAUTHORIZED');
  assert.match(last.hint ?? '', /key/);
});

test('records of unexpected shape are skipped', async () => {
  const { events } = await listing(5, { topic: 'x' }, {}, ({ path }) =>
    path === '/works'
      ? {
          status: 200,
          body: JSON.stringify({
            meta: { count: 3, next_cursor: null },
            results: [{ id: 7 }, null, { id: 'https://openalex.org/W9', title: null }],
          }),
        }
      : undefined,
  );
  assert.deepEqual(ids(events), ['W9']);
  assert.deepEqual(events.at(-1), { kind: 'complete' });
});

test(
  'every recorded OpenAlex response is parsed',
  { skip: existsSync(FIXTURES) ? false : `${FIXTURES} is absent` },
  () => {
    const load = (name: string): unknown => JSON.parse(readFileSync(join(FIXTURES, name), 'utf8'));
    const full = parseOpenAlexWork(load('work-by-doi-full-a.json'));
    assert.equal(full?.id, 'W4408732759');
    assert.equal(full?.ids.doi, '10.1016/j.xgen.2025.100814');
    assert.equal(full?.ids.pmid, '40120586');
    assert.equal(full?.locations[0]?.license?.slug, 'cc-by');
    assert.equal(full?.locations[0]?.version, 'publishedVersion');
    assert.equal(full?.locations[0]?.hostType, 'publisher');
    const page = load('works-search-page1.json') as { results: unknown[] };
    assert.ok(page.results.length > 0 && page.results.every((record) => parseOpenAlexWork(record) !== undefined));
    // With `select`, a record may even lack its id.
    assert.equal(parseOpenAlexWork(load('work-by-doi-select.json')), undefined);
  },
);

test('ids without a field in OpenAlex are found in its locations', () => {
  const work = parseOpenAlexWork({
    id: 'https://openalex.org/W1',
    doi: 'https://doi.org/10.5555/(SICI)1<2::AID>3.0.CO;2-#.',
    ids: { pmcid: 'https://www.ncbi.nlm.nih.gov/pmc/articles/123', pmid: 'https://pubmed.ncbi.nlm.nih.gov/4' },
    locations: [
      {
        id: 'pmh:oai:arXiv.org:math/0611800',
        is_oa: true,
        landing_page_url: 'https://x.example/',
        pdf_url: null,
        source: null,
        license: null,
        version: null,
      },
      { is_oa: true, landing_page_url: 'https://inria.hal.science/hal-04178712v1' },
    ],
    best_oa_location: null,
    content_urls: { pdf: 'https://content.openalex.org/works/W1.pdf' },
  });
  assert.equal(work?.ids.doi, '10.5555/(sici)1<2::aid>3.0.co;2-#');
  assert.deepEqual(work?.ids.arxiv, { id: 'math/0611800', version: null });
  assert.equal(work?.ids.pmcid, 'PMC123');
  assert.equal(work?.ids.hal, 'hal-04178712');
  assert.deepEqual(work?.content, { pdf: true, tei: false });
});
