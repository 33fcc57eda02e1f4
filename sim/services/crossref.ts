import { licenseUrl } from '../content/index.ts';
import type { Exchange, Pool, Service } from '../server/exchange.ts';
import { doiIn, isIdentified } from '../server/exchange.ts';
import { json, text } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { crossrefLinkType } from '../truth/plans.ts';
import { listedIn } from '../world/locations.ts';
import { authorsOf, issnOf, journalOf } from '../world/people.ts';
import type { Update } from '../world/month.ts';
import type { Location, Work } from '../world/types.ts';
import type { World } from '../world/world.ts';

const PUBLIC: Pool = { name: 'crossref-public', perSecond: 5, burst: 5, concurrency: 1 };
const POLITE: Pool = { name: 'crossref-polite', perSecond: 10, burst: 10, concurrency: 3 };

function poolHeaders(exchange: Exchange): Record<string, string> {
  const isPolite = isIdentified(exchange);
  const pool = isPolite ? POLITE : PUBLIC;
  return {
    'x-api-pool': isPolite ? 'polite' : 'public',
    'x-rate-limit-limit': String(pool.perSecond),
    'x-rate-limit-interval': '1s',
    'x-concurrency-limit': String(pool.concurrency ?? 1),
  };
}

function dateParts(date: string): { 'date-parts': number[][] } {
  return { 'date-parts': [date.split('-').map(Number)] };
}

function moment(date: string): Record<string, unknown> {
  return { ...dateParts(date), 'date-time': `${date}T00:00:00Z`, timestamp: Date.parse(`${date}T00:00:00Z`) };
}

function link(location: Location): Record<string, unknown> {
  return {
    URL: location.url,
    'content-type': crossrefLinkType(location),
    'content-version': 'vor',
    'intended-application': 'text-mining',
  };
}

function update({ type, doi, date, source }: Update): Record<string, unknown> {
  const label = type.charAt(0).toUpperCase() + type.slice(1).replaceAll('_', ' ');
  return { updated: moment(date), DOI: doi, type, source, label };
}

function renderCrossref(world: World, work: Work): Record<string, unknown> {
  const listed = listedIn(work, 'crossref');
  const licensed = listed.find(({ license }) => license !== null);
  const host = world.publishers[work.source];
  // Publishers also deposit a link for similarity checks, which is not for readers.
  const checked = work.doiTarget && {
    URL: work.doiTarget.url,
    'content-type': 'unspecified',
    'content-version': 'vor',
    'intended-application': 'similarity-checking',
  };
  return {
    indexed: { ...moment('2026-01-10'), version: '3.65.0' },
    'reference-count': work.references.length,
    publisher: journalOf(host).split(' ')[0],
    ...(licensed?.license && {
      license: [
        { start: moment(work.date), 'content-version': 'vor', 'delay-in-days': 0, URL: licenseUrl(licensed.license) },
      ],
    }),
    'short-container-title': [journalOf(host)],
    DOI: work.doi,
    type:
      work.type === 'book-chapter' ? 'book-chapter' : work.type === 'preprint' ? 'posted-content' : 'journal-article',
    created: moment(work.date),
    source: 'Crossref',
    'is-referenced-by-count': world.columns.citedBy[work.index] ?? 0,
    title: [work.title],
    prefix: work.doi?.split('/')[0],
    author: authorsOf(world, work, 30).map(({ given, family }, at) => ({
      given,
      family,
      sequence: at === 0 ? 'first' : 'additional',
      affiliation: [],
    })),
    member: '7000',
    reference: work.references.slice(0, 40).map((index, at) => {
      const cited = world.work(index);
      return {
        key: `ref${at + 1}`,
        'article-title': cited.title,
        year: String(cited.year),
        ...(cited.doi && { DOI: cited.doi, 'doi-asserted-by': 'publisher' }),
      };
    }),
    'container-title': [journalOf(host)],
    language: work.language,
    link: [...listed.map(link), ...(checked ? [checked] : [])],
    deposited: moment(work.date),
    score: 1,
    resource: { primary: { URL: work.doiTarget?.url ?? '' } },
    issued: dateParts(work.date),
    'references-count': work.references.length,
    URL: `https://doi.org/${work.doi}`,
    relation: {
      ...(work.said?.publishedAs !== undefined && {
        'is-preprint-of': [{ 'id-type': 'doi', id: work.said.publishedAs, 'asserted-by': 'subject' }],
      }),
    },
    ...(work.said?.updatedBy && { 'updated-by': work.said.updatedBy.map(update) }),
    ...(work.said?.updateTo && { 'update-to': work.said.updateTo.map(update) }),
    ISSN: [issnOf(host)],
    published: dateParts(work.date),
  };
}

export const crossref: Service = {
  name: 'crossref',
  hosts: ['api.crossref.org'],
  pool: (exchange) => (isIdentified(exchange) ? POLITE : PUBLIC),
  tooMany: (exchange) => text('Too many requests', 429, poolHeaders(exchange)),
  handle(exchange) {
    const headers = poolHeaders(exchange);
    const rest = exchange.url.pathname.replace(/^\/v1(?=\/)/, '');
    if (rest === '/works') return list(exchange, headers);
    if (!rest.startsWith('/works/')) return text('Resource not found.', 404, headers);
    const work = exchange.world.byDoi(doiIn(rest.slice('/works/'.length)));
    if (!work || work.agency !== 'crossref') return text('Resource not found.', 404, headers);
    const refused = ['query', 'select', 'filter'].find((name) =>
      [...exchange.query.keys()].some((key) => key.startsWith(name)),
    );
    if (refused)
      return failed('validation', 400, headers, {
        type: 'parameter-not-allowed',
        value: `${refused}.*`,
        message: 'This route does not support field query parameters',
      });
    return found('work', renderCrossref(exchange.world, work), headers);
  },
};

function found(type: 'work' | 'work-list', message: object, headers: Record<string, string>): Reply {
  return json({ status: 'ok', 'message-type': type, 'message-version': '1.0.0', message }, 200, headers);
}

function failed(
  what: 'validation' | 'resource',
  status: number,
  headers: Record<string, string>,
  fault: { readonly type: string; readonly value: string | null; readonly message: string },
): Reply {
  return json({ status: 'failed', 'message-type': `${what}-failure`, message: [fault] }, status, headers);
}

function list(exchange: Exchange, headers: Record<string, string>): Reply {
  const { query, world } = exchange;
  const cursor = query.get('cursor');
  const place = cursor === '*' ? 0 : Number(/^sim(\d+)$/.exec(cursor ?? '')?.[1]);
  const from = cursor === null ? Number(query.get('offset') ?? 0) : place;
  if (Number.isNaN(from))
    return failed('resource', 404, headers, {
      type: 'cursor-invalid',
      value: cursor,
      message: 'Cursor specified but it is invalid',
    });
  const refusal = refusedQuery(query);
  if (refusal) return failed('validation', 400, headers, refusal);
  const rows = Math.min(1_000, Number(query.get('rows') ?? 20));
  const selected = query.get('select')?.split(',') ?? null;
  const works = matching(world, query.get('query.bibliographic') ?? query.get('query') ?? '');
  const render = (index: number): Record<string, unknown> => {
    const work = renderCrossref(world, world.work(index));
    return selected === null
      ? work
      : Object.fromEntries(Object.entries(work).filter(([name]) => selected.includes(name)));
  };
  const message = {
    facets: {},
    ...(cursor !== null && { 'next-cursor': `sim${from + rows}` }),
    'total-results': works.length,
    items: works.slice(from, from + rows).map(render),
    'items-per-page': rows,
    query: { 'start-index': 0, 'search-terms': query.get('query') ?? query.get('query.bibliographic') },
  };
  return found('work-list', message, headers);
}

/** Supported list parameters (api.crossref.org/swagger-ui); others are rejected. */
const LIST_PARAMETERS =
  /^(?:query(?:\.(?:affiliation|author|bibliographic|chair|container-title|contributor|degree|description|editor|event-acronym|event-location|event-name|event-sponsor|event-theme|funder-name|publisher-location|publisher-name|standards-body-acronym|standards-body-name|title|translator))?|rows|offset|cursor|select|filter|facet|sort|order|sample|mailto)$/;
const SELECTABLE = new Set(
  'DOI,title,subtitle,author,issued,published,published-online,published-print,container-title,type,score,URL,link,license,relation,resource,ISSN,publisher,prefix,member,reference,abstract,page,volume,issue,subject,created,deposited,indexed,is-referenced-by-count,references-count,update-to,editor,funder'.split(
    ',',
  ),
);

/** The error message for an invalid query, as Crossref words it; undefined if valid. */
function refusedQuery(query: URLSearchParams): Parameters<typeof failed>[3] | undefined {
  const unknown = [...query.keys()].find((name) => !LIST_PARAMETERS.test(name));
  if (unknown !== undefined)
    return {
      type: 'parameter-not-found',
      value: unknown,
      message: `Parameter ${unknown} specified but there is no such parameter available on any route`,
    };
  const field = query
    .get('select')
    ?.split(',')
    .find((name) => !SELECTABLE.has(name));
  if (field !== undefined)
    return {
      type: 'parameter-not-allowed',
      value: field,
      message: `Select ${field} specified but there is no such field available`,
    };
  const rows = Number(query.get('rows') ?? 20);
  if (!(rows >= 0 && rows <= 1_000))
    return {
      type: 'integer-not-valid',
      value: String(query.get('rows')),
      message: 'Integer specified as rows must be a positive integer less than or equal to 1000',
    };
  return undefined;
}

/**
 * Searches words in any order in titles, authors, venues and years. Always returns something, so clients must check the
 * results. Rare words weigh more.
 */
function matching(world: World, text: string): number[] {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  if (words.size === 0)
    return Array.from({ length: world.size }, (_, index) => index).filter((index) => isHere(world, index));
  const holding = new Map<string, number>();
  const texts = Array.from({ length: world.size }, (_, index): ReadonlySet<string> => {
    if (!isHere(world, index)) return new Set();
    const work = world.work(index);
    const [first] = authorsOf(world, work, 1);
    const said = `${work.title} ${first?.family ?? ''} ${journalOf(world.publishers[work.source])} ${work.year}`;
    const held = new Set((said.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => words.has(word)));
    for (const word of held) holding.set(word, (holding.get(word) ?? 0) + 1);
    return held;
  });
  const score = (held: ReadonlySet<string>): number =>
    [...held].reduce((sum, word) => sum + Math.log(1 + world.size / (holding.get(word) ?? 1)), 0);
  return texts
    .map((held, index) => [index, score(held)] as const)
    .filter(([, each]) => each > 0)
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .map(([index]) => index);
}

function isHere(world: World, index: number): boolean {
  return world.isThere(index) && world.work(index).agency === 'crossref';
}
