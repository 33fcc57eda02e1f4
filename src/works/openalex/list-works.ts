import { z } from 'zod';

import { AppError, doiPath, normalizeDoi, parseJson } from '../../base/index.ts';
import type { Credential, HttpResponse, Send } from '../../http/index.ts';
import type { Lookup } from '../lookup.ts';
import { lookupJson } from '../lookup.ts';
import type { OpenAlexQuery, Subject } from './query.ts';
import { matchTopic, worksParameters } from './query.ts';
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
import { normalizeOpenAlexId, normalizeTopicId } from '../ids.ts';

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
  /** Works that no earlier page had. */
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
  readonly maxResults?: number;
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
    const asked = request('works', pageParameters(query, state, perPage, options), options);
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

/** How a query is sent: a topic by id, a text as a search, or filters only. */
async function subjectOf({ topic, search }: OpenAlexQuery, options: OpenAlexOptions): Promise<Subject | OpenAlexEnd> {
  if (topic !== undefined) return await findSubject(topic, options);
  return search === undefined ? { kind: 'filter' } : { kind: 'search', text: search };
}

export type OpenAlexSample = Extract<Awaited<ReturnType<typeof sampleOpenAlex>>, { kind: 'sample' }>;

/** Costs two pages. */
export async function sampleOpenAlex(query: OpenAlexQuery, size: number, options: OpenAlexOptions) {
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
  const sample = (works: readonly Work[], pages: number, response: HttpResponse) =>
    ({ kind: 'sample', total, subject, works, /** Charged requests. */ pages, budget: budgetOf(response) }) as const;
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

/** Autocomplete is free of charge. */
async function findSubject(text: string, options: OpenAlexOptions): Promise<Subject | OpenAlexEnd> {
  if (normalizeTopicId(text) !== undefined) return matchTopic(text, []);
  const found = await lookupJson(
    options.send,
    { ...request('autocomplete/topics', { q: text.trim().slice(0, 200) }, options), cacheForMs: 24 * 3_600_000 },
    openAlexTopics,
    options.signal,
  );
  if (found.kind === 'found') return matchTopic(text, found.value.results);
  // Without suggestions the text can still be searched; only a missing permission ends here.
  if (found.kind === 'later' || (found.kind === 'problem' && found.reason === 'unauthorized'))
    return endOf(found, null);
  return { kind: 'search', text: text.trim() };
}

function request(path: string, parameters: Readonly<Record<string, string>>, options: OpenAlexAccess) {
  const url = new URL(path, options.baseUrl);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url, robots: 'terms' as const, credentials: options.credentials ?? [] };
}

export async function findOpenAlexId(name: string, access: OpenAlexAccess, signal?: AbortSignal): Promise<string> {
  const parameters = { select: 'id', ...(access.mailto !== undefined && { mailto: access.mailto }) };
  const asked = request(`works/doi:${doiPath(normalizeDoi(name) ?? name)}`, parameters, access);
  const answer = await lookupJson(access.send, asked, z.object({ id: z.string() }), signal);
  const id = answer.kind === 'found' ? normalizeOpenAlexId(answer.value.id) : undefined;
  if (id !== undefined) return id;
  const why = answer.kind === 'problem' ? answer.message : answer.kind === 'later' ? 'rate-limited' : 'no such work';
  throw new AppError('OPENALEX_UNKNOWN_WORK', `${name} was not found in OpenAlex: ${why}`, {
    hint: 'check the DOI, or name the work by its OpenAlex id, such as W2741809807',
  });
}

function pageParameters(
  query: OpenAlexQuery,
  state: OpenAlexState,
  perPage: number,
  options: OpenAlexOptions,
): Record<string, string> {
  return {
    ...worksParameters(query, state.subject),
    per_page: String(perPage),
    select: OPENALEX_SELECT,
    ...(state.at.kind === 'cursor' ? { cursor: state.at.cursor } : { page: String(state.at.page) }),
    ...(options.mailto !== undefined && { mailto: options.mailto }),
  };
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
