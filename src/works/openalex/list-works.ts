import * as z from 'zod';

import { AppError, doiPath, normalizeDoi, parseJson, wordsIn } from '../../base/index.ts';
import type { Credential, HttpResponse, Send } from '../../http/index.ts';
import type { Lookup } from '../lookup.ts';
import { lookupJson } from '../lookup.ts';
import {
  OPENALEX_SELECT,
  openAlexPage,
  openAlexRefusal,
  openAlexTopics,
  parseOpenAlex,
  parseOpenAlexWork,
} from './parse-work.ts';
import type { WorkRecord } from '../record/record.ts';
import type { Work } from '../work.ts';
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
type Subject =
  | { readonly kind: 'topic'; readonly id: string; readonly name: string }
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'filter' };

const LONGEST_SEARCH = 1500;

function worksParameters(query: OpenAlexQuery, subject: Subject): Readonly<Record<string, string>> {
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
function matchTopic(text: string, topics: readonly { readonly id: string; readonly display_name: string }[]): Subject {
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
  readonly orcid?: readonly string[] | undefined;
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

/** Position of a listing: enough to resume from the same page tomorrow. Plain data. */
export interface OpenAlexState {
  readonly subject: Subject;
  /** A cursor with a key, a page number without: cursors need a key. */
  readonly at: { readonly kind: 'cursor'; readonly cursor: string } | { readonly kind: 'page'; readonly page: number };
  /** Works yielded before this page. */
  readonly yielded: number;
}

/** The daily budget, from the last response's headers. */
interface OpenAlexBudget {
  readonly remainingUsd: number;
}

interface OpenAlexPage {
  readonly kind: 'page';
  readonly state: OpenAlexState;
  readonly total: number | null;
  readonly budget: OpenAlexBudget | null;
  readonly works: readonly { readonly work: Work; readonly record: WorkRecord }[];
}

/** Why a listing ended; everything but 'complete' and 'limit' can be resumed. */
export type OpenAlexEnd =
  | { readonly kind: 'complete' | 'limit' }
  | {
      readonly kind: 'later';
      readonly resumesAt: number;
      /** What is left of the daily budget, if that is the reason. */
      readonly budget: OpenAlexBudget | null;
      readonly state: OpenAlexState | null;
    }
  | {
      readonly kind: 'failed';
      readonly code: string;
      readonly message: string;
      readonly hint: string | null;
      readonly state: OpenAlexState | null;
    };

interface OpenAlexAccess {
  readonly send: Send;
  readonly baseUrl: URL;
  readonly credentials?: readonly Credential[];
  readonly mailto?: string | undefined;
}

export interface OpenAlexOptions extends OpenAlexAccess {
  /** At most 100, as documented. */
  readonly perPage?: number;
  readonly maxResults?: number | undefined;
  readonly resume?: OpenAlexState | undefined;
  readonly signal?: AbortSignal | undefined;
}

const MAX_PER_PAGE = 100;
/** Without a cursor only the first ten thousand can be listed. */
const PAGED_RESULTS = 10_000;

/** Pages without duplicate works, then why the listing ended: perhaps because the daily budget is spent. */
export async function* iterateOpenAlex(
  query: OpenAlexQuery,
  options: OpenAlexOptions,
): AsyncGenerator<OpenAlexPage | OpenAlexEnd> {
  const { maxResults = Infinity } = options;
  const perPage = Math.max(1, Math.min(MAX_PER_PAGE, options.perPage ?? MAX_PER_PAGE));
  const keyed = (options.credentials ?? []).some(({ origin }) => origin === options.baseUrl.origin);
  let state = options.resume;
  if (!state) {
    const subject = await subjectOf(query, options);
    if (isEnd(subject)) {
      yield subject;
      return;
    }
    state = { subject, at: keyed ? { kind: 'cursor', cursor: '*' } : { kind: 'page', page: 1 }, yielded: 0 };
  }
  const seen = new Set<string>();
  const positions = new Set<string>();
  while (state.yielded < maxResults) {
    const parameters = {
      ...worksParameters(query, state.subject),
      per_page: String(perPage),
      select: OPENALEX_SELECT,
      ...(state.at.kind === 'cursor' ? { cursor: state.at.cursor } : { page: String(state.at.page) }),
    };
    const asked = request('works', parameters, options);
    const answer = await lookupJson(options.send, asked, openAlexPage, options.signal);
    if (answer.kind !== 'found') {
      yield endOf(answer, state);
      return;
    }
    const { meta, results } = answer.value;
    const at = new Date().toISOString();
    const found = results.flatMap((result) => parseOpenAlex(result, at) ?? []);
    const works = [...new Map(found.map((each) => [each.work.id, each])).values()]
      .filter(({ work }) => !seen.has(work.id))
      .slice(0, maxResults - state.yielded);
    for (const { work } of works) seen.add(work.id);
    yield { kind: 'page', state, total: meta.count, budget: budgetOf(answer.response), works };
    const yielded: number = state.yielded + works.length;
    if (yielded >= maxResults) break;
    positions.add(JSON.stringify(state.at));
    const next = nextPosition(state, meta.next_cursor, results.length, perPage, meta.count);
    const isRepeated = next !== undefined && positions.has(JSON.stringify(next));
    // The count may be off by works that were merged or removed, but not by a page.
    const isBroken = results.length === 0 && yielded + perPage <= (meta.count ?? 0);
    if (isBroken || (isRepeated && yielded < (meta.count ?? 0))) {
      const fault = isBroken ? 'a page is empty' : 'the cursor leads back to a page already read';
      const message = `${fault}, after ${yielded} of ${meta.count ?? 0} works`;
      yield { kind: 'failed', code: 'OPENALEX_FAILED', message, hint: null, state };
      return;
    }
    if (!next || isRepeated) {
      yield { kind: 'complete' };
      return;
    }
    state = { subject: state.subject, at: next, yielded };
  }
  yield { kind: 'limit' };
}

function isEnd(subject: Subject | OpenAlexEnd): subject is OpenAlexEnd {
  return subject.kind === 'later' || subject.kind === 'failed';
}

/** Some of the works that a query would list. */
export interface OpenAlexSample {
  readonly kind: 'sample';
  /** How many works the query would list. */
  readonly total: number;
  readonly subject: Subject;
  readonly works: readonly Work[];
  /** Charged requests. */
  readonly pages: number;
  /** What is left of the daily budget; null if the service did not say. */
  readonly budget: OpenAlexBudget | null;
}

/** Draws works of a query at random. Costs two pages. */
export async function sampleOpenAlex(
  query: OpenAlexQuery,
  size: number,
  options: OpenAlexOptions,
): Promise<OpenAlexSample | OpenAlexEnd> {
  const subject = await subjectOf(query, options);
  if (isEnd(subject)) return subject;
  const selected = worksParameters(query, subject);
  const ask = async (parameters: Readonly<Record<string, string>>) =>
    await lookupJson(
      options.send,
      request('works', { ...selected, ...parameters }, options),
      openAlexPage,
      options.signal,
    );
  const counted = await ask({ per_page: '1', select: 'id' });
  if (counted.kind !== 'found') return endOf(counted, null);
  const total = counted.value.meta.count ?? counted.value.results.length;
  const wanted = Math.min(MAX_PER_PAGE, size);
  const sample = (works: readonly Work[], pages: number, response: HttpResponse): OpenAlexSample => {
    return { kind: 'sample', total, subject, works, pages, budget: budgetOf(response) };
  };
  if (total === 0) return sample([], 1, counted.response);
  const drawn = await ask({
    per_page: String(wanted),
    select: OPENALEX_SELECT,
    // OpenAlex refuses a sample of everything.
    ...(total > wanted && { sample: String(wanted), seed: '1' }),
  });
  if (drawn.kind !== 'found') return endOf(drawn, null);
  const works = drawn.value.results.flatMap((record) => parseOpenAlexWork(record) ?? []);
  return sample(works, 2, drawn.response);
}

/** Looks a topic up by its name; autocomplete is free of charge. */
async function subjectOf({ topic, search }: OpenAlexQuery, options: OpenAlexOptions): Promise<Subject | OpenAlexEnd> {
  if (topic === undefined) return search === undefined ? { kind: 'filter' } : { kind: 'search', text: search };
  const id = normalizeTopicId(topic);
  if (id !== undefined) return { kind: 'topic', id, name: id };
  const asked = request('autocomplete/topics', { q: topic.trim().slice(0, 200) }, options);
  const question = { ...asked, cacheForMs: 24 * 3_600_000 };
  const found = await lookupJson(options.send, question, openAlexTopics, options.signal);
  if (found.kind === 'found') return matchTopic(topic, found.value.results);
  // Without suggestions the text can still be searched; only a missing permission ends here.
  if (found.kind === 'later' || (found.kind === 'problem' && found.reason === 'unauthorized'))
    return endOf(found, null);
  return { kind: 'search', text: topic.trim() };
}

function request(path: string, parameters: Readonly<Record<string, string>>, options: OpenAlexAccess) {
  const url = new URL(path, options.baseUrl);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (options.mailto !== undefined) url.searchParams.set('mailto', options.mailto);
  return { url, robots: 'terms' as const, credentials: options.credentials ?? [] };
}

export async function findOpenAlexId(name: string, access: OpenAlexAccess, signal?: AbortSignal): Promise<string> {
  const asked = request(`works/doi:${doiPath(normalizeDoi(name) ?? name)}`, { select: 'id' }, access);
  const answer = await lookupJson(access.send, asked, z.object({ id: z.string() }), signal);
  const id = answer.kind === 'found' ? normalizeOpenAlexId(answer.value.id) : undefined;
  if (id !== undefined) return id;
  const why = answer.kind === 'problem' ? answer.message : answer.kind === 'later' ? 'rate-limited' : 'no such work';
  throw new AppError('OPENALEX_UNKNOWN_WORK', `${name} was not found in OpenAlex: ${why}`, {
    hint: 'check the DOI, or name the work by its OpenAlex id, such as W2741809807',
  });
}

/** Undefined after the last page. An exact multiple ends with an empty page. */
function nextPosition(
  state: OpenAlexState,
  nextCursor: string | null,
  results: number,
  perPage: number,
  total: number | null,
): OpenAlexState['at'] | undefined {
  if (results === 0) return undefined;
  if (state.at.kind === 'cursor') return nextCursor === null ? undefined : { kind: 'cursor', cursor: nextCursor };
  const page = state.at.page + 1;
  // A page in the middle may be short of works that were merged or removed.
  const isLast = total === null ? results < perPage : state.at.page * perPage >= total;
  return isLast || page * perPage > PAGED_RESULTS ? undefined : { kind: 'page', page };
}

function budgetOf(response: HttpResponse | undefined): OpenAlexBudget | null {
  const remainingUsd = Number(response?.headers['x-ratelimit-remaining-usd'] ?? Number.NaN);
  return Number.isFinite(remainingUsd) ? { remainingUsd } : null;
}

function endOf(answer: Exclude<Lookup<unknown>, { kind: 'found' }>, state: OpenAlexState | null): OpenAlexEnd {
  if (answer.kind === 'later') {
    const budget = isBudget(answer.response) ? budgetOf(answer.response) : null;
    return { kind: 'later', resumesAt: answer.at, budget, state };
  }
  if (answer.kind === 'missing') {
    return {
      kind: 'failed',
      code: 'OPENALEX_MISSING',
      message: `status ${answer.status}`,
      hint: 'check the base URL of OpenAlex',
      state,
    };
  }
  const unauthorized = answer.reason === 'unauthorized';
  return {
    kind: 'failed',
    code: unauthorized ? 'OPENALEX_UNAUTHORIZED' : 'OPENALEX_FAILED',
    message: answer.message,
    hint: unauthorized
      ? 'set a valid OpenAlex API key; one is free at openalex.org'
      : answer.status === 400
        ? 'check --filter: use the names and values of OpenAlex'
        : 'OpenAlex or your connection to it may be down: run the same command to resume from this page',
    state,
  };
}

/** A 429 that mentions credits means the daily budget is spent. */
function isBudget(response: HttpResponse | undefined): boolean {
  if (response?.status !== 429) return false;
  const { data } = openAlexRefusal.safeParse(parseJson(response.body.toString('utf8')));
  if (!data) return false;
  return data.creditsRequired !== null || data.dailyRemainingUsd !== null || /budget|credit/i.test(data.message ?? '');
}
