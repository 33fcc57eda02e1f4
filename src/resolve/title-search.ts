import { z } from 'zod';

import type { CitedWork } from '../works/index.ts';
import { maybe, normalizeDoi, validItems, lenient } from '../works/index.ts';
import type { Lookups } from './lookups.ts';
import { problemsOf } from './lookups.ts';
import type { Candidate, ScoredCandidate } from './match-title.ts';
import { chooseCandidate } from './match-title.ts';

const parts = z.object({ 'date-parts': maybe(z.array(z.array(maybe(z.number())))) });
const item = z.object({
  DOI: z.string(),
  title: maybe(z.array(z.string())),
  subtitle: lenient(z.array(z.string())),
  author: lenient(validItems(z.object({ family: maybe(z.string()), name: maybe(z.string()) }))),
  issued: lenient(parts),
  published: lenient(parts),
  'container-title': lenient(z.array(z.string())),
  type: lenient(z.string()),
});
const found = z.object({ message: z.object({ items: validItems(item) }) });

/** Result of a search by title. */
export type TitleFinding =
  | { readonly kind: 'accepted'; readonly candidate: ScoredCandidate }
  | { readonly kind: 'doubtful'; readonly why: string; readonly candidates: readonly ScoredCandidate[] }
  | { readonly kind: 'none' }
  /** Crossref refused or failed. */
  | { readonly kind: 'away'; readonly message: string };

export interface TitleSearch {
  readonly lookups: Lookups;
  readonly contact: string | null;
  /** Candidates from this score are accepted. */
  readonly accept: number;
  /** Candidates below this score are not shown. */
  readonly review: number;
}

const ROWS = 5;
/** Bounds responses larger than requested. */
const MOST_ROWS = 50;
const LONGEST_QUERY = 500;
/** Selected fields, so that responses stay small (api.crossref.org/swagger-ui: select). */
const SELECT = 'DOI,title,subtitle,author,issued,published,container-title,type';

/**
 * Searches Crossref for a work known by title. `query.bibliographic` matches the content of references: titles,
 * authors, ISSNs, years (crossref.org/documentation/retrieve-metadata/rest-api/tips-for-using-the-crossref-rest-api).
 */
export async function findByTitle(cited: CitedWork, search: TitleSearch, signal?: AbortSignal): Promise<TitleFinding> {
  const { lookups, contact, accept, review } = search;
  const words =
    cited.title === null ? cited.text : [cited.title, cited.authors[0] ?? '', cited.year ?? ''].join(' ').trim();
  const parameters = {
    'query.bibliographic': words.slice(0, LONGEST_QUERY),
    rows: String(ROWS),
    select: SELECT,
    ...(contact !== null && { mailto: contact }),
  };
  const answer = await lookups.json({ service: 'crossref', path: 'works', parameters }, found, signal);
  if (answer.kind === 'missing') return { kind: 'none' };
  if (answer.kind !== 'found') return { kind: 'away', message: problemMessage(answer) };
  const verdict = chooseCandidate(cited, answer.value.message.items.slice(0, MOST_ROWS).flatMap(candidateOf), {
    accept,
    review,
  });
  return verdict.kind === 'none' ? { kind: 'none' } : verdict;
}

function problemMessage(answer: Parameters<typeof problemsOf>[1]): string {
  const [problem] = problemsOf('crossref', answer);
  return problem?.kind === 'problem' ? problem.message : 'no answer';
}

function candidateOf(each: z.output<typeof item>): Candidate[] {
  const doi = normalizeDoi(each.DOI);
  const title = [each.title?.[0], each.subtitle?.[0]].filter(Boolean).join(': ');
  if (doi === undefined || title === '') return [];
  const [year] = (each.published ?? each.issued)?.['date-parts']?.[0] ?? [];
  return [
    {
      doi,
      title,
      authors: (each.author ?? []).flatMap(({ family, name }) => family ?? name ?? []),
      year: year ?? null,
      venue: each['container-title']?.[0] ?? null,
      type: each.type,
    },
  ];
}
