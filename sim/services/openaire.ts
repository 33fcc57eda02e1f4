import { entries } from '../random/entries.ts';
import { sha256 } from '../../src/base/index.ts';
import type { Exchange, Pool, Service } from '../server/exchange.ts';
import { keyOf } from '../server/exchange.ts';
import { SIM_KEYS } from '../server/run-state.ts';
import { json } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { listedIn } from '../world/locations.ts';
import { authorsOf } from '../world/people.ts';
import type { Work } from '../world/types.ts';
import type { World } from '../world/world.ts';

const ANONYMOUS: Pool = { name: 'openaire-anonymous', perSecond: 60 / 3_600, burst: 20 };
const TOKEN: Pool = { name: 'openaire', perSecond: 2, burst: 20 };
const PARAMETERS = new Set(
  entries(`pid; search; type; page; pageSize; cursor; sortBy; fromPublicationDate;
  toPublicationDate; accessRightLabel; isPeerReviewed; relProjectId; id`),
);
const OPEN = {
  code: 'c_abf2',
  label: 'OPEN',
  scheme: 'http://vocabularies.coar-repositories.org/documentation/access_rights/',
};

function render(world: World, work: Work): Record<string, unknown> {
  return {
    id: `doi_dedup___::${sha256(work.id).slice(0, 32)}`,
    type: 'publication',
    mainTitle: work.title,
    publicationDate: work.date,
    authors: authorsOf(world, work, 20).map(({ given, family }, at) => ({
      name: given,
      surname: family,
      rank: at + 1,
      pid: null,
    })),
    pids: [{ scheme: 'doi', value: work.doi }],
    instances: listedIn(work, 'openaire').map((location) => ({
      pids: [{ scheme: 'doi', value: work.doi }],
      ...(location.license && { license: location.license.replaceAll('-', ' ').toUpperCase() }),
      accessRight: { ...OPEN, openAccessRoute: null },
      type: 'Article',
      // URLs as they appeared in the repository's HTML.
      urls: [world.parameters.profile === 'reality' ? location.url.replaceAll('&', '&amp;') : location.url],
      publicationDate: work.date,
    })),
  };
}

const HOUR_MS = 3_600_000;
const GIVEN = /^sim-openaire-access-(\d+)$/;

/** Access tokens are valid for an hour (graph.openaire.eu/docs/apis/authentication); the configured one always. */
function isGood(exchange: Exchange): boolean {
  const key = keyOf(exchange) ?? '';
  const given = Number(GIVEN.exec(key)?.[1] ?? Number.NaN);
  return key === SIM_KEYS.openaire || exchange.now - given < lifeMs(exchange.world);
}

/** One hour as documented; two minutes in the `reality` world, as its response says. */
function lifeMs({ parameters }: World): number {
  return parameters.profile === 'reality' ? HOUR_MS / 30 : HOUR_MS;
}

function giveToken({ path, query, now, world }: Exchange): Reply {
  if (!path.endsWith('/getAccessToken') || query.get('refreshToken') !== SIM_KEYS.openaire_refresh)
    return json({ status: 'error', message: 'Refresh token is not valid' }, 401);
  return json({
    access_token: `sim-openaire-access-${Math.floor(now)}`,
    expires_in: lifeMs(world) / 1_000,
  });
}

/** A product of another work that the graph has wrongly merged into the response. */
function another(world: World, work: Work): Record<string, unknown>[] {
  if (world.parameters.profile !== 'reality') return [];
  return [
    {
      ...render(world, work),
      mainTitle: 'An altogether different inquiry into unrelated matters',
      pids: [{ scheme: 'doi', value: '10.5555/another' }],
      instances: [{ accessRight: OPEN, urls: [`http://${work.locations[0]?.host ?? ''}/another.pdf`] }],
    },
  ];
}

export const openaire: Service = {
  name: 'openaire',
  hosts: ['api.openaire.eu', 'services.openaire.eu'],
  pool: (exchange) => (exchange.url.hostname.startsWith('services.') ? null : isGood(exchange) ? TOKEN : ANONYMOUS),
  tooMany: () =>
    json(
      { error: 'Too many requests', description: 'Request rate exceeded. Please wait before the next request.' },
      429,
      { 'x-ratelimit-limit': '60' },
    ),
  handle(exchange) {
    const { path, query, world } = exchange;
    if (exchange.url.hostname.startsWith('services.')) return giveToken(exchange);
    if (keyOf(exchange) !== null && !isGood(exchange))
      return json({ message: 'Forbidden', error: 'token', code: 403 }, 403);
    if (path !== '/graph/v3/research-products')
      return json({ message: 'Not Found', error: 'not found', code: 404 }, 404);
    const unknown = [...query.keys()].find((name) => !PARAMETERS.has(name));
    if (unknown !== undefined)
      return json(
        {
          message: `Unknown parameter: ${unknown}. Valid parameters: ${[...PARAMETERS].join(', ')}`,
          error: 'Bad Request',
          code: 400,
        },
        400,
      );
    const pageSize = Number(query.get('pageSize') ?? 10);
    if (pageSize > 100) return json({ message: 'pageSize must be at most 100', error: 'Bad Request', code: 400 }, 400);
    const work = world.byDoi(query.get('pid') ?? '');
    const isListed = listedIn(work, 'openaire').length > 0;
    const results = work && isListed ? [...another(world, work), render(world, work)] : [];
    return json({ header: { numFound: results.length, maxScore: 1, queryTime: 12, page: 1, pageSize }, results });
  },
};
