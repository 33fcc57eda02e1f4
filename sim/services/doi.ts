import type { Service } from '../server/exchange.ts';
import { doiIn } from '../server/exchange.ts';
import type { Reply } from '../server/reply.ts';
import { html, json, redirect, text } from '../server/reply.ts';
import { encodeDoi } from '../truth/shown.ts';
import { at } from '../world/identifiers.ts';
import type { World } from '../world/world.ts';

const CITATION = /citationstyles|bibtex|rdf\+xml|turtle|unixsd|datacite\+json/;

/** doi.org: redirects to the registered page, sometimes over several hops, and content negotiation. */
export const doi: Service = {
  name: 'doi',
  hosts: ['doi.org', 'dx.doi.org', 'linkinghub.resolver'],
  handle({ url, query, world, headers }) {
    if (url.pathname.startsWith('/doiRA/')) return agencyOf(world, doiIn(url.pathname.slice('/doiRA/'.length)));
    const isHandle = url.pathname.startsWith('/api/handles/');
    const name = doiIn(url.pathname.slice(isHandle ? '/api/handles/'.length : 1));
    const work = world.byDoi(name);
    if (isHandle) {
      if (!work?.doiTarget) return json({ responseCode: 100, handle: name }, 404);
      return json({
        responseCode: 1,
        handle: name,
        values: [{ index: 1, type: 'URL', data: { format: 'string', value: work.doiTarget.url } }],
      });
    }
    if (!work?.doiTarget)
      return html(
        `<!DOCTYPE html><html><head><title>Error: DOI Not Found</title></head><body><h2>DOI Not Found</h2><p>This DOI cannot be found in the DOI System.</p>${'<!-- -->'.repeat(900)}</body></html>`,
        404,
      );
    const accept = headers['accept'] ?? '';
    if (CITATION.test(accept)) {
      const target =
        work.agency === 'crossref'
          ? at('api.crossref.org', `/v1/works/${encodeURIComponent(work.doi ?? '')}/transform`)
          : at('api.datacite.org', `/dois/${encodeDoi(work.doi ?? '')}`);
      return redirect(target, 302, { vary: 'Origin, Accept' });
    }
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
