import { hash } from 'node:crypto';

import type { Exchange, Pool, Service } from '../server/exchange.ts';
import { json, text } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { walledPage } from '../hosts/walls.ts';
import { at, numberOf } from '../world/identifiers.ts';
import { authorsOf } from '../world/people.ts';
import type { Work } from '../world/types.ts';

const POOL: Pool = { name: 'figshare', perSecond: 1, burst: 2 };

function light(work: Work): Record<string, unknown> {
  const id = Number(`2${numberOf(work.index)}`);
  return {
    id,
    title: work.title,
    doi: work.doi,
    handle: '',
    url: at('api.figshare.com', `/v2/articles/${id}`),
    published_date: `${work.date}T00:00:00Z`,
    resource_doi: null,
  };
}

async function complete(exchange: Exchange, work: Work): Promise<Record<string, unknown>> {
  const location = work.locations[0];
  const bytes = await exchange.bytes(location?.file);
  return {
    ...light(work),
    authors: authorsOf(exchange.world, work, 10).map(({ index, name }) => ({ id: index, full_name: name })),
    license:
      location?.license === 'cc0'
        ? { value: 2, name: 'CC0', url: 'https://creativecommons.org/publicdomain/zero/1.0/' }
        : { value: 1, name: 'CC BY 4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
    files: [
      {
        id: Number(`3${numberOf(work.index)}`),
        name: 'paper.pdf',
        size: bytes.length,
        is_link_only: false,
        download_url: location?.url,
        computed_md5: hash('md5', bytes),
        mimetype: 'application/pdf',
      },
    ],
    is_embargoed: false,
    embargo_type: null,
    is_confidential: false,
    version: 1,
  };
}

export const figshare: Service = {
  name: 'figshare',
  hosts: ['api.figshare.com', 'ndownloader.figshare.com', 'figshare.com'],
  pool: ({ url }) => (url.hostname.startsWith('api.') ? POOL : null),
  tooMany: () => json({ message: 'Too many requests', code: 'TooManyRequests' }, 429),
  async handle(exchange): Promise<Reply> {
    const { path, query, world, url } = exchange;
    const named = world.namedIn(path).find(({ archetype }) => archetype === 'A9-figshare');
    if (url.hostname.startsWith('ndownloader.'))
      return named?.locations[0] ? exchange.file(named.locations[0]) : text('Not Found', 404);
    if (!url.hostname.startsWith('api.')) return walledPage('challenge-403', exchange);
    if (path === '/v2/articles' || path === '/v2/articles/search') {
      const asked = path.endsWith('/search')
        ? ((JSON.parse(exchange.body || '{}') as { readonly doi?: string }).doi ?? '')
        : (query.get('doi') ?? '');
      const work = world.byDoi(asked);
      return json(work?.archetype === 'A9-figshare' ? [light(work)] : []);
    }
    return /^\/v2\/articles\/\d+$/.test(path) && named
      ? json(await complete(exchange, named))
      : json({ message: 'Entity not found', code: 'EntityNotFound' }, 404);
  },
};
