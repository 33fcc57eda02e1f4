import { hash } from 'node:crypto';

import type { Exchange, Pool, Service } from '../server/exchange.ts';
import { html, json, redirect } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { landingPage } from '../hosts/landing.ts';
import { at, numberOf } from '../world/identifiers.ts';
import { authorsOf } from '../world/people.ts';
import type { Location, Work } from '../world/types.ts';

const SEARCH: Pool = { name: 'zenodo-search', perSecond: 30 / 60, burst: 10 };
const GUEST: Pool = { name: 'zenodo', perSecond: 133 / 60, burst: 20 };
const SEARCH_LIMIT = 25;

function file(work: Work): Location | undefined {
  return work.archetype === 'A9-zenodo' ? work.locations[0] : undefined;
}

function isRestricted(work: Work): boolean {
  return file(work)?.visibleIn.length === 0;
}

async function record(exchange: Exchange, work: Work): Promise<Record<string, unknown>> {
  const id = Number(`1${numberOf(work.index)}`);
  const concept = `2${numberOf(work.index)}`;
  const location = file(work);
  const bytes = await exchange.bytes(location?.file);
  const links = {
    self: at('zenodo.org', `/api/records/${id}`),
    doi: `https://doi.org/${work.doi}`,
    files: at('zenodo.org', `/api/records/${id}/files`),
  };
  return {
    created: `${work.date}T00:00:00+00:00`,
    modified: `${work.date}T00:00:00+00:00`,
    id,
    doi: work.doi,
    conceptdoi: `10.5281/zenodo.${concept}`,
    doi_url: `https://doi.org/${work.doi}`,
    metadata: {
      title: work.title,
      doi: work.doi,
      publication_date: work.date,
      description: `<p>${work.title}</p>`,
      access_right: isRestricted(work) ? 'restricted' : 'open',
      creators: authorsOf(exchange.world, work, 10).map(({ name, institution }) => ({
        name,
        affiliation: institution.name,
      })),
      license: { id: `${location?.license}-4.0` },
    },
    title: work.title,
    links,
    updated: `${work.date}T00:00:00+00:00`,
    revision: 1,
    files:
      location && !isRestricted(work)
        ? [
            {
              id: `f${id}`,
              key: 'paper.pdf',
              size: bytes.length,
              checksum: `md5:${hash('md5', bytes)}`,
              links: { self: location.url },
            },
          ]
        : [],
    owners: [{ id: '1' }],
    status: 'published',
    state: 'done',
    submitted: true,
  };
}

export const zenodo: Service = {
  name: 'zenodo',
  hosts: ['zenodo.org'],
  pool: ({ path }) => (path === '/api/records' ? SEARCH : path.startsWith('/api/') ? GUEST : null),
  tooMany: (_exchange, wait) =>
    json({ status: 429, message: '30 per 1 minute' }, 429, {
      'x-ratelimit-limit': '30',
      'x-ratelimit-remaining': '0',
      'retry-after': String(wait),
    }),
  async handle(exchange): Promise<Reply> {
    const { path, query, world } = exchange;
    const missing = json({ status: 404, message: 'PID does not exist.' }, 404);
    if (path === '/api/records') {
      const size = Number(query.get('size') ?? 10);
      if (size > SEARCH_LIMIT)
        return json(
          {
            status: 400,
            message: 'A validation error occurred.',
            errors: [{ field: 'size', messages: [`Page size cannot be greater than ${SEARCH_LIMIT}.`] }],
          },
          400,
        );
      const work = world.byDoi(/doi:"?([^"\s]+)"?/.exec(query.get('q') ?? '')?.[1] ?? '');
      const hits = work && file(work) ? [await record(exchange, work)] : [];
      return json({ hits: { hits, total: hits.length }, aggregations: {}, links: { self: exchange.url.href } });
    }
    const [, api, id = '', rest = ''] = /^(\/api)?\/records\/(\d+)(\/.*)?$/.exec(path) ?? [];
    const work = world.namedIn(id)[0];
    const location = work && file(work);
    if (!work || !location) return missing;
    const isConcept = id.startsWith('2');
    if (api === undefined)
      return isConcept
        ? redirect(at('zenodo.org', `/records/1${id.slice(1)}`))
        : html(landingPage(world, work.locations[1] ?? location));
    if (isConcept) return rest === '' ? redirect(at('zenodo.org', `/api/records/1${id.slice(1)}`)) : missing;
    if (rest === '') return json(await record(exchange, work));
    if (isRestricted(work)) return json({ status: 403, message: 'Permission denied.' }, 403);
    if (rest !== '/files/paper.pdf/content') return missing;
    const reply = await exchange.file(location);
    return { ...reply, headers: { ...reply.headers, 'content-type': 'application/octet-stream' } };
  },
};
