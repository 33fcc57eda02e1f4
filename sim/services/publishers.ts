import type { Exchange, Service } from '../server/exchange.ts';
import { keyOf } from '../server/exchange.ts';
import { json } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { SIM_KEYS } from '../server/run-state.ts';
import { listedIn } from '../world/locations.ts';
import type { Location } from '../world/types.ts';

/** The location of a requested URL, regardless of the key. */
function askedFor({ url, world }: Exchange): Location | undefined {
  const wanted = new URL(url);
  wanted.searchParams.delete('api_key');
  return world.locationAt(wanted.href);
}

/** Springer Nature's Open Access API: records as JSON, articles as JATS, each with a key (dev.springernature.com). */
export const springerNature: Service = {
  name: 'springer_nature',
  hosts: ['api.springernature.com'],
  async handle(exchange): Promise<Reply> {
    const { path, query, world } = exchange;
    if (keyOf(exchange) !== SIM_KEYS.springer_nature) return json({ error: 'Invalid API key' }, 401);
    if (path === '/openaccess/jats') {
      const location = askedFor(exchange);
      return location ? exchange.file(location) : json({ error: 'not found' }, 404);
    }
    const doi = /^doi:(.+)$/.exec(query.get('q') ?? '')?.[1] ?? '';
    const work = world.byDoi(doi);
    const isOpen = listedIn(work, 'springer_nature').length > 0;
    const records =
      work && isOpen
        ? [{ identifier: `doi:${work.doi}`, doi: work.doi, title: work.title, openaccess: 'true', url: [] }]
        : [];
    return json({
      query: query.get('q'),
      result: [
        { total: String(records.length), start: '1', pageLength: '1', recordsDisplayed: String(records.length) },
      ],
      records,
    });
  },
};

/** Text mining at Wiley and Elsevier: files for clients with a token. */
function mining(name: string, host: string, header: string, key: string): Service {
  return {
    name,
    hosts: [host],
    async handle(exchange): Promise<Reply> {
      if (exchange.headers[header] !== key) return json({ 'error-response': { 'error-code': 'APIKEY_INVALID' } }, 401);
      const location = askedFor(exchange);
      return location ? exchange.file(location) : json({ 'service-error': { status: 'RESOURCE_NOT_FOUND' } }, 404);
    },
  };
}

export const wileyTdm: Service = mining('wiley_tdm', 'api.wiley.com', 'wiley-tdm-client-token', SIM_KEYS.wiley);
export const elsevierTdm: Service = mining('elsevier_tdm', 'api.elsevier.com', 'x-els-apikey', SIM_KEYS.elsevier);
