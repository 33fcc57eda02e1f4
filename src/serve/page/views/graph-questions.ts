import { useEffect, useRef, useState } from 'preact/hooks';

import { counted } from '../format.ts';
import { field, link, TYPING_MS } from '../parts.ts';
import type { Fetched, View } from '../scene.ts';
import { html, shown, useLoaded, useScene } from '../scene.ts';
import { Refusal } from '../source.ts';
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
const ASKED: readonly (readonly [ask: string, name: string, of: string | null, on?: string])[] = [
  ['about', 'About', 'a name'],
  ['effect', 'Effect of one thing on another', 'of', 'on (or anything)'],
  ['studies', 'Studies that name all of', 'names, with commas'],
  ['beside', 'Named in the same sentences as', 'a name'],
  ['measured', 'How they measured', 'what'],
  ['quantities', 'Numbers about', 'words'],
  ['funding', 'Who paid for', 'a funder, a work or a name'],
  ['path', 'How two are connected', 'from', 'to'],
  ['gaps', 'Often cited here, and not in the library', null],
];
const MOST_ROWS = 50;
/** Without a name it lists what it can be asked about. */
const LISTS = 'funding';
/** About the whole library: no name is asked for. */
const GAPS = 'gaps';
/** The question that needs both names; elsewhere the second one may be left out. */
const BETWEEN = 'path';
const LEAST_TYPED = 2;
const MOST_LISTED = 500;
const MOST_OFFERED = 20;
/** Kinds of rows that are no names to go on with. */
const NO_NAMES = new Set(['work', 'finding', 'quantity', 'procedure']);

/** A question to the graph, and its rows with their sentences; each question has its place in the history. */
export function GraphQuestions(): View {
  const { query, go, set, place } = useScene();
  const form = useRef<HTMLFormElement>(null);
  const ask = query.get('ask') ?? 'about';
  const [, , of = '', on] = ASKED.find(([name]) => name === ask) ?? [];
  const isBegun = query.has('of') || isAboutAll(ask);
  const isAsked = isBegun && (ask !== BETWEEN || query.has('on'));
  const submit = (event?: Event): void => {
    event?.preventDefault();
    const typed = Object.fromEntries(
      Array.from(form.current?.querySelectorAll('input') ?? [], ({ name, value }) => [name, value.trim()]),
    );
    if (Object.entries(typed).every(([name, value]) => value === (query.get(name) ?? ''))) return;
    go(place('/graph', { ...Object.fromEntries(query), ...typed }));
  };
  /** Both names are needed for a question about two. */
  const chosen = (): void => {
    if (Array.from(form.current?.querySelectorAll('input') ?? []).every(({ value }) => value.trim() !== '')) submit();
  };
  const choose = ({ target }: Event): void => {
    const other = { ask: (target as HTMLSelectElement).value };
    if (isBegun || isAboutAll(other.ask)) go(place('/graph', { ...Object.fromEntries(query), ...other }));
    else set(other);
  };
  return html`<details class="narrow" open=${isBegun}>
    <summary>Ask the graph</summary>
    <form class="filters" ref=${form} onSubmit=${submit}>
      ${field(
        'Question',
        html`<select name="ask" value=${ask} onChange=${choose}>
          ${ASKED.map(([each, name]) => html`<option value=${each} selected=${each === ask}>${name}</option>`)}
        </select>`,
      )}
      ${of !== null && html`<${NameField} name="Of" parameter="of" hint=${of} ask=${ask} chosen=${chosen} isNeeded=${ask === BETWEEN} key=${`of ${ask === LISTS}`} />`}
      ${on !== undefined && html`<${NameField} name="And" parameter="on" hint=${on} ask=${ask} chosen=${chosen} isNeeded=${ask === BETWEEN} />`}
      ${of !== null && html`<button type="submit" class="quiet">Ask</button>`}
    </form>
    ${isBegun && !isAsked && html`<p class="hint" role="status">One name is there: name a second one, to ask how the two are connected.</p>`}
    ${isAsked && html`<${Rows} />`}
  </details>`;
}

/** Whether a question is answered without a name. */
function isAboutAll(ask: string): boolean {
  return ask === LISTS || ask === GAPS;
}

/** A field for a name, which offers those of the graph: while one types, or at once where they are few. */
function NameField(props: {
  readonly name: string;
  readonly parameter: string;
  readonly hint: string;
  readonly ask: string;
  /** Called when one of those offered is chosen. */
  readonly chosen: () => void;
  /** Nothing is asked without it. */
  readonly isNeeded?: boolean;
}): View {
  const { name, parameter, hint, ask, chosen, isNeeded = false } = props;
  const { query, source, runPath } = useScene();
  const input = useRef<HTMLInputElement>(null);
  const value = query.get(parameter) ?? '';
  // It changes when something is asked, and by Back: what is typed then is over.
  useEffect(() => {
    if (input.current) input.current.value = value;
  }, [value]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [typed, setTyped] = useState('');
  useEffect(() => () => clearTimeout(timer.current), []);
  const isListed = ask === LISTS;
  const words = isListed ? '' : typed;
  const [found] = useLoaded(`${isListed} ${words}`, async (signal): Promise<readonly string[]> => {
    if (!isListed && words.length < LEAST_TYPED) return [];
    const asked = isListed ? { ask: LISTS, limit: MOST_LISTED } : { ask: 'find', node: words, limit: MOST_OFFERED };
    const { rows } = await source.get<Answer>(runPath('graph'), asked, signal);
    // The label of a work has its year before the title, so it names nothing.
    const named = rows.filter(({ kind }) => kind !== 'quantity' && kind !== 'work');
    return [...new Set(named.map(({ label }) => label))].slice(0, isListed ? MOST_LISTED : MOST_OFFERED);
  });
  const offered = found.kind === 'answered' ? found.value : [];
  const type = (event: Event): void => {
    const text = (event.target as HTMLInputElement).value.trim();
    clearTimeout(timer.current);
    // Choosing one that is offered is no typing.
    if (!('inputType' in event) || event.inputType === 'insertReplacementText') {
      if (offered.includes(text)) return chosen();
    }
    timer.current = setTimeout(() => setTyped(text), TYPING_MS);
  };
  return field(
    name,
    html`<input
        type="search"
        name=${parameter}
        list=${`named-${parameter}`}
        placeholder=${hint}
        autocomplete="off"
        required=${isNeeded}
        ref=${input}
        onInput=${type}
      /><datalist id=${`named-${parameter}`}>${offered.map((each) => html`<option value=${each} />`)}</datalist>`,
  );
}

function Rows(): View {
  const { query, source, runPath } = useScene();
  const ask = query.get('ask') ?? 'about';
  const node = ask === GAPS ? '' : (query.get('of') ?? '');
  const takesTwo = ASKED.some(([name, , , on]) => name === ask && on !== undefined);
  const to = takesTwo ? (query.get('on') ?? '') : '';
  const [answer] = useLoaded(JSON.stringify([ask, node, to]), async (signal) => {
    const limit = ask === LISTS && node === '' ? MOST_LISTED : MOST_ROWS;
    const asked = { ask, node, ...(to !== '' && { to }), limit };
    return await source.get<Answer>(runPath('graph'), asked, signal);
  });
  if (isNotThere(answer)) return notThere(node === '' || to === '' ? node : `${node}” or “${to}`);
  return shown(
    answer,
    ({ says, rows }) => html`
      <p class="hint" role="status">${says}</p>
      ${(ask === LISTS && node === '' ? listed(rows) : ofKinds(rows)).map(
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

/** Whether something was asked about that the graph has no node for. */
export function isNotThere(fetched: Fetched<unknown>): boolean {
  return fetched.kind === 'failed' && fetched.error instanceof Refusal && fetched.error.code === 'GRAPH_NO_NODE';
}

/** What can be done on the page about a name that the graph has no node for. */
export function notThere(name: string): View {
  const { place } = useScene();
  return html`<p class="note" role="alert">
    The graph has no node “${name}”. The fields offer its names while you type;${' '}
    <a href=${place('/search', { q: name.replace('” or “', ' ') })}>search the papers for it</a>.
  </p>`;
}

/** Those that pay, and the works that say so. */
function listed(rows: readonly Row[]): readonly (readonly [name: string, rows: readonly Row[]])[] {
  const [works, funders] = [true, false].map((is) => rows.filter(({ kind }) => (kind === 'work') === is));
  return [
    ['Funders', funders ?? []],
    ['Works', works ?? []],
  ];
}

function RowItem({ row }: { readonly row: Row }): View {
  const { query, reading, place } = useScene();
  const { id, kind, label, edge, count, evidence, quotes } = row;
  const isListed = query.get('ask') === LISTS && !query.has('of');
  // Names and what a list offers are asked about in turn.
  const next = isListed
    ? { ask: LISTS, of: kind === 'work' ? id : label }
    : NO_NAMES.has(kind) || kind === 'funder'
      ? undefined
      : { ask: 'about', of: label };
  const to = next
    ? place('/graph', { node: query.get('node'), ...next })
    : kind === 'work'
      ? reading({ work: id })
      : undefined;
  // A work that is not here is found by its DOI.
  if (query.get('ask') === GAPS) {
    const [, doi] = /(?:^|:)doi:(.+)$/.exec(id) ?? [];
    return html`<p>
      ${doi === undefined ? label : link(`https://doi.org/${encodeURI(doi)}`, label)}${' '}
      <small>${`cited by ${counted(count ?? 0, 'work')} here`}</small>
      ${' '}<a href=${place('/graph', { node: id })}>Who cites it</a>
    </p>`;
  }
  // What a service says has no place in a paper.
  const said = evidence.split('\n').filter((line) => quotes.length === 0 && line !== '');
  return html`
    <p>
      ${to === undefined ? html`<strong>${label}</strong>` : html`<a href=${to}>${label}</a>`}${' '}
      <small
        >${isListed ? counted(count ?? 0, kind === 'work' ? 'funder' : 'work') : [edge, kind, count].filter((each) => each !== null).join(' · ')}</small
      >
    </p>
    ${
      (quotes.length > 0 || said.length > 0) &&
      html`<ul>
        ${quotes.map(({ document, page, quote }) => {
          const to = reading({ document, page, quote, words: quote.slice(0, 200) });
          return html`<li>${quote} <a href=${to}>${page === null ? document : `${document}, page ${page}`}</a></li>`;
        })}
        ${said.map((sentence) => html`<li>${sentence}</li>`)}
      </ul>`
    }
  `;
}
