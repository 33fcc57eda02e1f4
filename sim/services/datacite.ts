import type { Pool, Service } from '../server/exchange.ts';
import { doiIn, isIdentified } from '../server/exchange.ts';
import { json } from '../server/reply.ts';
import { listedIn } from '../world/locations.ts';
import { authorsOf } from '../world/people.ts';
import type { Work } from '../world/types.ts';
import type { World } from '../world/world.ts';

const IDENTIFIED: Pool = { name: 'datacite', perSecond: 1_000 / 300, burst: 100 };
const UNKNOWN: Pool = { name: 'datacite-unidentified', perSecond: 500 / 300, burst: 50 };

function render(world: World, work: Work): Record<string, unknown> {
  const license = work.locations.find((location) => location.license !== null)?.license ?? null;
  return {
    id: work.doi,
    type: 'dois',
    attributes: {
      doi: work.doi,
      identifiers: [{ identifier: `https://doi.org/${work.doi}`, identifierType: 'DOI' }],
      creators: authorsOf(world, work, 20).map(({ family, given, institution }) => ({
        name: `${family}, ${given}`,
        familyName: family,
        affiliation: [institution.name],
      })),
      titles: [{ title: work.title }],
      publisher: 'Simulated Repository',
      subjects: [],
      dates: [{ date: work.date, dateType: 'Issued' }],
      language: work.language,
      types: {
        ris: 'RPRT',
        bibtex: 'article',
      },
      relatedIdentifiers: [],
      sizes: [],
      formats: [],
      rightsList:
        license === null
          ? []
          : [
              {
                rights: license,
                rightsUri: `https://creativecommons.org/licenses/${license.replace('cc-', '')}/4.0/`,
                rightsIdentifier: `${license}-4.0`,
              },
            ],
      url: work.doiTarget?.url ?? null,
      contentUrl: contentOf(work),
      schemaVersion: 'http://datacite.org/schema/kernel-4',
      isActive: true,
      state: 'findable',
      created: `${work.date}T00:00:00.000Z`,
      registered: `${work.date}T00:00:00.000Z`,
      updated: `${work.date}T00:00:00.000Z`,
    },
    relationships: { client: { data: { id: 'sim.repo', type: 'clients' } } },
  };
}

/** Files registered by the repository; most register none. */
function contentOf(work: Work): string[] | null {
  const files = listedIn(work, 'datacite').map(({ url }) => url);
  return files.length > 0 ? files : null;
}

export const datacite: Service = {
  name: 'datacite',
  hosts: ['api.datacite.org'],
  pool: (exchange) => (isIdentified(exchange) ? IDENTIFIED : UNKNOWN),
  tooMany: () => json({ errors: [{ status: '429', title: 'Too many requests' }] }, 429),
  handle({ url, world }) {
    const missing = json(
      { errors: [{ status: '404', title: "The resource you are looking for doesn't exist." }] },
      404,
    );
    if (!url.pathname.startsWith('/dois/')) return missing;
    const work = world.byDoi(doiIn(url.pathname.slice('/dois/'.length)));
    if (!work || work.agency !== 'datacite') return missing;
    return json({ data: render(world, work) }, 200, { 'content-type': 'application/vnd.api+json; charset=utf-8' });
  },
};
