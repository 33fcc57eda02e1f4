import type { Exchange, Service } from '../server/exchange.ts';
import { keyOf } from '../server/exchange.ts';
import { json, redirect, text } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { at } from '../world/identifiers.ts';
import type { Location } from '../world/types.ts';
import { budgetHeaders, charge, refuseBadKey } from './openalex-budget.ts';

const FILE_CREDITS = 100;
const MISS_CREDITS = 1;

function find(exchange: Exchange, name: string): Location | undefined {
  const id = /^(W\d+)/i.exec(name)?.[1] ?? '';
  const extension = name.endsWith('.grobid-xml') ? 'tei' : 'pdf';
  return exchange.world
    .byId(id)
    ?.locations.find(({ visibleIn, kind }) => visibleIn.includes('openalex_content') && kind === extension);
}

/** OpenAlex content API: needs a key, costs credits, and redirects to a signed URL that must not receive the key. */
export const openalexContent: Service = {
  name: 'openalex_content',
  hosts: ['content.openalex.org', 'r2.openalex-content'],
  async handle(exchange): Promise<Reply> {
    const name = exchange.path.replace(/^\/works\//, '');
    const location = find(exchange, name);
    if (exchange.url.hostname.startsWith('r2.')) {
      if (!location || exchange.query.get('sig') !== `sig${location.work}`) return text('SignatureDoesNotMatch', 403);
      return exchange.file(location);
    }
    const refused = refuseBadKey(exchange);
    if (refused) return refused;
    if (keyOf(exchange) === null)
      return json({ error: 'API key required', message: 'Content downloads require an API key.' }, 401);
    const cost = location ? FILE_CREDITS : MISS_CREDITS;
    const poor = charge(exchange, cost);
    if (poor) return poor;
    if (!location)
      return json({ error: 'Not found', message: `No content for ${name}` }, 404, budgetHeaders(exchange, cost));
    return redirect(
      at('r2.openalex-content', `/works/${name}?sig=sig${location.work}`),
      302,
      budgetHeaders(exchange, cost),
    );
  },
};
