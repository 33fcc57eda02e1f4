import type { Exchange } from '../server/exchange.ts';
import { json } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { TOPICS } from '../world/topics.ts';
import { budgetHeaders, charge } from './openalex-budget.ts';
import { checkParameters } from './openalex-query.ts';
import { renderTopic } from './openalex-work.ts';

const PER_PAGE_LIMIT = 100;

export function topics(exchange: Exchange): Reply {
  checkParameters(exchange.query);
  const search = exchange.query.get('search');
  const poor = charge(exchange, search === null ? 1 : 10);
  if (poor) return poor;
  const perPage = Math.min(Number(exchange.query.get('per_page') ?? 25), PER_PAGE_LIMIT);
  const found = matchingTopics(search ?? '');
  return json(
    {
      meta: { count: found.length, db_response_time_ms: 4, page: 1, per_page: perPage, groups_count: null },
      results: found.slice(0, perPage).map((index) => renderTopic(index)),
    },
    200,
    budgetHeaders(exchange, search === null ? 1 : 10),
  );
}

/** Topics whose name or subjects contain every word. */
function matchingTopics(search: string): number[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return TOPICS.flatMap((topic, index) => {
    const known = `${topic.name} ${topic.subjects.join(' ')}`.toLowerCase();
    return words.every((word) => known.includes(word)) ? [index] : [];
  });
}

/** `GET /autocomplete/{entity}`: free. */
export function autocomplete(exchange: Exchange): Reply {
  const entity = exchange.path.slice('/autocomplete/'.length);
  const q = exchange.query.get('q') ?? '';
  const results =
    entity === 'topics'
      ? matchingTopics(q)
          .slice(0, 10)
          .map((index) => ({
            id: TOPICS[index]?.id,
            display_name: TOPICS[index]?.name,
            hint: TOPICS[index]?.subfield[1],
            entity_type: 'topic',
            external_id: null,
          }))
      : [];
  return json(
    { meta: { count: results.length, db_response_time_ms: 3, page: 1, per_page: 10 }, results },
    200,
    budgetHeaders(exchange, 0),
  );
}
