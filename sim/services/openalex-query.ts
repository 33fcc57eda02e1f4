import { entries } from '../random/entries.ts';
import { author } from '../world/people.ts';
import { TOPICS } from '../world/topics.ts';
import type { World } from '../world/world.ts';
import { FLAG, holdsTopic, topicIndex } from '../world/world.ts';

/** A query error with the message of the real service. */
export class QueryFault extends Error {
  readonly kind: 'Invalid query parameters error.' | 'Pagination error.';

  constructor(message: string, kind: QueryFault['kind'] = 'Invalid query parameters error.') {
    super(message);
    this.kind = kind;
  }
}

const PARAMETERS = new Set(
  entries(`filter; search; search.exact; search.title; search.title_and_abstract;
  search.semantic; sort; page; per_page; per-page; cursor; select; sample; seed; group_by; include_xpac; format;
  data_version; mailto; api_key; api-key; q`),
);

/** Rejects what the real service rejects first. */
export function checkParameters(query: URLSearchParams): void {
  for (const name of query.keys())
    if (!PARAMETERS.has(name))
      throw new QueryFault(`${name} is not a valid parameter. Valid parameters are: ${[...PARAMETERS].join(', ')}.`);
  if (query.getAll('filter').length > 1) throw new QueryFault('Only one filter parameter is allowed.');
}

type Test = (index: number) => boolean;

export function selectWorks(world: World, query: URLSearchParams): number[] {
  const tests = parseFilter(world, query.get('filter') ?? '');
  const words = searchWords(query);
  const withXpac = query.get('include_xpac') === 'true';
  const { title, flags } = world.columns;
  const found: number[] = [];
  for (let index = 0; index < world.size; index += 1) {
    if (!world.isThere(index) || (!withXpac && ((flags[index] ?? 0) & FLAG.xpac) !== 0)) continue;
    if (words.length > 0) {
      const lower = (title[index] ?? '').toLowerCase();
      if (!words.every((word) => lower.includes(word))) continue;
    }
    if (tests.every((test) => test(index))) found.push(index);
  }
  return order(world, sample(found, query), query.get('sort'));
}

function sample(found: number[], query: URLSearchParams): number[] {
  const wanted = Number(query.get('sample') ?? 0);
  if (wanted <= 0) return found;
  const step = Math.max(1, Math.floor(found.length / wanted));
  return found.filter((_, at) => at % step === 0).slice(0, wanted);
}

function searchWords(query: URLSearchParams): string[] {
  const searched = ['search', 'search.title', 'search.title_and_abstract', 'search.exact', 'search.semantic']
    .map((name) => query.get(name))
    .find((value) => value !== null);
  if (searched !== undefined && searched !== null && searched.length > 1_500)
    throw new QueryFault('Search values are limited to 1500 characters.');
  return (searched ?? '')
    .toLowerCase()
    .replaceAll(/["()]/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !/^(and|or|not)$/.test(word));
}

function order(world: World, found: number[], sort: string | null): number[] {
  const { citedBy, year } = world.columns;
  const [field = 'cited_by_count', direction = 'desc'] =
    (sort ?? 'cited_by_count:desc').split(',')[0]?.split(':') ?? [];
  const sign = direction === 'desc' ? -1 : 1;
  const value = ((): ((index: number) => number) => {
    if (field === 'cited_by_count') return (index) => citedBy[index] ?? 0;
    if (field === 'publication_year' || field === 'publication_date') return (index) => year[index] ?? 0;
    if (field === 'relevance_score' || field === 'display_name') return (index) => -index;
    throw new QueryFault(`${field} is not a valid sort field.`);
  })();
  return found.sort((a, b) => sign * (value(a) - value(b)) || a - b);
}

function parseFilter(world: World, filter: string): Test[] {
  if (filter === '') return [];
  return splitOutsideQuotes(filter).map((condition) => {
    const colon = condition.indexOf(':');
    if (colon === -1) throw new QueryFault(`${condition} is not a valid filter.`);
    const field = condition.slice(0, colon);
    const raw = condition.slice(colon + 1).replaceAll('"', '');
    const negated = raw.startsWith('!');
    const values = raw.replace(/^!/, '').split('|');
    if (values.length > 100) throw new QueryFault('Maximum number of values exceeded for filter: 100.');
    const tests = values.map((value) => testFor(world, field, value));
    return (index) => tests.some((test) => test(index)) !== negated;
  });
}

function splitOutsideQuotes(filter: string): string[] {
  return filter.match(/(?:[^,"]|"[^"]*")+/g) ?? [];
}

const FLAGS: Readonly<Record<string, number>> = {
  is_oa: FLAG.open,
  'open_access.is_oa': FLAG.open,
  has_doi: FLAG.doi,
  is_retracted: FLAG.retracted,
  has_pmcid: FLAG.pmcid,
  has_abstract: FLAG.abstract,
  'has_content.pdf': FLAG.content,
  has_fulltext: FLAG.content,
  has_pdf_url: FLAG.pdf,
  is_xpac: FLAG.xpac,
};

function testFor(world: World, field: string, value: string): Test {
  const { year, flags, topics, citedBy } = world.columns;
  const bit = FLAGS[field];
  if (bit !== undefined) return (index) => (((flags[index] ?? 0) & bit) !== 0) === (value === 'true');
  switch (field) {
    case 'topics.id': {
      const topic = topicIndex(value);
      return (index) => topic !== -1 && holdsTopic(topics[index] ?? 0, topic);
    }
    case 'primary_topic.id': {
      const topic = topicIndex(value);
      return (index) => ((topics[index] ?? 255) & 255) === topic;
    }
    case 'primary_topic.subfield.id':
    case 'primary_topic.field.id': {
      const part = field.includes('subfield') ? 'subfield' : 'field';
      const wanted = Number(/\d+$/.exec(value)?.[0]);
      return (index) => TOPICS[(topics[index] ?? 255) & 255]?.[part][0] === wanted;
    }
    case 'primary_topic.domain.id':
      return () => value.endsWith('3');
    case 'publication_year':
      return range(value, (index) => year[index] ?? 0);
    case 'cited_by_count':
      return range(value, (index) => citedBy[index] ?? 0);
    case 'from_publication_date':
      return (index) => world.work(index).date >= value;
    case 'to_publication_date':
      return (index) => world.work(index).date <= value;
    case 'has_content.grobid_xml':
      return (index) => world.work(index).hasContent.tei === (value === 'true');
    case 'type':
      return (index) => world.work(index).type === value;
    case 'language':
      return (index) => world.work(index).language === value;
    case 'doi': {
      const found = world.byDoi(value.replace(/^https?:\/\/doi\.org\//i, ''));
      return (index) => found !== undefined && world.work(index).doi === found.doi;
    }
    case 'ids.pmid':
    case 'pmid':
      return (index) => index === world.byPmid(value.replace(/\D/g, ''))?.index;
    case 'openalex':
    case 'openalex_id':
    case 'ids.openalex':
      return (index) => index === world.byId(idIn(value))?.index;
    case 'cites': {
      const cited = world.byId(idIn(value))?.index;
      return (index) => cited !== undefined && world.work(index).references.includes(cited);
    }
    case 'cited_by': {
      const citing = world.byId(idIn(value));
      return (index) => citing?.references.includes(index) === true;
    }
    case 'author.orcid':
    case 'authorships.author.orcid': {
      const orcid = value.replace(/^https?:\/\/orcid\.org\//i, '');
      return (index) => world.work(index).authors.some((each) => author(world.parameters.seed, each).orcid === orcid);
    }
    case 'institutions.ror':
    case 'authorships.institutions.ror':
      return (index) =>
        world.work(index).authors.some((each) => author(world.parameters.seed, each).institution.ror === value);
    case 'title.search':
    case 'display_name.search':
    case 'default.search':
      return (index) => (world.columns.title[index] ?? '').toLowerCase().includes(value.toLowerCase());
    default:
      throw new QueryFault(
        `${field} is not a valid field. Valid fields are underscore or hyphenated versions of: topics.id, primary_topic.id, publication_year, is_oa, has_doi, type, language, doi.`,
      );
  }
}

function idIn(value: string): string {
  return value.replace(/^https:\/\/openalex\.org\//i, '');
}

function range(value: string, read: (index: number) => number): Test {
  const between = /^(\d*)-(\d*)$/.exec(value);
  if (between) {
    const low = between[1] === '' ? -Infinity : Number(between[1]);
    const high = between[2] === '' ? Infinity : Number(between[2]);
    return (index) => read(index) >= low && read(index) <= high;
  }
  if (value.startsWith('>')) return (index) => read(index) > Number(value.slice(1));
  if (value.startsWith('<')) return (index) => read(index) < Number(value.slice(1));
  if (!/^\d+$/.test(value)) throw new QueryFault(`Value for range filter must be a number, not ${value}.`);
  return (index) => read(index) === Number(value);
}
