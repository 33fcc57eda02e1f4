import { AppError, normalizeDoi, wordsIn } from '../../base/index.ts';
import { normalizeOpenAlexId, normalizeTopicId, orcidIn } from '../ids.ts';

/** A query. `topic` is text or a topic id; filters narrow it down, or are used alone. */
export interface OpenAlexQuery {
  readonly topic?: string | undefined;
  /** Full-text search; no topic is looked up. */
  readonly search?: string | undefined;
  /** OpenAlex filters: `authorships.author.orcid:0000-…,cited_by_count:>10`. */
  readonly filter?: string | undefined;
  readonly yearStart?: number | undefined;
  readonly yearEnd?: number | undefined;
  readonly oaOnly?: boolean | undefined;
  readonly type?: string | undefined;
  readonly language?: string | undefined;
}

/** How a topic is queried: by id, one credit per page, or as a search, ten credits per page. */
export type Subject =
  | { readonly kind: 'topic'; readonly id: string; readonly name: string }
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'filter' };

const LONGEST_SEARCH = 1500;

/** Parameters of `/works`, without paging. */
export function worksParameters(query: OpenAlexQuery, subject: Subject): Readonly<Record<string, string>> {
  const filters: string[] = query.filter === undefined ? [] : [query.filter];
  if (subject.kind === 'topic') filters.push(`topics.id:${subject.id}`);
  const { yearStart, yearEnd } = query;
  if (yearStart !== undefined || yearEnd !== undefined) {
    filters.push(
      `publication_year:${yearStart === yearEnd ? String(yearStart) : `${yearStart ?? ''}-${yearEnd ?? ''}`}`,
    );
  }
  if (query.oaOnly) filters.push('is_oa:true');
  if (query.type !== undefined) filters.push(`type:${filterValue(query.type)}`);
  if (query.language !== undefined) filters.push(`language:${filterValue(query.language)}`);
  return {
    ...(subject.kind === 'search' && { search: subject.text.slice(0, LONGEST_SEARCH) }),
    ...(filters.length > 0 && { filter: filters.join(',') }),
  };
}

/** The topic with exactly these words, or the only one that contains them all. */
export function matchTopic(
  text: string,
  topics: readonly { readonly id: string; readonly display_name: string }[],
): Subject {
  const direct = normalizeTopicId(text);
  if (direct !== undefined) return { kind: 'topic', id: direct, name: direct };
  const wanted = wordsIn(text);
  const candidates = topics.flatMap(({ id, display_name: name }) => {
    const topic = normalizeTopicId(id);
    return topic === undefined ? [] : [{ id: topic, name, words: wordsIn(name) }];
  });
  const same = candidates.find(({ words }) => words.join(' ') === wanted.join(' '));
  const holding = candidates.filter(({ words }) => wanted.length > 0 && wanted.every((word) => words.includes(word)));
  const chosen = same ?? (holding.length === 1 ? holding[0] : undefined);
  return chosen ? { kind: 'topic', id: chosen.id, name: chosen.name } : { kind: 'search', text: text.trim() };
}

/** Several values are alternatives: `article|review`; a comma would end the filter and is refused. */
function filterValue(value: string): string {
  const trimmed = value.trim();
  if (/^[a-z0-9|!-]{1,200}$/i.test(trimmed)) return trimmed.toLowerCase();
  throw new AppError('OPENALEX_FILTER', `"${trimmed.slice(0, 100)}" cannot be used as a filter`, {
    hint: 'letters, digits and hyphens; several values separated by |',
  });
}

/** For a pasted openalex.org URL; undefined for other URLs. */
export function parseOpenAlexUrl(text: string): Pick<OpenAlexQuery, 'search' | 'filter'> | undefined {
  const url = /^https?:\/\//i.test(text.trim()) ? URL.parse(text.trim()) : null;
  if (!url || !/^(?:api\.|explore\.|www\.)?openalex\.org$/i.test(url.hostname) || !/^\/works\/?$/i.test(url.pathname))
    return undefined;
  const filter = url.searchParams.get('filter')?.trim() ?? '';
  const search = ['search', 'search.title_and_abstract', 'search.title', 'default.search']
    .map((name) => url.searchParams.get(name)?.trim() ?? '')
    .find((value) => value !== '');
  if (filter === '' && search === undefined) return undefined;
  return { ...(filter !== '' && { filter }), ...(search !== undefined && { search }) };
}

export interface WorkConditions {
  /** Works of these people, by ORCID. */
  readonly orcid?: readonly string[] | undefined;
  /** Works from these institutions, by ROR. */
  readonly ror?: readonly string[] | undefined;
  /** Works that cite these, by OpenAlex id or DOI. */
  readonly cites?: readonly string[] | undefined;
  /** Works that these cite. */
  readonly references?: readonly string[] | undefined;
}

export function filterFor(wanted: WorkConditions & Pick<OpenAlexQuery, 'filter'>): string | undefined {
  const each = (
    name: string,
    values: readonly string[] | undefined,
    read: (text: string) => string | undefined,
  ): string[] => {
    const found = (values ?? []).map((value) => {
      const known = read(value);
      if (known !== undefined) return known;
      throw new AppError('USAGE_FILTER', `"${value.slice(0, 100)}" is not a valid id for ${name}`, {
        hint: 'use an ORCID, a ROR id, a DOI, or an OpenAlex id such as W2741809807',
      });
    });
    return found.length === 0 ? [] : [`${name}:${found.join('|')}`];
  };
  const conditions = [
    ...(wanted.filter === undefined ? [] : [wanted.filter.trim()]),
    ...each('authorships.author.orcid', wanted.orcid, (text) => orcidIn(text) ?? undefined),
    ...each('authorships.institutions.ror', wanted.ror, rorUrl),
    ...each('cites', wanted.cites, workName),
    ...each('cited_by', wanted.references, workName),
  ];
  return conditions.length === 0 ? undefined : conditions.join(',');
}

/** A work's OpenAlex id, or a DOI, which must be looked up first. */
function workName(text: string): string | undefined {
  return normalizeOpenAlexId(text) ?? normalizeDoi(text);
}

function rorUrl(text: string): string | undefined {
  const id = /^(?:https?:\/\/ror\.org\/)?(0[a-z0-9]{8,9})$/i.exec(text.trim())?.[1];
  return id === undefined ? undefined : `https://ror.org/${id.toLowerCase()}`;
}
