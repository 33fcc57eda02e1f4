import type { Service } from '../server/exchange.ts';
import { doiIn } from '../server/exchange.ts';
import { json } from '../server/reply.ts';
import { listedIn } from '../world/locations.ts';
import { journalOf } from '../world/people.ts';
import type { Location, Work } from '../world/types.ts';
import type { World } from '../world/world.ts';

const PLACEHOLDERS = /@example\.com$|^YOUR_EMAIL|^your@email/i;

function fault(status: number, message: string): ReturnType<typeof json> {
  return json({ HTTP_status_code: status, error: true, message }, status);
}

function renderLocation(location: Location): Record<string, unknown> {
  const isFile = location.kind === 'pdf';
  return {
    url: location.url,
    url_for_pdf: isFile ? location.url : null,
    url_for_landing_page: location.url,
    evidence: 'deprecated',
    license: location.license,
    version: location.version ?? 'submittedVersion',
    host_type: location.hostType === 'publisher' ? 'publisher' : 'repository',
    updated: 'deprecated',
  };
}

function render(world: World, work: Work): Record<string, unknown> {
  const open = listedIn(work, 'unpaywall').filter(({ isOa }) => isOa);
  const locations = open.map(renderLocation);
  const host = world.publishers[work.source];
  return {
    doi: work.doi,
    doi_url: `https://doi.org/${work.doi}`,
    title: work.title,
    is_paratext: false,
    published_date: work.date,
    year: work.year,
    publisher: journalOf(host).split(' ')[0],
    is_oa: open.length > 0,
    oa_status: open.length === 0 ? 'closed' : open[0]?.hostType === 'publisher' ? 'gold' : 'green',
    best_oa_location: locations[0] ?? null,
    oa_locations: locations,
    updated: '2026-01-10T00:00:00',
  };
}

export const unpaywall: Service = {
  name: 'unpaywall',
  hosts: ['api.unpaywall.org'],
  handle({ url, query, world }) {
    if (!url.pathname.startsWith('/v2/')) return fault(404, 'The requested URL was not found on the server.');
    const email = query.get('email') ?? '';
    if (!/^\S+@\S+\.\S+$/.test(email) || PLACEHOLDERS.test(email))
      return fault(422, 'Email address required in API call, for example ?email=you@your-domain.org');
    const doi = doiIn(url.pathname.slice('/v2/'.length));
    const work = world.byDoi(doi);
    if (!work || work.agency !== 'crossref')
      return fault(404, `'${doi}' isn't in Unpaywall. See details: https://unpaywall.org`);
    return json(render(world, work));
  },
};
