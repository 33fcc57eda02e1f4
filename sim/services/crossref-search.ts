import { author, journalOf } from '../world/people.ts';
import type { World } from '../world/world.ts';

/** Supported list parameters (api.crossref.org/swagger-ui); others are rejected. */
const LIST_PARAMETERS =
  /^(?:query(?:\.(?:affiliation|author|bibliographic|chair|container-title|contributor|degree|description|editor|event-acronym|event-location|event-name|event-sponsor|event-theme|funder-name|publisher-location|publisher-name|standards-body-acronym|standards-body-name|title|translator))?|rows|offset|cursor|select|filter|facet|sort|order|sample|mailto)$/;
const SELECTABLE = new Set(
  'DOI,title,subtitle,author,issued,published,published-online,published-print,container-title,type,score,URL,link,license,relation,resource,ISSN,publisher,prefix,member,reference,abstract,page,volume,issue,subject,created,deposited,indexed,is-referenced-by-count,references-count,update-to,editor,funder'.split(
    ',',
  ),
);

/** The error message for an invalid query, as Crossref words it; undefined if valid. */
export function refusedQuery(query: URLSearchParams): Record<string, string> | undefined {
  const unknown = [...query.keys()].find((name) => !LIST_PARAMETERS.test(name));
  if (unknown !== undefined)
    return {
      type: 'parameter-not-found',
      value: unknown,
      message: `Parameter ${unknown} specified but there is no such parameter available on any route`,
    };
  const field = query
    .get('select')
    ?.split(',')
    .find((name) => !SELECTABLE.has(name));
  if (field !== undefined)
    return {
      type: 'parameter-not-allowed',
      value: field,
      message: `Select ${field} specified but there is no such field available`,
    };
  const rows = Number(query.get('rows') ?? 20);
  if (!(rows >= 0 && rows <= 1_000))
    return {
      type: 'integer-not-valid',
      value: String(query.get('rows')),
      message: 'Integer specified as rows must be a positive integer less than or equal to 1000',
    };
  return undefined;
}

/**
 * Searches words in any order in titles, authors, venues and years. Always returns something, so clients must check the
 * results. Rare words weigh more.
 */
export function matching(world: World, text: string): number[] {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  if (words.size === 0)
    return Array.from({ length: world.size }, (_, index) => index).filter((index) => isHere(world, index));
  const holding = new Map<string, number>();
  const texts = Array.from({ length: world.size }, (_, index): ReadonlySet<string> => {
    if (!isHere(world, index)) return new Set();
    const work = world.work(index);
    const [first] = work.authors;
    const person = first === undefined ? null : author(world.parameters.seed, first);
    const said = `${work.title} ${person?.family ?? ''} ${journalOf(world.publishers[work.source])} ${work.year}`;
    const held = new Set((said.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => words.has(word)));
    for (const word of held) holding.set(word, (holding.get(word) ?? 0) + 1);
    return held;
  });
  const score = (held: ReadonlySet<string>): number =>
    [...held].reduce((sum, word) => sum + Math.log(1 + world.size / (holding.get(word) ?? 1)), 0);
  return texts
    .map((held, index) => [index, score(held)] as const)
    .filter(([, each]) => each > 0)
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .map(([index]) => index);
}

function isHere(world: World, index: number): boolean {
  return world.isThere(index) && world.work(index).agency === 'crossref';
}
