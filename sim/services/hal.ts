import type { Service } from '../server/exchange.ts';
import { html, json, redirect } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { at } from '../world/identifiers.ts';
import { listedIn } from '../world/locations.ts';
import { authorsOf } from '../world/people.ts';
import type { Location, Work } from '../world/types.ts';
import type { World } from '../world/world.ts';

function render(world: World, work: Work, location: Location): Record<string, unknown> {
  const id = /\/(hal-\d+)\//.exec(location.url)?.[1] ?? '';
  return {
    halId_s: id,
    ...(work.doi && { doiId_s: work.doi }),
    title_s: [work.title],
    authFullName_s: authorsOf(world, work, 10).map(({ name }) => name),
    fileMain_s: location.url,
    ...(location.license && {
      licence_s: `http://creativecommons.org/licenses/${location.license.replace('cc-', '')}/`,
    }),
  };
}

/** A search also returns other deposits with their own files. */
function another(world: World, work: Work): Record<string, unknown>[] {
  if (world.parameters.profile !== 'reality') return [];
  const other = world.work((work.index + 1) % world.size);
  return [
    {
      halId_s: 'hal-09999999',
      doiId_s: other.doi === work.doi ? '10.5555/another' : (other.doi ?? '10.5555/another'),
      title_s: ['An altogether different inquiry into unrelated matters'],
      fileMain_s: at('hal.science', '/hal-09999999/document'),
    },
  ];
}

export const hal: Service = {
  name: 'hal',
  hosts: ['api.archives-ouvertes.fr', 'hal.science'],
  async handle(exchange): Promise<Reply> {
    const { path, query, world } = exchange;
    if (path === '/search/') {
      const asked = query.get('q') ?? '';
      // Solr parses a bare slash as the start of a regular expression.
      if (/doiId_(?:s|id):[^" ]*\//.test(asked))
        return json({ error: { msg: `org.apache.solr.search.SyntaxError: Cannot parse '${asked}'`, code: 400 } }, 400);
      const work = world.byDoi(/doiId_s:"([^"]+)"/.exec(asked)?.[1] ?? '');
      const [location] = listedIn(work, 'hal');
      const docs = work && location ? [...another(world, work), render(world, work, location)] : [];
      return json({ response: { numFound: docs.length, start: 0, maxScore: 1, numFoundExact: true, docs } });
    }
    const [, number = ''] = /^\/hal-(\d+)/.exec(path) ?? [];
    const [location] = listedIn(world.namedIn(number)[0], 'hal');
    if (!location) return html('<html><head><title>404</title></head><body>HAL: document not found</body></html>', 404);
    if (path.endsWith('/document')) return redirect(at('hal.science', `/hal-${number}/file/paper.pdf`));
    if (path.endsWith('/file/paper.pdf')) return exchange.file(location);
    return html(`<html><head><title>HAL</title></head><body>hal-${number}</body></html>`);
  },
};
