import { useEffect, useState } from 'preact/hooks';

import type { AskedAnswer, AskedLine } from '../answers.ts';
import { counted } from '../format.ts';
import { filters, QueryField, QuestionBox } from '../parts.ts';
import type { View } from '../scene.ts';
import { button, fault, html, useScene } from '../scene.ts';
import { HitItem } from './search.ts';

export function AskView(): View {
  const { source, query, set, run, runPath } = useScene();
  const [found, setFound] = useState<{ readonly answer?: AskedAnswer; readonly error?: unknown }>();
  const [stop, setStop] = useState<AbortController>();
  const q = query.get('q') ?? '';
  const works = query.get('works');
  useEffect(() => {
    setFound(undefined);
    if (q === '') return;
    const controller = new AbortController();
    const { signal } = controller;
    setStop(controller);
    signal.addEventListener('abort', () => setStop(undefined));
    // Sentences appear as they pass the check; the last line is the whole answer.
    let answer: AskedAnswer = { ...NOTHING_YET, question: q };
    const receive = (line: AskedLine): void => {
      if (signal.aborted || line.kind === 'error') return;
      if (line.kind === 'answer') ({ answer } = line);
      else if (line.kind === 'sentence') answer = { ...answer, sentences: [...answer.sentences, line.sentence] };
      else answer = { ...answer, sentences: [], passages: line.passages };
      if (line.kind !== 'passages') setFound({ answer });
    };
    source
      .lines(runPath('ask.ndjson'), { query: { question: q, works } }, receive, signal)
      .catch((error: unknown) => signal.aborted || setFound({ error }))
      .finally(() => signal.aborted || setStop(undefined));
    return () => controller.abort();
  }, [q, works]);
  const hint = `Ask the papers of ${run?.title} …`;
  return [
    html`<${QuestionBox} id="question" act="Ask" hint=${hint} asked=${q} ask=${(text: string) => set({ q: text })}>
      ${stop && button('Stop', () => stop.abort())}
    <//>`,
    filters(html`<${QueryField} name="Works" parameter="works" hint="a saved set, included, year:2020-2022, ids" />`),
    html`<p class="hint" role="status">${status(stop !== undefined, found?.answer)}</p>`,
    found?.error !== undefined && fault(found.error),
    found?.answer && html`<${AnswerText} answer=${found.answer} />`,
  ];
}

const NOTHING_YET: Omit<AskedAnswer, 'question'> = {
  model: null,
  sentences: [],
  disagreements: [],
  uncertain: [],
  dropped: {},
  support: null,
  cut: false,
  searches: [],
  failure: null,
  passages: [],
};

function status(isBusy: boolean, answer: AskedAnswer | undefined): string {
  if (isBusy) return 'Reading …';
  if (!answer) return '';
  const dropped = Object.values(answer.dropped).reduce((sum, each) => sum + each, 0);
  const without = dropped === 0 ? '' : ` ${counted(dropped, 'sentence')} without support in the papers dropped.`;
  const cut = answer.cut ? ' Its answer was cut off.' : '';
  const failed = answer.failure ? `No answer of the model: ${answer.failure.message}. ` : '';
  if (answer.sentences.length === 0) return `${failed}Not in these papers.${without}${cut}`;
  if (answer.model === null)
    return `${failed || 'No model was used: '}${failed ? 'These' : 'these'} are sentences of the papers.`;
  const how = answer.support === null ? 'is in the papers' : 'is in the papers and supports it';
  return `Written by ${answer.model}; every sentence has a quote that ${how}.${without}${cut}`;
}

function AnswerText({ answer }: { readonly answer: AskedAnswer }): View {
  const { place } = useScene();
  if (answer.sentences.length === 0)
    return html`<ul class="hits">
      ${answer.passages.slice(0, 3).map((hit) => html`<${HitItem} hit=${hit} question=${answer.question} />`)}
    </ul>`;
  const list = (sentences: AskedAnswer['sentences']): View =>
    html`<ol class="hits answer">
      ${sentences.map(
        ({ text, quotes }) =>
          html`<li>
            <p>${text}</p>
            ${quotes.map((quote) => {
              const to = place('/documents', {
                document: quote.document,
                passage: quote.passage,
                q: quote.text.slice(0, 200),
              });
              const page = quote.page === null ? '' : ` · page ${quote.page}`;
              const table = quote.row === null || quote.row.table === '' ? '' : ` · ${quote.row.table}`;
              const unread =
                quote.unread === 0 ? '' : ` · ${counted(quote.unread, 'sign')} of the quote could not be read`;
              return html`<p class="hint">
                ${answer.model !== null && html`<q>${quote.text}</q> `}
                <a href=${to}>${quote.title ?? quote.document}</a>${page}${table}${unread}
              </p>`;
            })}
          </li>`,
      )}
    </ol>`;
  return [
    list(answer.sentences),
    answer.disagreements.length > 0 && [html`<h2>The papers disagree</h2>`, list(answer.disagreements)],
    answer.uncertain.length > 0 && [html`<h2>Uncertain</h2>`, list(answer.uncertain)],
  ];
}
