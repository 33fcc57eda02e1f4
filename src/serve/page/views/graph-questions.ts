import { QueryChoice, QueryField } from '../parts.ts';
import type { View } from '../scene.ts';
import { html, shown, useLoaded, useScene } from '../scene.ts';
import { ofKinds } from './graph-rows.ts';

interface Row {
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly edge: string | null;
  readonly count: number | null;
  readonly evidence: string;
  readonly quotes: readonly { readonly document: string; readonly page: number | null; readonly quote: string }[];
}

interface Answer {
  readonly says: string;
  readonly rows: readonly Row[];
}

/** What the page asks, as `docstokg graph list` does, with what the two fields are for. */
const ASKED: readonly (readonly [ask: string, name: string, of: string, on?: string])[] = [
  ['about', 'About', 'a name'],
  ['effect', 'Effect of one thing on another', 'of', 'on (or anything)'],
  ['studies', 'Studies that name all of', 'names, with commas'],
  ['beside', 'Named in the same sentences as', 'a name'],
  ['measured', 'How they measured', 'what'],
  ['quantities', 'Numbers about', 'words'],
  ['funding', 'Who paid for', 'a funder, a work or a name'],
  ['path', 'How two are connected', 'from', 'to'],
];
const MOST_ROWS = 50;

/** A question to the graph, and its rows with their sentences. */
export function GraphQuestions(): View {
  const { query } = useScene();
  const [, , of = '', on] = ASKED.find(([ask]) => ask === (query.get('ask') ?? 'about')) ?? [];
  return html`<details class="narrow" open=${query.has('of')}>
    <summary>Ask the graph</summary>
    <div class="filters">
      <${QueryChoice} name="Question" parameter="ask" options=${ASKED.map(([ask, name]) => [ask, name])} />
      <${QueryField} name="Of" parameter="of" hint=${of} />
      ${on !== undefined && html`<${QueryField} name="And" parameter="on" hint=${on} />`}
    </div>
    ${query.has('of') && html`<${Rows} />`}
  </details>`;
}

function Rows(): View {
  const { query, source, runPath } = useScene();
  const [ask, node] = [query.get('ask') ?? 'about', query.get('of') ?? ''];
  const takesTwo = ASKED.some(([name, , , on]) => name === ask && on !== undefined);
  const to = takesTwo ? (query.get('on') ?? '') : '';
  const [answer] = useLoaded(JSON.stringify([ask, node, to]), async (signal) => {
    const asked = { ask, node, ...(to !== '' && { to }), limit: MOST_ROWS };
    return await source.get<Answer>(runPath('graph'), asked, signal);
  });
  return shown(
    answer,
    ({ says, rows }) => html`
      <p class="hint" role="status">${says}</p>
      ${ofKinds(rows).map(
        ([name, ofKind], _, { length }) => html`
          ${length > 1 && html`<h3>${name} (${ofKind.length})</h3>`}
          <ol class="graph-rows">
            ${ofKind.map((row) => html`<li key=${row.id + row.label}><${RowItem} row=${row} /></li>`)}
          </ol>
        `,
      )}
    `,
  );
}

function RowItem({ row }: { readonly row: Row }): View {
  const { reading } = useScene();
  const { id, kind, label, edge, count, evidence, quotes } = row;
  // What a service says has no place in a paper.
  const said = evidence.split('\n').filter((line) => quotes.length === 0 && line !== '');
  return html`
    <p>
      ${kind === 'work' ? html`<a href=${reading({ work: id })}>${label}</a>` : html`<strong>${label}</strong>`}${' '}
      <small>${[edge, kind, count].filter((each) => each !== null).join(' · ')}</small>
    </p>
    <ul>
      ${quotes.map(({ document, page, quote }) => {
        const to = reading({ document, page, quote, words: quote.slice(0, 200) });
        return html`<li>${quote} <a href=${to}>${page === null ? document : `${document}, page ${page}`}</a></li>`;
      })}
      ${said.map((sentence) => html`<li>${sentence}</li>`)}
    </ul>
  `;
}
