import type { Pool, Service } from '../server/exchange.ts';
import { doiIn } from '../server/exchange.ts';
import { json, text } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { walledPage } from '../hosts/walls.ts';
import { listedIn } from '../world/locations.ts';
import { abstractOf, authorsOf } from '../world/people.ts';
import type { Location, Work } from '../world/types.ts';
import type { World } from '../world/world.ts';

const WEB: Pool = { name: 'biorxiv-web', perSecond: 1 / 3, burst: 1 };

function versions(world: World, work: Work, location: Location, server: string): Record<string, unknown>[] {
  const latest = Number(/v(\d+)\.full\.pdf$/.exec(location.url)?.[1] ?? 1);
  return Array.from({ length: latest }, (_, at) => ({
    title: work.title,
    authors: authorsOf(world, work, 10)
      .map(({ family, given }) => `${family}, ${given[0]}.`)
      .join('; '),
    doi: work.doi,
    date: work.date,
    version: String(at + 1),
    type: 'new results',
    license: (location.license ?? 'cc-no').replaceAll('-', '_'),
    category: 'ecology',
    abstract: abstractOf(world, work) ?? '',
    published: 'NA',
    server: server === 'biorxiv' ? 'bioRxiv' : 'medRxiv',
  }));
}

export const biorxiv: Service = {
  name: 'biorxiv',
  hosts: ['api.biorxiv.org', 'www.biorxiv.org', 'www.medrxiv.org'],
  pool: ({ url, path }) => (url.hostname.startsWith('www.') && path !== '/robots.txt' ? WEB : null),
  tooMany: () => text('error code: 1015', 429),
  async handle(exchange): Promise<Reply> {
    const { world, url } = exchange;
    if (url.hostname.startsWith('api.')) {
      const [, server = '', doi = ''] =
        /^\/details\/(biorxiv|medrxiv)\/(.+)\/na(?:\/json)?$/.exec(decodeURIComponent(url.pathname)) ?? [];
      const work = world.byDoi(doiIn(doi));
      const location = listedIn(work, 'biorxiv').find(({ host }) => host.includes(server));
      if (!work || !location) return json({ messages: [{ status: 'no posts found' }], collection: [] });
      return json({
        messages: [{ status: 'ok', category: 'all' }],
        collection: versions(world, work, location, server),
      });
    }
    const location = world.locationAt(url.href);
    if (location?.kind === 'pdf') return exchange.file(location);
    return location ? walledPage('challenge-403', exchange) : text('Not Found', 404);
  },
};
