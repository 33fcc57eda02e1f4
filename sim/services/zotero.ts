import type { Pool, Service } from '../server/exchange.ts';
import { json, text } from '../server/reply.ts';
import { SIM_KEYS } from '../server/run-state.ts';
import { authorsOf, journalOf } from '../world/people.ts';
import type { Work } from '../world/types.ts';
import type { World } from '../world/world.ts';

/** Zotero documents no rate: four concurrent requests, and `Backoff` when busy. */
const POOL: Pool = { name: 'zotero', perSecond: 5, burst: 20, concurrency: 4 };
/** Library version: changes only with the world. */
const VERSION = 4_711;
const MOST = 100;
const BACKOFF_SECONDS = 2;

/** An item in `format=csljson`; some entries have no DOI. */
function item(world: World, owner: string, work: Work): Record<string, unknown> {
  return {
    id: `${owner}/${work.id}`,
    type: work.type === 'preprint' ? 'article' : 'article-journal',
    title: work.title,
    'container-title': journalOf(world.publishers[work.source]),
    author: authorsOf(world, work, 20).map(({ name }) => ({ literal: name })),
    issued: { 'date-parts': [[String(work.year)]] },
    ...(work.doi !== null && { DOI: work.doi }),
  };
}

/** A library contains every work with a DOI, a collection every third one: enough for several pages. */
function* itemsOf(world: World, isCollection: boolean): Generator<Work> {
  for (const work of world.works()) {
    const isIn = work.doi !== null && work.duplicateOf === null && (!isCollection || work.index % 3 === 0);
    if (isIn) yield work;
  }
}

/** Zotero's web API, version 3, limited to reading items. */
export const zotero: Service = {
  name: 'zotero',
  hosts: ['api.zotero.org'],
  pool: ({ path }) => (path === '/robots.txt' ? null : POOL),
  tooMany: (_exchange, waitSeconds) => text('Too many requests', 429, { 'retry-after': String(waitSeconds) }),
  handle({ path, query, headers, world }) {
    const [, kind = '', id = '', collection] =
      /^\/(users|groups)\/(\d+)(?:\/collections\/([A-Z0-9]{8}))?\/items\/top$/.exec(path) ?? [];
    if (kind === '') return text('Not found', 404);
    // User libraries are private, group libraries public.
    if (kind === 'users' && headers['zotero-api-key'] !== SIM_KEYS.zotero) return text('Forbidden', 403);
    if (headers['zotero-api-version'] !== '3') return text('Not found', 404);
    if (query.get('format') !== 'csljson') return text('only csljson is simulated', 400);
    const version = { 'last-modified-version': String(VERSION), 'zotero-api-version': '3' };
    if (Number(headers['if-modified-since-version'] ?? -1) >= VERSION) return text('', 304, version);
    const all = [...itemsOf(world, collection !== undefined)];
    const start = Number(query.get('start') ?? 0);
    const shown = all.slice(start, start + Math.min(MOST, Number(query.get('limit') ?? 25)));
    return json({ items: shown.map((work) => item(world, id, work)) }, 200, {
      ...version,
      'content-type': 'application/vnd.citationstyles.csl+json',
      'total-results': String(all.length),
      ...(start === 0 && { backoff: String(BACKOFF_SECONDS) }),
    });
  },
};
