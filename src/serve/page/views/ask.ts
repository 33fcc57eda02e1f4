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
    let answer: AskedAnswer = { question: q, model: null, sentences: [], dropped: {}, passages: [] };
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

function status(isBusy: boolean, answer: AskedAnswer | undefined): string {
  if (isBusy) return 'Reading …';
  if (!answer) return '';
  const dropped = Object.values(answer.dropped).reduce((sum, each) => sum + each, 0);
  const without = dropped === 0 ? '' : ` ${counted(dropped, 'sentence')} without a quote in the papers dropped.`;
  if (answer.sentences.length === 0) return `Not in these papers.${without}`;
  return answer.model === null
    ? 'No model was used: these are sentences of the papers.'
    : `Written by ${answer.model}; every sentence has a quote that is in the papers.${without}`;
}

function AnswerText({ answer }: { readonly answer: AskedAnswer }): View {
  const { place } = useScene();
  if (answer.sentences.length === 0)
    return html`<ul class="hits">
      ${answer.passages.slice(0, 3).map((hit) => html`<${HitItem} hit=${hit} question=${answer.question} />`)}
    </ul>`;
  return html`<ol class="hits answer">
    ${answer.sentences.map(
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
            return html`<p class="hint">
              ${answer.model !== null && html`<q>${quote.text}</q> `}
              <a href=${to}>${quote.title ?? quote.document}</a>${page}
            </p>`;
          })}
        </li>`,
    )}
  </ol>`;
}
