import { secondsToMidnight, SIM_KEYS } from '../server/run-state.ts';
import type { Exchange, Pool, Service } from '../server/exchange.ts';
import { doiIn, keyOf } from '../server/exchange.ts';
import { html, json, redirect, text } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { stream } from '../random/stream.ts';
import type { Work, Location } from '../world/types.ts';
import { checkParameters, QueryFault, selectWorks } from './openalex-query.ts';
import { renderWork, renderTopic } from './openalex-work.ts';
import { TOPICS } from '../world/topics.ts';
import { at } from '../world/identifiers.ts';
import { listedIn } from '../world/locations.ts';

const KEYED: Pool = { name: 'openalex', perSecond: 30, burst: 30 };
const ANONYMOUS: Pool = { name: 'openalex-anonymous', perSecond: 10, burst: 10 };
const PAGE_LIMIT = 10_000;
const PER_PAGE_LIMIT = 100;

export const openalex: Service = {
  name: 'openalex',
  hosts: ['api.openalex.org'],
  pool: (exchange) => (keyOf(exchange) === SIM_KEYS.openalex ? KEYED : ANONYMOUS),
  tooMany: (exchange) =>
    json({ error: 'Rate limit exceeded', message: 'Too many requests per second.', retryAfter: 1 }, 429, {
      'retry-after': '1',
      ...budgetHeaders(exchange, 0),
    }),
  handle(exchange) {
    const { path } = exchange;
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return text('Method Not Allowed', 405);
    const refused = refuseBadKey(exchange);
    if (refused) return refused;
    const shed = overloaded(exchange);
    if (shed) return shed;
    try {
      if (path === '/works') return list(exchange);
      if (path === '/topics') return topics(exchange);
      if (path === '/autocomplete/topics') return autocomplete(exchange);
      if (path.startsWith('/works/')) return singleton(exchange);
      return notFound();
    } catch (error) {
      if (error instanceof QueryFault)
        return json({ error: error.kind, message: error.message }, 400, budgetHeaders(exchange, 0));
      throw error;
    }
  },
};

/** Simulates load shedding: the first request of some URLs returns 503 or 504 and costs nothing. */
function overloaded({ world, url, attempt }: Exchange): Reply | null {
  const { profile, seed } = world.parameters;
  if (attempt > 1 || (profile !== 'realistic' && profile !== 'hostile')) return null;
  const luck = stream(seed, 'overload', url.pathname + url.search).next();
  if (luck < 0.02)
    return json({ error: 'Service temporarily unavailable', message: 'Please try again later.' }, 503, {
      'retry-after': '30',
    });
  if (luck < 0.03)
    return json({ error: 'Gateway timeout', message: 'The query took too long.', reason: 'query_timeout' }, 504);
  return null;
}

function notFound(): Reply {
  return html(
    '<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n<p>The requested URL was not found on the server.</p>\n',
    404,
  );
}

function list(exchange: Exchange): Reply {
  const { query, world } = exchange;
  checkParameters(query);
  const perPage = Number(query.get('per_page') ?? query.get('per-page') ?? 25);
  if (!Number.isInteger(perPage) || perPage < 1 || perPage > PER_PAGE_LIMIT)
    throw new QueryFault(`per_page parameter must be between 1 and ${PER_PAGE_LIMIT}`, 'Pagination error.');
  const page = Number(query.get('page') ?? 1);
  const cursor = query.get('cursor');
  if (cursor !== null && query.has('page') && page !== 1)
    throw new QueryFault('cursor and page cannot be used together', 'Pagination error.');
  if (cursor === null && page * perPage > PAGE_LIMIT)
    throw new QueryFault(
      `Maximum results size of ${PAGE_LIMIT} records is exceeded. Cursor pagination is required.`,
      'Pagination error.',
    );
  if (cursor !== null && keyOf(exchange) === null)
    return json({ error: 'Invalid or missing API key', message: 'Cursor paging requires an API key' }, 401);
  if (/(^|,)from_(created|updated)_date:/.test(query.get('filter') ?? ''))
    return json(
      { error: 'Plan upgrade required', message: 'from_created_date and from_updated_date need a paid plan' },
      429,
    );
  const isSearch =
    [...query.keys()].some((name) => name.startsWith('search')) || /\.search:/.test(query.get('filter') ?? '');
  const cost = isSearch ? 10 : 1;
  const fields = selectedFields(exchange);
  const found = selectWorks(world, query);
  const poor = charge(exchange, cost);
  if (poor) return poor;
  const from = cursor === null ? (page - 1) * perPage : decodeCursor(cursor);
  const indexes = found.slice(from, from + perPage);
  // Simulates index rebuilds: one page in ten repeats the last work of the previous page.
  const isShifted = from > 0 && indexes.length > 1 && (from / perPage) % 10 === 3;
  const shown = isShifted ? [found[from - 1] ?? 0, ...indexes] : indexes;
  const results = shown.map((index) => pickFields(renderWork(world, world.work(index), true, fields), fields));
  const next = indexes.length < perPage ? null : encodeCursor(from + perPage);
  return json(
    {
      meta: {
        count: found.length,
        db_response_time_ms: 12,
        page: cursor === null ? page : null,
        per_page: perPage,
        groups_count: null,
        ...(cursor !== null && { next_cursor: next }),
      },
      results,
    },
    200,
    budgetHeaders(exchange, cost),
  );
}

function encodeCursor(from: number): string {
  return Buffer.from(JSON.stringify([from])).toString('base64');
}

function decodeCursor(cursor: string): number {
  if (cursor === '*') return 0;
  try {
    const [from] = JSON.parse(Buffer.from(cursor, 'base64').toString('utf8')) as [unknown];
    if (typeof from === 'number' && Number.isInteger(from) && from >= 0) return from;
  } catch {
    // Falls through: an unknown cursor is a query error.
  }
  throw new QueryFault('cursor value is invalid', 'Pagination error.');
}

let knownFields: readonly string[] | undefined;

function selectedFields(exchange: Exchange): readonly string[] | null {
  const select = exchange.query.get('select');
  if (select === null) return null;
  knownFields ??= [
    ...Object.keys(renderWork(exchange.world, exchange.world.work(0), false)),
    'is_authors_truncated',
    'content_urls',
    'relevance_score',
  ];
  const fields = select.split(',').map((field) => field.trim());
  const wrong = fields.find((field) => !knownFields?.includes(field));
  if (wrong !== undefined)
    throw new QueryFault(
      `${wrong} is not a valid select field. Valid fields for select are: ${knownFields.join(', ')}.`,
    );
  return fields;
}

function pickFields(work: Record<string, unknown>, fields: readonly string[] | null): Record<string, unknown> {
  if (fields === null) return work;
  return Object.fromEntries(fields.filter((field) => field in work).map((field) => [field, work[field]]));
}

function singleton(exchange: Exchange): Reply {
  const fields = selectedFields(exchange);
  const id = doiIn(exchange.url.pathname.slice('/works/'.length));
  const merged = /^W69(\d+)$/i.exec(id);
  // Merged works redirect; here they have ids W69….
  if (merged)
    return redirect(
      `http://api.openalex.org.sim.test/works/W${7_000_000_001 + (Number(merged[1]) % exchange.world.size)}`,
      301,
    );
  const work = findWork(exchange, id);
  if (!work) return notFound();
  return json(pickFields(renderWork(exchange.world, work, false, fields), fields), 200, budgetHeaders(exchange, 0));
}

function findWork(exchange: Exchange, id: string): Work | undefined {
  const { world } = exchange;
  const plain = id
    .replace(/^https?:\/\/openalex\.org\//i, '')
    .replace(/^(doi|openalex):/i, '')
    .replace(/^https?:\/\/doi\.org\//i, '');
  if (/^W\d+$/i.test(plain)) return world.byId(plain);
  if (plain.startsWith('10.')) return world.byDoi(plain);
  const pmid = /^pmid:(?:https:\/\/pubmed\.ncbi\.nlm\.nih\.gov\/)?(\d+)$/i.exec(id)?.[1];
  if (pmid) return world.byPmid(pmid);
  const pmcid = /^pmcid:(?:.*\/)?(PMC\d+)$/i.exec(id)?.[1];
  return pmcid ? world.byPmcid(pmcid) : undefined;
}

function topics(exchange: Exchange): Reply {
  checkParameters(exchange.query);
  const search = exchange.query.get('search');
  const cost = search === null ? 1 : 10;
  const poor = charge(exchange, cost);
  if (poor) return poor;
  const perPage = Math.min(Number(exchange.query.get('per_page') ?? 25), PER_PAGE_LIMIT);
  const found = matchingTopics(search ?? '');
  return json(
    {
      meta: { count: found.length, db_response_time_ms: 4, page: 1, per_page: perPage, groups_count: null },
      results: found.slice(0, perPage).map((index) => renderTopic(index)),
    },
    200,
    budgetHeaders(exchange, cost),
  );
}

/** Topics whose name or subjects contain every word. */
function matchingTopics(search: string): number[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return TOPICS.flatMap((topic, index) => {
    const known = `${topic.name} ${topic.subjects.join(' ')}`.toLowerCase();
    return words.every((word) => known.includes(word)) ? [index] : [];
  });
}

const FILE_CREDITS = 100;
const MISS_CREDITS = 1;

function find(exchange: Exchange, name: string): Location | undefined {
  const id = /^(W\d+)/i.exec(name)?.[1] ?? '';
  const extension = name.endsWith('.grobid-xml') ? 'tei' : 'pdf';
  return listedIn(exchange.world.byId(id), 'openalex_content').find(({ kind }) => kind === extension);
}

/** OpenAlex content API: needs a key, costs credits, and redirects to a signed URL that must not receive the key. */
export const openalexContent: Service = {
  name: 'openalex_content',
  hosts: ['content.openalex.org', 'r2.openalex-content'],
  async handle(exchange): Promise<Reply> {
    const name = exchange.path.replace(/^\/works\//, '');
    const location = find(exchange, name);
    if (exchange.url.hostname.startsWith('r2.')) {
      if (!location || exchange.query.get('sig') !== `sig${location.work}`) return text('SignatureDoesNotMatch', 403);
      return exchange.file(location);
    }
    const refused = refuseBadKey(exchange);
    if (refused) return refused;
    if (keyOf(exchange) === null)
      return json({ error: 'API key required', message: 'Content downloads require an API key.' }, 401);
    const cost = location ? FILE_CREDITS : MISS_CREDITS;
    const poor = charge(exchange, cost);
    if (poor) return poor;
    if (!location)
      return json({ error: 'Not found', message: `No content for ${name}` }, 404, budgetHeaders(exchange, cost));
    return redirect(
      at('r2.openalex-content', `/works/${name}?sig=sig${location.work}`),
      302,
      budgetHeaders(exchange, cost),
    );
  },
};

/** `GET /autocomplete/topics`: free. */
function autocomplete(exchange: Exchange): Reply {
  const results = matchingTopics(exchange.query.get('q') ?? '')
    .slice(0, 10)
    .map((index) => ({ id: TOPICS[index]?.id, display_name: TOPICS[index]?.name }));
  return json({ meta: { count: results.length }, results }, 200, budgetHeaders(exchange, 0));
}

const USD_PER_CREDIT = 0.0001;

/** Budget headers of every response: dollars, and the older credits. */
function budgetHeaders(exchange: Exchange, cost: number): Record<string, string> {
  const key = keyOf(exchange);
  const limit = exchange.run.limit(key);
  const remaining = exchange.run.remaining(key, exchange.now);
  return {
    'x-ratelimit-limit-usd': String(limit * USD_PER_CREDIT),
    'x-ratelimit-remaining-usd': String(usd(remaining)),
    'x-ratelimit-prepaid-remaining-usd': '0',
    'x-ratelimit-cost-usd': String(usd(cost)),
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-credits-used': String(cost),
    'x-ratelimit-onetime-remaining': '0',
    'x-ratelimit-reset': String(secondsToMidnight(exchange.now)),
  };
}

/** Deducts the cost from the budget, or returns a 429 until midnight. */
function charge(exchange: Exchange, cost: number): Reply | null {
  const key = keyOf(exchange);
  if (exchange.run.spend(key, cost, exchange.now)) return null;
  const remaining = exchange.run.remaining(key, exchange.now);
  const wait = secondsToMidnight(exchange.now);
  return json(
    {
      error: 'Rate limit exceeded',
      message: `Insufficient budget. This request costs $${usd(cost)} but you only have $${usd(remaining)} remaining. Resets at midnight UTC.`,
      retryAfter: wait,
      dailyRemainingUsd: usd(remaining),
      creditsRequired: cost,
      creditsRemaining: remaining,
    },
    429,
    {
      'retry-after': String(wait),
      ...budgetHeaders(exchange, 0),
      'x-ratelimit-cost-required-usd': String(usd(cost)),
    },
  );
}

/** The error for an invalid key; null if the key is valid or absent. */
function refuseBadKey(exchange: Exchange): Reply | null {
  const key = keyOf(exchange);
  if (key === null || key === SIM_KEYS.openalex) return null;
  return json({ error: 'Invalid or missing API key', message: 'API key not found' }, 401);
}

function usd(credits: number): number {
  return Math.round(credits * USD_PER_CREDIT * 1e6) / 1e6;
}
