import type { Pool, Service } from '../server/exchange.ts';
import { keyOf } from '../server/exchange.ts';
import { SIM_KEYS } from '../server/run-state.ts';
import { json, redirect, text } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { at, numberOf } from '../world/identifiers.ts';
import { listedIn } from '../world/locations.ts';
import { abstractOf, authorsOf } from '../world/people.ts';
import type { Work } from '../world/types.ts';
import type { World } from '../world/world.ts';

const POOL: Pool = { name: 'core', perSecond: 25 / 60, burst: 10 };

function render(world: World, work: Work): Record<string, unknown> {
  const [listed] = listedIn(work, 'core');
  const number = numberOf(work.index);
  return {
    arxivId: work.arxivId ?? '',
    authors: authorsOf(world, work, 20).map(({ family, given }) => ({ name: `${family}, ${given}` })),
    citationCount: 0,
    contributors: [],
    outputs: [at('api.core.ac.uk', `/v3/outputs/${number}`)],
    abstract: abstractOf(world, work) ?? '',
    doi: work.doi ?? '',
    downloadUrl: listed?.url ?? '',
    id: number,
    identifiers: [
      ...(work.doi ? [{ identifier: work.doi, type: 'DOI' }] : []),
      { identifier: String(number), type: 'CORE_ID' },
    ],
    title: work.title,
    language: { code: work.language, name: work.language },
    publisher: '',
    references: [],
    sourceFulltextUrls: [],
    journals: [],
    links: listed
      ? [{ type: 'download', url: listed.url }]
      : [{ type: 'display', url: at('core.ac.uk', `/works/${number}`) }],
  };
}

export const core: Service = {
  name: 'core',
  hosts: ['api.core.ac.uk', 'core.ac.uk'],
  pool: ({ url }) => (url.hostname.startsWith('api.') ? POOL : null),
  tooMany: (_exchange, wait) =>
    json({ message: 'You have exceeded your rate limit' }, 429, {
      'x-ratelimit-remaining': '0',
      'retry-after': String(wait),
    }),
  async handle(exchange): Promise<Reply> {
    const { path, query, world } = exchange;
    if (!exchange.url.hostname.startsWith('api.')) {
      // The file host rejects requests that still carry the API key.
      if (exchange.headers['authorization'] !== undefined) return text('Bad Request', 400);
      const location = world.locationAt(at('core.ac.uk', path));
      return location ? exchange.file(location) : text('Not Found', 404);
    }
    if (path === '/v3/search/works')
      return redirect(at('api.core.ac.uk', `/v3/search/works/${exchange.url.search}`), 301);
    if (keyOf(exchange) !== SIM_KEYS.core) return json({ message: 'Unauthorized: an API key is required' }, 401);
    if (path === '/v3/search/works/') {
      const limit = Number(query.get('limit') ?? 10);
      if (limit > 100) return json({ message: 'Gateway Timeout' }, 504);
      const doi = /doi:"?([^"]+)"?/i.exec(query.get('q') ?? '')?.[1];
      const work = doi ? world.byDoi(doi.trim()) : undefined;
      const isKnown = listedIn(work, 'core').length > 0 || (work && work.index % 4 === 0);
      const results = work && isKnown ? [render(world, work)] : [];
      return json({
        totalHits: results.length,
        limit,
        offset: Number(query.get('offset') ?? 0),
        results: results.slice(0, limit),
      });
    }
    return json({ message: 'Not Found' }, 404);
  },
};
