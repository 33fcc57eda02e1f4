import type { z } from 'zod';

import type { CitedHit, CitedWork, SearchRequest, SearchSession } from '../corpus/index.ts';
import type { AnswerWriter } from '../model/index.ts';
import { askModel } from '../model/index.ts';
import { analyse } from '../parse/index.ts';
import type { AnswerSentence } from './check-answer.ts';
import { checkAnswer, liveSentences } from './check-answer.ts';
import { extractAnswer } from './extract-answer.ts';
import type { answerHead } from './shapes/index.ts';
import { answerPrompt } from './writer.ts';

/** An answer, and the passages it was made from, or the nearest ones if there is none. */
export type Answer = z.output<typeof answerHead> & { readonly passages: readonly CitedHit[] };

export interface AskRequest extends Omit<SearchRequest, 'top'> {
  readonly passages?: number;
  /** Most sentences of an answer without a model. */
  readonly sentences?: number;
  /** 0 to 1: sentences with a lower fit do not answer the question. */
  readonly least?: number;
  /** The model that writes the answer; without one, the best sentences of the papers are the answer. */
  readonly writer?: AnswerWriter | undefined;
  /** Called with the passages before they are read, and with each sentence that passes the check. */
  readonly report?: ((event: AskEvent) => void) | undefined;
}

/** Progress of an answer. A second `passages` starts over: the question was rephrased, or a model was interrupted. */
export type AskEvent =
  | { readonly kind: 'passages'; readonly passages: readonly CitedHit[] }
  | { readonly kind: 'sentence'; readonly sentence: AnswerSentence };

/** At most 60 % of the passages are from one work: a question about one paper needs several of them. */
export function passageLimits(top: number): { readonly top: number; readonly perWork: number } {
  return { top, perWork: Math.ceil(top * 0.6) };
}

/** The highest threshold that refuses at most 1 in 20 answerable questions, by `npm run score:answers`. */
export const LEAST_FIT = 0.6;

const DEFAULTS = { passages: 10, sentences: 3, least: LEAST_FIT };

/** Every sentence has quotes that are in the papers word for word; a model's other sentences are dropped. */
export async function askCorpus(
  session: SearchSession,
  question: string,
  request: AskRequest = {},
  signal?: AbortSignal,
): Promise<Answer> {
  const { passages: top, sentences: most, least, writer, report, ...search } = { ...DEFAULTS, ...request };
  const look = async (text: string, related: boolean): Promise<CitedHit[]> =>
    await session.search(text, { ...search, ...passageLimits(top), related }, signal);
  const answer = async (passages: readonly CitedHit[]): Promise<Answer> => {
    report?.({ kind: 'passages', passages });
    const live = new Set<string>();
    const show = (sentence: AnswerSentence): void => {
      if (live.has(sentence.text)) return;
      live.add(sentence.text);
      report?.({ kind: 'sentence', sentence });
    };
    const made = await write(passages, show);
    // An interrupted model may have streamed sentences that are not in its final answer.
    if (live.size > made.sentences.filter(({ text }) => live.has(text)).length) {
      live.clear();
      report?.({ kind: 'passages', passages });
    }
    for (const sentence of made.sentences) show(sentence);
    return made;
  };
  const write = async (passages: readonly CitedHit[], show: (sentence: AnswerSentence) => void): Promise<Answer> => {
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
    const sentences = await extractAnswer(question, passages, {
      most,
      least,
      nearness: (asked, texts) => session.nearness(asked, texts, signal),
    });
    return { question, model: null, sentences, dropped: {}, passages };
  };
  const first = await answer(await look(question, false));
  if (first.sentences.length > 0) return first;
  // Search again with keywords only, also in works connected by citations with the results.
  const known = new Set(first.passages.map(({ passage }) => passage.id));
  const more = (await look(keywordsOf(question), session.hasGraph)).filter(({ passage }) => !known.has(passage.id));
  if (more.length === 0) return first;
  const second = await answer(more.slice(0, top));
  return second.sentences.length > 0 ? second : first;
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
