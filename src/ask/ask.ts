import type * as z from 'zod';

import { AppError } from '../base/index.ts';
import type { CitedHit, CitedWork, SearchRequest, SearchSession } from '../corpus/index.ts';
import type { AnswerWriter } from '../model/index.ts';
import { askModel, dropReasonOf, promptTokens } from '../model/index.ts';
import { sentencesOf } from '../graph/index.ts';
import { analyse } from '../parse/index.ts';
import { isForeign } from '../reader/index.ts';
import { StageError } from '../stage/index.ts';
import { isAnswered } from './answered/index.ts';
import type { AnswerSentence, CheckedAnswer } from './check-answer.ts';
import { checkAnswer, liveSentences } from './check-answer.ts';
import { checkSupport } from './check-support.ts';
import type { ScoredCandidate } from './extract-answer.ts';
import { answerSentences, bestSentences, byBestCandidate, readCandidates } from './extract-answer.ts';
import type { answerHead } from './shapes/index.ts';
import type { AskSettings } from './writer.ts';
import { answerPrompt } from './writer.ts';

/** An answer, and the passages it was made from, or the nearest ones if there is none. */
export type Answer = z.output<typeof answerHead> & { readonly passages: readonly CitedHit[] };

export interface AskRequest extends Omit<SearchRequest, 'top'>, Partial<AskSettings> {
  /** Passages that are given with the answer, or to a model: 10, or 24 with a model, unless given. At least 48 are read. */
  readonly passages?: number | undefined;
  /** Most sentences of an answer without a model. */
  readonly sentences?: number;
  /** 0 to 1: sentences with a lower fit do not answer the question; by default the reader's own limit. */
  readonly least?: number | undefined;
  /** The model that writes the answer; without one, the best sentences of the papers are the answer. */
  readonly writer?: AnswerWriter | undefined;
  /** Called with the passages before they are read, and with each sentence that passes the gate. */
  readonly report?: ((event: AskEvent) => void) | undefined;
}

/**
 * Progress of an answer. Another `passages` starts over: the papers were searched again, a model was interrupted, or
 * sentences turned out not to be supported.
 */
export type AskEvent =
  | { readonly kind: 'passages'; readonly passages: readonly CitedHit[] }
  | { readonly kind: 'sentence'; readonly sentence: AnswerSentence };

/** Passages that the reader chooses from. */
export const PASSAGES_READ = 48;
/** Passages that an answer is made from, and that a model gets. */
const PASSAGES = { shown: 10, model: 24 };
/** The first passages of the search that a model gets, whatever the reader thinks of them. */
const SURE_OF_SEARCH = 8;
/** Passages that each search of a model adds. */
const PASSAGES_PER_SEARCH = 8;
const DEFAULTS = { sentences: 3, support: true, maxSearches: 2, contextTokens: 16_384 };
/** A paper with this share of the best passages, and at least so many of them, is what the question is about. */
const DOMINANT = { share: 0.5, least: 3, among: 12 };
/** The share of the room for passages that a whole paper may take. */
const WHOLE_PAPER_SHARE = 0.8;
/** The share of the room that is kept for what each search of the model finds, and for how many searches. */
const RESERVED = 0.1;
const MOST_RESERVED = 3;
const SEVERAL = /\b(?:which|what|how many) (?:of (?:the|these) )?(?:papers|studies|articles|trials|works|reviews)\b/i;

/** What a model wrote after all its searches, or why there is nothing. */
type Written =
  | { readonly kind: 'answer'; readonly answer: CheckedAnswer; readonly read: readonly CitedHit[] }
  | { readonly kind: 'failure'; readonly failure: NonNullable<Answer['failure']> };

const FAILURES = {
  'model-empty': 'the model answered nothing; one that reasons first may need more model.max_tokens',
  'model-unreadable': 'the model did not answer in the form that was asked for',
  'model-cut': 'the answer of the model was cut off before its first sentence ended; raise model.max_tokens',
  'over-budget': 'the budget for the model does not allow the request',
} as const;

/**
 * Every sentence has quotes that are in the papers word for word; a model's other sentences are dropped, and those that
 * their quotes do not support. If the model fails, the best sentences of the papers are the answer.
 */
export async function askCorpus(
  session: SearchSession,
  question: string,
  request: AskRequest = {},
  signal?: AbortSignal,
): Promise<Answer> {
  const { passages: given, sentences: most, least: wanted, writer, report, ...more } = { ...DEFAULTS, ...request };
  const { support, maxSearches, contextTokens, ...search } = more;
  const { reader, worksScreenedOut } = session;
  /** What is not searched unless works are named. */
  const isWhole = request.works === undefined && worksScreenedOut > 0;
  const excluded = worksScreenedOut === 1 ? '1 work' : `${worksScreenedOut} works`;
  const without = isWhole ? `without ${excluded} that screening excluded` : '';
  const least = wanted ?? reader.least;
  const top = given ?? (writer ? PASSAGES.model : PASSAGES.shown);
  const focus = focusOf(question);
  const look = (text: string, related: boolean): Promise<CitedHit[]> =>
    searchParts(session, text, { ...search, top: Math.max(top, PASSAGES_READ), related }, signal);
  /** The best sentences of passages, and the passages with the best ones first. */
  const extract = async (found: readonly CitedHit[], known: readonly ScoredCandidate[] = []) => {
    const scored = await readCandidates(reader, focus, found, { known, signal });
    const ranked = reader.name === 'rules' ? found : byBestCandidate(found, scored);
    const passages = writer ? withFirstOfSearch(ranked, found, top) : ranked.slice(0, top);
    return {
      scored,
      passages,
      sentences: answerSentences(scored, { most, least }),
      nearest: bestSentences(scored, most),
    };
  };
  const found = await look(focus, false);
  const known = new Set(found.map(({ passage }) => passage.id));
  /** Search again with keywords only, also in works connected by citations with the results. */
  const lookAgain = async (): Promise<CitedHit[]> => {
    const others = await look(keywordsOf(focus), session.hasGraph);
    return others.filter(({ passage }) => !known.has(passage.id)).slice(0, top);
  };
  const first = await extract(found);
  report?.({ kind: 'passages', passages: first.passages });

  let failure: Answer['failure'] = null;
  if (writer && first.passages.length > 0) {
    const searches: string[] = [];
    const searchFor = async (queries: readonly string[]): Promise<CitedHit[]> => {
      searches.push(...queries);
      const lists: CitedHit[][] = [];
      for (const query of queries)
        lists.push(await session.search(query, { ...search, top: PASSAGES_PER_SEARCH, minFit: 0 }, signal));
      return lists.flat();
    };
    const live = liveReport(report);
    const asking = { session, question, writer, maxSearches, contextTokens, live, searches, searchFor };
    const written = await readably(async () => {
      const asked = await writtenAnswer(asking, first.passages, signal);
      if (asked.kind === 'failure' || !support) return { ...asked, support: null };
      const { answer, by } = await supported(asked.answer, asked.read, { question, writer, session }, signal);
      return { ...asked, answer, support: by };
    });
    if (written.kind === 'answer') {
      const { search: _search, ...said } = written.answer;
      const all = [...said.sentences, ...said.disagreements, ...said.uncertain];
      const quoted = new Set(all.flatMap(({ quotes }) => quotes.map(({ passage }) => passage)));
      const ids = new Set(first.passages.map(({ passage }) => passage.id));
      const added = written.read.filter(({ passage }) => quoted.has(passage.id) && !ids.has(passage.id));
      const passages = [...first.passages, ...added].map((hit, at) => ({ ...hit, rank: at + 1 }));
      live.end(said.sentences, passages);
      return {
        question,
        model: writer.name,
        ...said,
        nearest: isAnswered(said) ? [] : first.nearest,
        support: written.support,
        searches,
        failure,
        note: without || null,
        passages,
      };
    }
    ({ failure } = written);
    live.end([], first.passages);
  }
  const made = ({ passages, sentences, nearest }: Pick<Answer, 'passages' | 'sentences' | 'nearest'>): Answer => {
    for (const sentence of sentences) report?.({ kind: 'sentence', sentence });
    const note =
      [isForeign(question) && !IN_ENGLISH.test(question) ? FOREIGN : '', without]
        .filter((each) => each !== '')
        .join('; ') || null;
    const isFound = sentences.length > 0;
    return { ...WITHOUT_MODEL, question, passages, sentences, nearest: isFound ? [] : nearest, failure, note };
  };
  if (first.sentences.length > 0) return made(first);
  const others = await lookAgain();
  if (others.length === 0) return made(first);
  const second = await extract([...found, ...others], first.scored);
  if (second.sentences.length === 0) return made({ ...first, nearest: second.nearest });
  report?.({ kind: 'passages', passages: second.passages });
  return made(second);
}

/** The best passages by the reader; the first ones of the search take the last places if they are not among them. */
function withFirstOfSearch(ranked: readonly CitedHit[], found: readonly CitedHit[], top: number): CitedHit[] {
  const first = new Set(found.slice(0, Math.min(SURE_OF_SEARCH, Math.floor(top / 3))).map(({ passage }) => passage.id));
  const isFirst = ({ passage }: CitedHit): boolean => first.has(passage.id);
  const others = ranked.filter((hit) => !isFirst(hit)).slice(0, top - first.size);
  const chosen = new Set(others);
  return ranked.filter((hit) => isFirst(hit) || chosen.has(hit)).map((hit, at) => ({ ...hit, rank: at + 1 }));
}

/** Errors of the model server, with a hint for the user. */
async function readably<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    throw new AppError('MODEL_SERVER', error.message, {
      hint: 'check model.url, model.name and the key, or leave the model out',
      cause: error,
    });
  }
}

/** Words that tell an English question, however short: a short text is easily taken for another language. */
const IN_ENGLISH = /\b(?:what|which|when|where|why|how|who|whose|does|did|the)\b/i;
const FOREIGN = 'the reader has learnt English only: questions in other languages are answered by their words';

const WITHOUT_MODEL = {
  model: null,
  disagreements: [],
  uncertain: [],
  dropped: {},
  support: null,
  cut: false,
  searches: [],
};

interface Asking {
  readonly session: SearchSession;
  readonly question: string;
  readonly writer: AnswerWriter;
  readonly maxSearches: number;
  readonly contextTokens: number;
  readonly live: LiveReport;
  /** The queries of the model so far. */
  readonly searches: readonly string[];
  readonly searchFor: (queries: readonly string[]) => Promise<CitedHit[]>;
}

/**
 * Asks a model, which may search again, also beside sentences that answer a part: what it finds is added to the passages
 * it has, under further numbers, as far as there is room. The last answer with a sentence counts.
 */
async function writtenAnswer(asking: Asking, found: readonly CitedHit[], signal?: AbortSignal): Promise<Written> {
  const { session, question, writer, maxSearches, contextTokens, live, searches, searchFor } = asking;
  const room = contextTokens - writer.maxTokens - promptTokens(answerPrompt(question, []));
  /** What may be filled while so many searches are left. */
  const roomWith = (left: number): number => room * (1 - RESERVED * Math.min(left, MOST_RESERVED));
  let [read, left] = [await inPrompt(session, found, roomWith(maxSearches), asksForSeveral(question)), maxSearches];
  let best: Extract<Written, { kind: 'answer' }> | undefined;
  for (;;) {
    let last = '';
    const soFar = best?.answer.sentences.map(({ text }) => text);
    const written = await askModel(
      answerPrompt(question, read, { maySearch: left > 0, searched: searches, written: soFar }),
      (content) => {
        last = content;
        return checkAnswer(content, read);
      },
      { ...writer, ...(live.isOn && { open: () => liveSentences(read, live.show) }) },
      signal,
    );
    if (written === 'over-budget') return best ?? failed('over-budget');
    if (!written) return best ?? failed(last.trim() === '' ? 'model-empty' : 'model-unreadable');
    const isEmpty = written.sentences.length === 0;
    if (isEmpty && !best && written.cut && written.search.length === 0) return failed('model-cut');
    const answer = isEmpty && best ? best : { kind: 'answer' as const, answer: written, read };
    if (left === 0 || written.search.length === 0) return answer;
    if (!isEmpty) best = answer;
    const more = withFresh(read, await searchFor(written.search), roomWith(left - 1));
    const isMore = more.length > read.length;
    if (!isMore && best) return answer;
    left = isMore ? left - 1 : 0;
    read = more;
    live.restart(read);
  }
}

/** The passages of a prompt, under the same numbers, with the new ones behind them that fit. */
function withFresh(read: readonly CitedHit[], found: readonly CitedHit[], room: number): CitedHit[] {
  const all = new Map(read.map((hit) => [hit.passage.id, hit]));
  for (const hit of found) {
    if (all.has(hit.passage.id)) continue;
    if (tokensOf([...all.values(), hit]) > room) break;
    all.set(hit.passage.id, hit);
  }
  return [...all.values()];
}

/** A question about several papers, or that compares things, is not about one paper. */
function asksForSeveral(question: string): boolean {
  return comparedIn(question).length > 0 || SEVERAL.test(question);
}

function failed(code: keyof typeof FAILURES): Written {
  return { kind: 'failure', failure: { code, message: FAILURES[code] } };
}

/**
 * The passages that fit into a prompt, those of a paper together and in its order, the best paper first. A paper that
 * most of the best passages are from is given whole if it fits, unless several are asked for.
 */
export async function inPrompt(
  session: SearchSession,
  found: readonly CitedHit[],
  room: number,
  isOfSeveral = false,
): Promise<CitedHit[]> {
  const papers = [...Map.groupBy(found, ({ passage }) => passage.document)];
  const best = found.slice(0, DOMINANT.among);
  const dominant = [...Map.groupBy(best, ({ passage }) => passage.document)].find(
    ([, own]) => own.length >= DOMINANT.least && own.length >= DOMINANT.share * best.length,
  )?.[0];
  const whole = dominant === undefined || isOfSeveral ? [] : (await session.passagesOf(dominant)).filter(isRead);
  const isWhole = whole.length > 0 && tokensOf(whole) <= WHOLE_PAPER_SHARE * room;
  const chosen = new Set(isWhole ? whole : []);
  let left = room - tokensOf([...chosen]);
  // The best passages first, whatever their paper.
  for (const hit of found) {
    if (isWhole && hit.passage.document === dominant) continue;
    left -= tokensOf([hit]);
    if (left < 0 && chosen.size > 0) break;
    chosen.add(hit);
  }
  const inOrder: CitedHit[] = [];
  for (const [document] of papers) {
    const own = [...chosen].filter(({ passage }) => passage.document === document);
    if (own.length < 2 || (isWhole && document === dominant)) inOrder.push(...own);
    else {
      const order = new Map((await session.passagesOf(document)).map(({ passage }, at) => [passage.id, at]));
      inOrder.push(...own.sort((one, other) => (order.get(one.passage.id) ?? 0) - (order.get(other.passage.id) ?? 0)));
    }
  }
  return inOrder;
}

/** Reference lists are not read. */
function isRead({ passage }: CitedHit): boolean {
  return passage.section !== 'references';
}

function tokensOf(hits: readonly CitedHit[]): number {
  return hits.length === 0 ? 0 : promptTokens(answerPrompt('', hits)) - promptTokens(answerPrompt('', []));
}

/** Drops the sentences that their quotes contradict or do not support. */
async function supported(
  answer: CheckedAnswer,
  read: readonly CitedHit[],
  { question, ...by }: Parameters<typeof checkSupport>[2] & { readonly question: string },
  signal?: AbortSignal,
): Promise<{ readonly answer: CheckedAnswer; readonly by: Answer['support'] }> {
  const all = [...answer.sentences, ...answer.disagreements, ...answer.uncertain];
  const cases = all.map(({ text, quotes }) => ({ asked: question, sentence: text, quotes }));
  const checked = await checkSupport(cases, read, by, signal);
  const reasons = new Map(all.map((sentence, at) => [sentence, dropReasonOf(checked.verdicts[at])]));
  const dropped = { ...answer.dropped };
  for (const reason of reasons.values()) if (reason) dropped[reason] = (dropped[reason] ?? 0) + 1;
  const kept = (sentences: readonly AnswerSentence[]): AnswerSentence[] =>
    sentences.filter((sentence) => reasons.get(sentence) === undefined);
  const { sentences, disagreements, uncertain } = answer;
  const left = { sentences: kept(sentences), disagreements: kept(disagreements), uncertain: kept(uncertain) };
  return { answer: { ...answer, ...left, dropped }, by: checked.by };
}

/** Sentences that are shown while a model writes; the end shows those of the final answer and no others. */
interface LiveReport {
  readonly isOn: boolean;
  readonly show: (sentence: AnswerSentence) => void;
  readonly restart: (passages: readonly CitedHit[]) => void;
  readonly end: (sentences: readonly AnswerSentence[], passages: readonly CitedHit[]) => void;
}

function liveReport(report: AskRequest['report']): LiveReport {
  const shown = new Set<string>();
  const show = (sentence: AnswerSentence): void => {
    if (shown.has(sentence.text)) return;
    shown.add(sentence.text);
    report?.({ kind: 'sentence', sentence });
  };
  const restart = (passages: readonly CitedHit[]): void => {
    shown.clear();
    report?.({ kind: 'passages', passages });
  };
  return {
    isOn: report !== undefined,
    show,
    restart,
    end: (sentences, passages) => {
      if (shown.size > sentences.filter(({ text }) => shown.has(text)).length) restart(passages);
      for (const sentence of sentences) show(sentence);
    },
  };
}

/** A question that names two things to compare is also searched once for each of them; the results take turns. */
async function searchParts(
  session: SearchSession,
  question: string,
  request: SearchRequest,
  signal: AbortSignal | undefined,
): Promise<CitedHit[]> {
  const lists: CitedHit[][] = [];
  for (const text of [question, ...comparedIn(question)]) lists.push(await session.search(text, request, signal));
  const found = new Map<string, CitedHit>();
  for (let at = 0; at < Math.max(...lists.map(({ length }) => length)); at += 1)
    for (const list of lists) {
      const hit = list[at];
      if (hit && !found.has(hit.passage.id)) found.set(hit.passage.id, hit);
    }
  return [...found.values()].slice(0, request.top).map((hit, at) => ({ ...hit, rank: at + 1 }));
}

/** "compare A with B", "difference between A and B", "A versus B". */
const COMPARED: readonly RegExp[] = [
  /\bcompar\w{0,12} (?:[^,;?]{0,40} (?:of|for|in|between) )?([^,;?]{3,80}?) (?:and|with|to|against) (.{3,80})/i,
  /\bbetween ([^,;?]{3,80}?) and (.{3,80})/i,
  /([^,;?]{3,80}?) (?:versus|vs\.?|compared (?:with|to)|rather than) (.{3,80})/i,
];

/** The question once with each of the two things that it compares; none if it compares nothing. */
export function comparedIn(question: string): string[] {
  for (const pattern of COMPARED) {
    const [whole, one, other] = pattern.exec(question) ?? [];
    if (whole !== undefined && one !== undefined && other !== undefined)
      return [one, other].map((thing) => question.replace(whole, ` ${thing} `).replaceAll(/\s+/g, ' ').trim());
  }
  return [];
}

/** A longer question tells a story first; no sentence of a paper has most of its words. */
const LONGEST_QUESTION = 300;

/** What a long question asks in the end: its sentences with a question mark, else its last one. */
export function focusOf(question: string): string {
  if (question.length <= LONGEST_QUESTION) return question;
  const sentences = sentencesOf(question).map(({ start, end }) => question.slice(start, end));
  const asking = sentences.filter((sentence) => sentence.endsWith('?'));
  return asking.length > 0 ? asking.slice(-2).join(' ') : (sentences.at(-1) ?? question);
}

function keywordsOf(question: string): string {
  const words = question.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
  return words.filter((word) => analyse(word).length > 0).join(' ') || question;
}

/** The works that an answer cites, in the order of their first quote. */
export function citedWorks({ sentences, disagreements, uncertain, passages }: Answer): CitedWork[] {
  const works = new Map(passages.flatMap(({ work }) => (work ? [[work.id, work]] : [])));
  const all = [...sentences, ...disagreements, ...uncertain];
  const cited = new Set(all.flatMap(({ quotes }) => quotes.flatMap(({ work }) => work ?? [])));
  return [...cited].flatMap((id) => works.get(id) ?? []);
}
