import type { Service } from '../server/exchange.ts';
import { doiIn } from '../server/exchange.ts';
import type { Reply } from '../server/reply.ts';
import { html, json, redirect, text } from '../server/reply.ts';
import { encodeDoi } from '../truth/shown.ts';
import { at } from '../world/identifiers.ts';
import type { World } from '../world/world.ts';

/** doi.org: redirects to the registered page, sometimes over several hops. */
export const doi: Service = {
  name: 'doi',
  hosts: ['doi.org', 'dx.doi.org', 'linkinghub.resolver'],
  handle({ url, query, world, headers }) {
    if (url.pathname.startsWith('/doiRA/')) return agencyOf(world, doiIn(url.pathname.slice('/doiRA/'.length)));
    const work = world.byDoi(doiIn(url.pathname.slice(1)));
    if (!work?.doiTarget)
      return html(
        `<!DOCTYPE html><html><head><title>Error: DOI Not Found</title></head><body><h2>DOI Not Found</h2><p>This DOI cannot be found in the DOI System.</p>${'<!-- -->'.repeat(900)}</body></html>`,
        404,
      );
    const accept = headers['accept'] ?? '';
    if (accept !== '' && !/\*\/\*|html|pdf|xml/.test(accept)) return text('Not Acceptable', 406);
    const hop = Number(query.get('hop') ?? 1);
    const cookies = { 'set-cookie': `simhop=seen.${url.hostname}; Path=/` };
    if (hop < work.doiHops)
      return redirect(
        at('linkinghub.resolver', `/${encodeDoi(work.doi ?? '')}?hop=${hop + 1}`),
        hop % 2 ? 302 : 301,
        cookies,
      );
    return redirect(work.doiTarget.url, 302, cookies);
  },
};

/** The registration agency of a DOI or prefix (doi.org/the-identifier/resources/factsheets/doi-resolution). */
function agencyOf(world: World, asked: string): Reply {
  const prefix = asked.split('/')[0] ?? '';
  for (const work of world.works())
    if (work.doi?.startsWith(`${prefix}/`))
      return json([{ DOI: asked, RA: work.agency === 'datacite' ? 'DataCite' : 'Crossref' }]);
  return json([{ DOI: asked, status: 'DOI does not exist' }]);
}
