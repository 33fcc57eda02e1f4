import { AppError } from '../../base/index.ts';
import { normalizeTopicId } from '../ids/repository-id.ts';

/** What to look for. `topic` is text or a topic id; filters narrow it down. */
export interface OpenAlexQuery {
  readonly topic: string;
  readonly yearStart?: number | undefined;
  readonly yearEnd?: number | undefined;
  readonly oaOnly?: boolean | undefined;
  readonly type?: string | undefined;
  readonly language?: string | undefined;
}

/** How the topic is asked for: by its id, one credit a page, or as a search, ten credits a page. */
export type Subject =
  | { readonly kind: 'topic'; readonly id: string; readonly name: string }
  | { readonly kind: 'search'; readonly text: string };

const LONGEST_SEARCH = 1500;

/** The parameters of `/works` for a query, without paging. */
export function worksParameters(query: OpenAlexQuery, subject: Subject): Readonly<Record<string, string>> {
  const filters: string[] = [];
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

/** The topic whose name says what was asked: the same words, or the only one that has them all. */
export function matchTopic(
  text: string,
  topics: readonly { readonly id: string; readonly display_name: string }[],
): Subject {
  const direct = normalizeTopicId(text);
  if (direct !== undefined) return { kind: 'topic', id: direct, name: direct };
  const wanted = wordsOf(text);
  const candidates = topics.flatMap(({ id, display_name: name }) => {
    const topic = normalizeTopicId(id);
    return topic === undefined ? [] : [{ id: topic, name, words: wordsOf(name) }];
  });
  const same = candidates.find(({ words }) => words.join(' ') === wanted.join(' '));
  const holding = candidates.filter(({ words }) => wanted.length > 0 && wanted.every((word) => words.includes(word)));
  const chosen = same ?? (holding.length === 1 ? holding[0] : undefined);
  return chosen ? { kind: 'topic', id: chosen.id, name: chosen.name } : { kind: 'search', text: text.trim() };
}

/** Several values are alternatives: `article|review`; a comma would end the condition and is refused. */
function filterValue(value: string): string {
  const trimmed = value.trim();
  if (/^[a-z0-9|!-]{1,200}$/i.test(trimmed)) return trimmed.toLowerCase();
  throw new AppError('OPENALEX_FILTER', `"${trimmed.slice(0, 100)}" cannot be used as a filter`, {
    hint: 'letters, digits and hyphens; several values separated by |',
  });
}

function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .normalize('NFKD')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
