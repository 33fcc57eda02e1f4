import { sha256 } from '../../src/base/index.ts';
import type { Pool, Service } from '../server/exchange.ts';
import { json } from '../server/reply.ts';
import { listedIn } from '../world/locations.ts';
import { abstractOf, authorsOf, issnOf, journalOf } from '../world/people.ts';
import type { Work } from '../world/types.ts';
import type { World } from '../world/world.ts';

const POOL: Pool = { name: 'doaj', perSecond: 2, burst: 5 };
const PREFIX = /^\/api\/(?:v4\/)?search\/articles\//;

function render(world: World, work: Work): Record<string, unknown> {
  const host = world.publishers[work.source];
  return {
    id: sha256(work.id).slice(0, 32),
    created_date: `${work.date}T00:00:00Z`,
    bibjson: {
      title: work.title,
      year: String(work.year),
      month: '1',
      abstract: abstractOf(world, work) ?? '',
      author: authorsOf(world, work, 20).map(({ name, institution }) => ({ name, affiliation: institution.name })),
      identifier: [
        { id: asRegistered(world, work), type: 'doi' },
        { id: issnOf(host), type: 'eissn' },
      ],
      journal: {
        volume: '1',
        country: 'SE',
        publisher: 'Sim',
        language: ['EN'],
        title: journalOf(host),
        number: '1',
      },
      link: listedIn(work, 'doaj').map(({ kind, url }) => ({
        // Many journals label their article page as PDF.
        content_type: kind === 'pdf' || work.archetype === 'B-promised' ? 'PDF' : 'HTML',
        type: 'fulltext',
        url,
      })),
      keywords: [],
      subject: [],
    },
  };
}

/** Publishers register DOIs in mixed case, and DOAJ preserves it. */
function asRegistered(world: World, work: Work): string | null {
  return world.parameters.profile === 'reality' ? (work.doi?.toUpperCase() ?? null) : work.doi;
}

export const doaj: Service = {
  name: 'doaj',
  hosts: ['doaj.org'],
  pool: ({ path }) => (path.startsWith('/api/') ? POOL : null),
  tooMany: () => json({ status: 'too_many_requests', error: 'Rate limit exceeded' }, 429, { 'retry-after': '1' }),
  handle({ url, query, world }) {
    if (!PREFIX.test(url.pathname)) return json({ status: 'not_found', error: 'no such route' }, 404);
    const asked = decodeURIComponent(url.pathname.replace(PREFIX, ''));
    if (/[*~^]|\/.*\/$/.test(asked))
      return json({ status: 'bad_request', error: 'Query contains disallowed Lucene features' }, 400);
    const pageSize = Number(query.get('pageSize') ?? 10);
    if (pageSize > 100) return json({ status: 'bad_request', error: 'pageSize must not exceed 100' }, 400);
    const doi = /^(?:bibjson\.identifier\.id|doi):"?(.+?)"?$/.exec(asked)?.[1];
    const known = doi ? world.byDoi(doi.replaceAll('\\', '')) : undefined;
    // The field is matched exactly, including case.
    const isExact = world.parameters.profile !== 'reality' || doi === (known && asRegistered(world, known));
    const work = isExact ? known : undefined;
    const results = work && listedIn(work, 'doaj').length > 0 ? [render(world, work)] : [];
    return json({
      total: results.length,
      page: Number(query.get('page') ?? 1),
      pageSize,
      timestamp: '2026-01-15T00:00:00Z',
      query: asked,
      results,
    });
  },
};
