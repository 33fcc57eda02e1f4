import type { z } from 'zod';

import type { CitedHit, CitedWork, SearchRequest, SearchSession } from '../corpus/index.ts';
import type { AnswerWriter } from '../model/index.ts';
import { askModel } from '../model/index.ts';
import { analyse } from '../parse/index.ts';
import type { AnswerSentence } from './check-answer.ts';
import { checkAnswer, liveSentences } from './check-answer.ts';
import type { ScoredCandidate } from './extract-answer.ts';
import { answerSentences, byBestCandidate, readCandidates } from './extract-answer.ts';
import type { answerHead } from './shapes/index.ts';
import { answerPrompt } from './writer.ts';

/** An answer, and the passages it was made from, or the nearest ones if there is none. */
export type Answer = z.output<typeof answerHead> & { readonly passages: readonly CitedHit[] };

export interface AskRequest extends Omit<SearchRequest, 'top'> {
  readonly passages?: number;
  /** Most sentences of an answer without a model. */
  readonly sentences?: number;
  /** 0 to 1: sentences with a lower fit do not answer the question; by default the reader's own limit. */
  readonly least?: number | undefined;
  /** The model that writes the answer; without one, the best sentences of the papers are the answer. */
  readonly writer?: AnswerWriter | undefined;
  /** Called with the passages before they are read, and with each sentence that passes the check. */
  readonly report?: ((event: AskEvent) => void) | undefined;
}

/** Progress of an answer. A second `passages` starts over: the question was rephrased, or a model was interrupted. */
export type AskEvent =
  | { readonly kind: 'passages'; readonly passages: readonly CitedHit[] }
  | { readonly kind: 'sentence'; readonly sentence: AnswerSentence };

/** Passages that the reader chooses from. */
export const PASSAGES_READ = 48;
const DEFAULTS = { passages: 10, sentences: 3 };

/** Every sentence has quotes that are in the papers word for word; a model's other sentences are dropped. */
export async function askCorpus(
  session: SearchSession,
  question: string,
  request: AskRequest = {},
  signal?: AbortSignal,
): Promise<Answer> {
  const { passages: top, sentences: most, least: given, writer, report, ...search } = { ...DEFAULTS, ...request };
  const { reader } = session;
  const least = given ?? reader.least;
  const look = (text: string, related: boolean): Promise<CitedHit[]> =>
    searchParts(session, text, { ...search, top: Math.max(top, PASSAGES_READ), related }, signal);
  const answer = async (found: readonly CitedHit[]): Promise<Answer> => {
    const scored = await readCandidates(reader, question, found, signal);
    const passages = (reader.name === 'rules' ? found : byBestCandidate(found, scored)).slice(0, top);
    report?.({ kind: 'passages', passages });
    const live = new Set<string>();
    const show = (sentence: AnswerSentence): void => {
      if (live.has(sentence.text)) return;
      live.add(sentence.text);
      report?.({ kind: 'sentence', sentence });
    };
    const made = await write(passages, scored, show);
    // An interrupted model may have streamed sentences that are not in its final answer.
    if (live.size > made.sentences.filter(({ text }) => live.has(text)).length) {
      live.clear();
      report?.({ kind: 'passages', passages });
    }
    for (const sentence of made.sentences) show(sentence);
    return made;
  };
  const write = async (
    passages: readonly CitedHit[],
    scored: readonly ScoredCandidate[],
    show: (sentence: AnswerSentence) => void,
  ): Promise<Answer> => {
    const open = report && (() => liveSentences(passages, show));
    const written =
      writer && passages.length > 0
        ? await askModel(
            answerPrompt(question, passages),
            (content) => checkAnswer(content, passages),
            { ...writer, open },
            signal,
          )
        : undefined;
    if (written && written !== 'over-budget') return { question, model: writer?.name ?? null, ...written, passages };
    const sentences = answerSentences(scored, { most, least });
    return { question, model: null, sentences, dropped: {}, passages };
  };
  const found = await look(question, false);
  const first = await answer(found);
  if (first.sentences.length > 0) return first;
  // Search again with keywords only, also in works connected by citations with the results, and read both.
  const known = new Set(found.map(({ passage }) => passage.id));
  const more = (await look(keywordsOf(question), session.hasGraph)).filter(({ passage }) => !known.has(passage.id));
  if (more.length === 0) return first;
  const second = await answer([...found, ...more.slice(0, top)]);
  return second.sentences.length > 0 ? second : first;
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

const THING = String.raw`([^,;?]{3,80}?)`;
/** "compare A with B", "difference between A and B", "A versus B". */
const COMPARED: readonly RegExp[] = [
  new RegExp(
    String.raw`\bcompar\w*\b.{0,40}?\b(?:of|for|in|between)?\s*${THING} (?:and|with|to|against) (.{3,80})`,
    'i',
  ),
  new RegExp(String.raw`\bbetween ${THING} and (.{3,80})`, 'i'),
  new RegExp(String.raw`${THING} (?:versus|vs\.?|compared (?:with|to)|rather than) (.{3,80})`, 'i'),
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

function keywordsOf(question: string): string {
  const words = question.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
  return words.filter((word) => analyse(word).length > 0).join(' ') || question;
}

/** The works that an answer cites, in the order of their first quote. */
export function citedWorks({ sentences, passages }: Answer): CitedWork[] {
  const works = new Map(passages.flatMap(({ work }) => (work ? [[work.id, work]] : [])));
  const cited = new Set(sentences.flatMap(({ quotes }) => quotes.flatMap(({ work }) => work ?? [])));
  return [...cited].flatMap((id) => works.get(id) ?? []);
}
