import { z } from 'zod';

import type { Answer, AnswerSentence, AskEvent } from '../../answers/index.ts';
import { askCorpus, openWriter } from '../../answers/index.ts';
import type { CitedHit } from '../../corpus/index.ts';
import { eventStream } from '../../corpus/index.ts';
import { chosenWorks, worksChoice } from '../../questions/index.ts';
import type { Asked, Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { Context } from './context.ts';
import { checkSearchable, runOf } from './context.ts';
import { runPath, words } from './parameters.ts';
import * as shapes from './shapes/corpus.ts';
import { Turns } from './turns.ts';

/** Questions mostly wait for a model; searches have a separate limit. */
const AT_ONCE = 4;
/** Maximum length of a near passage, which is linked. */
const LONGEST_NEAREST = 600;

const question = z.strictObject({
  question: words.min(1).describe('The question.'),
  works: worksChoice.optional(),
  passages: z.int().min(1).max(50).optional().describe('Passages that the answer is made from; default 10.'),
});
type Question = Asked<z.output<typeof runPath>, z.output<typeof question>, unknown>;
type Line = z.output<typeof shapes.answerLine>;

/** Routes for answers, equivalent to `docstokg ask`. A client that disconnects stops the request to the model. */
export function askRoutes(context: Context): Route[] {
  const turns = new Turns(AT_ONCE);
  const answered = async (
    { path, query: { question: asked, works, passages } }: Question,
    tell: ((line: Line) => void) | undefined,
    signal: AbortSignal,
  ): Promise<z.output<typeof shapes.answer>> => {
    const run = runOf(context, path.run);
    checkSearchable(run);
    using _turn = await turns.take(signal);
    await using opened = new AsyncDisposableStack();
    const options = {
      ...chosenWorks(run.corpus, works),
      ...(passages !== undefined && { passages }),
      writer: openWriter(run.corpus, opened),
      report: (event: AskEvent) =>
        tell?.(
          event.kind === 'passages'
            ? { kind: 'passages', nearest: nearest(event.passages) }
            : { kind: 'sentence', sentence: shownSentence(event.sentence, event.passages) },
        ),
    };
    return shownAnswer(await run.search.use((session) => askCorpus(session, asked, options, signal)));
  };
  return [
    route({
      path: '/runs/{run}/ask',
      summary:
        'An answer from the papers, every sentence with quotes that are in them; without sentences, they do not answer.',
      pathSchema: runPath,
      querySchema: question,
      gives: { kind: 'json', schema: shapes.answer },
      handle: async (asked) => ({ kind: 'json', value: await answered(asked, undefined, asked.signal) }),
    }),
    route({
      path: '/runs/{run}/ask.ndjson',
      summary: 'The same, streamed: the passages, each sentence when it has passed the gate, then the whole answer.',
      pathSchema: runPath,
      querySchema: question,
      gives: { kind: 'lines', schema: shapes.answerLine },
      handle: (asked) => ({
        kind: 'lines',
        lines: eventStream<Line>(async (tell, signal) => {
          tell({ kind: 'answer', answer: await answered(asked, tell, signal) });
        }, asked.signal),
      }),
    }),
  ];
}

function titleOf(hit: CitedHit | undefined): string | null {
  return hit?.work?.title ?? hit?.passage.title ?? null;
}

function nearest(passages: readonly CitedHit[]): z.output<typeof shapes.answer>['nearest'] {
  return passages.map((hit) => ({
    id: hit.passage.id,
    document: hit.passage.document,
    title: titleOf(hit),
    page: hit.passage.page ?? null,
    text: hit.passage.text.slice(0, LONGEST_NEAREST),
  }));
}

/** A sentence with its passages by id. */
function shownSentence(
  { text, fit, quotes }: AnswerSentence,
  passages: readonly CitedHit[],
): z.output<typeof shapes.answer>['sentences'][number] {
  return {
    text,
    fit,
    quotes: quotes.map(({ passage, work, link: _link, ...quote }) => ({
      ...quote,
      passage: passages[passage - 1]?.passage.id ?? '',
      title: titleOf(passages[passage - 1]),
      citation: work?.apa ?? null,
    })),
  };
}

function shownAnswer({ question: asked, model, sentences, dropped, passages }: Answer): z.output<typeof shapes.answer> {
  return {
    question: asked,
    model,
    sentences: sentences.map((sentence) => shownSentence(sentence, passages)),
    dropped,
    nearest: nearest(passages),
  };
}
