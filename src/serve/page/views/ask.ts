import { useEffect, useRef, useState } from 'preact/hooks';

import { isAnswered } from '../../../ask/answered/index.ts';
import type { AskedAnswer, AskedLine } from '../answers.ts';
import { counted, words } from '../format.ts';
import { saveText } from '../parts.ts';
import type { View } from '../scene.ts';
import { button, fault, html, useScene } from '../scene.ts';
import { answerText } from './answer-text.ts';
import { useAsked } from './asked-before.ts';
import { byPaper } from './by-paper.ts';
import { ExampleList } from './examples-list.ts';
import { rowView } from './quoted-row.ts';
import { PaperHits } from './search.ts';
import { WorksField } from './works-field.ts';

type Sentence = AskedAnswer['sentences'][number];

export function AskView(): View {
  const { source, query, place, run, runPath } = useScene();
  const [found, setFound] = useState<Found>();
  const [stop, setStop] = useState<AbortController>();
  const [asked, remember, forget] = useAsked(run?.id ?? '');
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
      setFound({ answer, isWhole: line.kind === 'answer' });
      if (line.kind === 'answer') remember({ question: q, works, sentences: answer.sentences.length });
    };
    source
      .lines(runPath('ask.ndjson'), { query: { question: q, works } }, receive, signal)
      .then(() => setFound((now) => (now?.isWhole || signal.aborted ? now : { ...now, error: new Error(CUT_OFF) })))
      .catch((error: unknown) => signal.aborted || setFound({ error }))
      .finally(() => signal.aborted || setStop(undefined));
    return () => controller.abort();
  }, [q, works]);
  const leave = (): void => {
    stop?.abort();
    setFound((now) => now ?? {});
  };
  const { answer } = found ?? {};
  const isRefused = found?.isWhole === true && answer !== undefined && !isAnswered(answer);
  return [
    html`<details class="narrow" open=${works !== null}>
      <summary>${works === null ? 'All papers are asked' : 'Only some papers are asked'}</summary>
      <div class="filters">
        <${WorksField} hint="included, a set, year:2020-" />
      </div>
    </details>`,
    q !== '' && html`<h2 class="asked-for">${q}</h2>`,
    html`<div class="tools">
      <p class=${isRefused ? 'lede' : 'hint'} role="status">${status(stop !== undefined, found)}</p>
      ${stop && button('Stop', leave)}
    </div>`,
    isRefused && answer.nearest.length > 0 && html`<p class="hint">${MAY_ANSWER}</p>`,
    found?.error !== undefined && fault(found.error),
    stop !== undefined && answer && !isAnswered(answer) && html`<${Waiting} answer=${answer} />`,
    answer &&
      (stop === undefined || isAnswered(answer)) &&
      html`<div class="answered">
        <div>
          <${AnswerText} answer=${answer} />
          ${stop === undefined && html`<${AfterAnswer} answer=${answer} />`}
        </div>
        <${WhatWasRead} passages=${answer.passages} question=${answer.question} />
      </div>`,
    q === '' && html`<${ExampleList} path="/ask" />`,
    (q === '' || (stop === undefined && asked.length > 1)) &&
      asked.length > 0 &&
      html`<section class="asked">
        <h2>Asked before</h2>
        <ul>
          ${asked
            .filter(({ question }) => question !== q)
            .map(
              ({ question, works: among, sentences }) =>
                html`<li>
                  <a href=${place('/ask', { q: question, works: among })}>${question}</a>${' '}
                  <small>${sentences === 0 ? 'not answered' : counted(sentences, 'sentence')}</small>
                </li>`,
            )}
        </ul>
        ${button('Forget them', forget)} <small>kept in this browser only</small>
      </section>`,
  ];
}

/** What came so far, and whether it is all of it. */
interface Found {
  readonly answer?: AskedAnswer;
  readonly isWhole?: boolean;
  readonly error?: unknown;
}

const CUT_OFF = 'The connection ended before the answer was whole. Ask again.';
const MAY_ANSWER =
  'That is no proof that they do not say it: these sentences come nearest, and may answer in other words.';

const NOTHING_YET: Omit<AskedAnswer, 'question'> = {
  model: null,
  sentences: [],
  nearest: [],
  disagreements: [],
  uncertain: [],
  dropped: {},
  support: null,
  cut: false,
  searches: [],
  failure: null,
  note: null,
  passages: [],
};

/** The papers that were read for an answer, with the passages, the nearest first. */
function WhatWasRead(props: { readonly passages: AskedAnswer['passages']; readonly question: string }): View {
  const { passages, question } = props;
  const { reading } = useScene();
  if (passages.length === 0) return undefined;
  return html`<aside aria-label="What was read">
    <h2>Read for it</h2>
    <ul>
      ${byPaper(passages).map(
        (of) =>
          html`<li key=${of[0]?.document}>
            ${of[0]?.title || of[0]?.document}
            <br />
            <small>
              ${onePerPage(of).map(({ id, page, document }, at) => [
                at > 0 && ', ',
                html`<a href=${reading({ document, passage: id, words: question })}
                  >${page === null ? 'a passage' : `page ${page}`}</a
                >`,
              ])}
            </small>
          </li>`,
      )}
    </ul>
  </aside>`;
}

/** The nearest passage of each page, in the order of the pages. */
function onePerPage(passages: readonly AskedAnswer['passages'][number][]): AskedAnswer['passages'] {
  const first = new Map(passages.toReversed().map((each) => [each.page, each]));
  return [...first.values()].sort((a, b) => (a.page ?? 0) - (b.page ?? 0));
}

/** What is read while there is no sentence yet. */
function Waiting({ answer }: { readonly answer: AskedAnswer }): View {
  const titles = [...new Set(answer.passages.map(({ title, document }) => title || document))];
  return html`<div class="skeleton" aria-hidden="true">
    ${[92, 78, 85].map((width) => html`<span style=${{ width: `${width}%` }}></span>`)}
    <small>${titles.slice(0, 5).join(' · ')}</small>
  </div>`;
}

function status(isBusy: boolean, found: Found | undefined): string {
  const { answer, isWhole = false, error } = found ?? {};
  if (isBusy)
    return answer && answer.passages.length > 0
      ? `Reading ${counted(answer.passages.length, 'passage')} …`
      : 'Reading …';
  if (!found || error !== undefined) return '';
  if (!isWhole || !answer) return 'Stopped before the answer was whole.';
  const cut = answer.cut ? ' Its answer was cut off.' : '';
  const failed = answer.failure ? `No answer of the model: ${answer.failure.message}. ` : '';
  const note = answer.note === null ? '' : ` Note: ${answer.note}.`;
  if (!isAnswered(answer)) return `${failed}No answer was found in these papers.${cut}${note}`;
  if (answer.model === null)
    return `${failed || 'No model was used: '}${failed ? 'These' : 'these'} are sentences of the papers.${note}`;
  return `Written by ${answer.model}.${cut}${note}`;
}

function AnswerText({ answer }: { readonly answer: AskedAnswer }): View {
  if (!isAnswered(answer))
    return [
      answer.nearest.length > 0 && [
        html`<h2>The nearest sentences</h2>`,
        html`<${Sentences} answer=${{ ...answer, model: null }} sentences=${answer.nearest} />`,
      ],
      answer.passages.length > 0 && html`<h2>The nearest passages</h2>`,
      html`<ul class="hits">
        ${byPaper(answer.passages.slice(0, 3)).map(
          (ofOne) =>
            html`<${PaperHits}
              hits=${ofOne}
              question=${answer.question}
              isAlone
              hasWhy=${false}
              key=${ofOne[0]?.id}
            />`,
        )}
      </ul>`,
      html`<${Dropped} answer=${answer} />`,
    ];
  return [
    html`<${Sentences} answer=${answer} sentences=${answer.sentences} />`,
    answer.disagreements.length > 0 && [
      html`<h2>The papers disagree</h2>`,
      html`<${Sentences} answer=${answer} sentences=${answer.disagreements} />`,
    ],
    answer.uncertain.length > 0 && [
      html`<h2>Uncertain</h2>`,
      html`<${Sentences} answer=${answer} sentences=${answer.uncertain} />`,
    ],
    html`<${Dropped} answer=${answer} />`,
  ];
}

const CITES = 'The sentence names other works as its source: it may tell what they found.';

/** What was checked of a sentence before it is shown here. */
function verdictOf(answer: AskedAnswer): string {
  const { model, support } = answer;
  if (!isAnswered(answer)) return 'may not answer';
  if (model === null) return 'word for word in the paper';
  return support === null ? 'the quote is in the paper' : 'the quote is in the paper and supports it';
}

function Sentences({
  answer,
  sentences,
}: {
  readonly answer: AskedAnswer;
  readonly sentences: readonly Sentence[];
}): View {
  const { reading, query } = useScene();
  const verdict = verdictOf(answer);
  return html`<ol class="hits answer">
    ${sentences.map(
      ({ text, quotes }) =>
        html`<li>
          ${answer.model === null && quotes[0]?.row ? rowView(quotes[0].row) : html`<p>${text}</p>`}
          ${quotes.map((quote, at) => {
            const to = reading({
              document: quote.document,
              passage: quote.passage,
              words: quote.text.slice(0, 200),
              quote: quote.text.slice(0, 600),
            });
            const page = quote.page === null ? '' : ` · page ${quote.page}`;
            const unread =
              quote.unread === 0 ? '' : ` · ${counted(quote.unread, 'sign')} of the quote could not be read`;
            const isOpen = query.get('passage') === quote.passage && query.get('quote') === quote.text.slice(0, 600);
            return [
              answer.model !== null && quote.row && rowView(quote.row),
              html`<p class=${`hint source ${isOpen ? 'open' : ''}`}>
                ${(answer.model !== null || at > 0) && !quote.row && html`<q>${quote.text}</q> `}
                <a href=${to}>${quote.title ?? quote.document}</a>${page}
                ${quote.cites !== null && html` · <a title=${CITES} href=${reading({ document: quote.document, passage: quote.passage, quote: quote.text.slice(0, 600), beside: 'references' })}>cites ${quote.cites}</a>`}${unread}
                <span class=${isAnswered(answer) ? 'verdict' : 'unsure'}>${verdict}</span>
              </p>`,
            ];
          })}
        </li>`,
    )}
  </ol>`;
}

/** What the model wrote and is not shown, and why. */
function Dropped({ answer: { dropped } }: { readonly answer: AskedAnswer }): View {
  const reasons = Object.entries(dropped).filter(([, count]) => count > 0);
  const all = reasons.reduce((sum, [, count]) => sum + count, 0);
  if (all === 0) return undefined;
  return html`<div class="note dropped">
    <p>${`${counted(all, 'sentence')} without support in the papers dropped:`}</p>
    <ul>
      ${reasons.map(([reason, count]) => html`<li>${`${words(reason)}: ${count}`}</li>`)}
    </ul>
  </div>`;
}

/** What one does with an answer: ask on, copy it with its sources, save it. */
function AfterAnswer({ answer }: { readonly answer: AskedAnswer }): View {
  const { place, go, notify } = useScene();
  const input = useRef<HTMLInputElement>(null);
  const ids = [...new Set(answer.sentences.flatMap(({ quotes }) => quotes.flatMap(({ work }) => work ?? [])))];
  const text = (): string => answerText(answer);
  const copy = (): void =>
    void navigator.clipboard.writeText(text()).then(
      () => notify('Copied with its citations.'),
      () => notify('This browser does not let the page copy; use Save.'),
    );
  const followUp = (event: Event): void => {
    event.preventDefault();
    const next = input.current?.value.trim() ?? '';
    if (next !== '') go(place('/ask', { q: next, works: ids.join(',') }));
  };
  if (answer.sentences.length === 0) return undefined;
  return [
    html`<p class="acts">
      ${button('Copy with citations', copy)}
      ${button('Save as Markdown', () => saveText('answer.md', 'text/markdown', text()))}
    </p>`,
    ids.length > 0 &&
      html`<form class="question follow" onSubmit=${followUp}>
        <div class="search">
          <input
            type="search"
            name="follow"
            aria-label="Follow-up question"
            autocomplete="off"
            placeholder=${ids.length === 1 ? 'Ask this paper more …' : `Ask these ${ids.length} papers more …`}
            ref=${input}
          />
        </div>
        <button type="submit" class="quiet">Ask on</button>
      </form>`,
  ];
}
