import { useEffect, useRef, useState } from 'preact/hooks';

import { duration, moment, number, outcomeName, size, words } from './format.ts';
import type { WholeWork } from './answers.ts';
import type { View } from './scene.ts';
import { html, useScene } from './scene.ts';

/** A link to the web or to a file next to the page; other URLs are shown as text. */
export function link(href: string, text: string): View {
  const isSafe = /^(?:https?:\/\/|\.\/|\/api\/v1\/)/.test(href);
  return isSafe ? html`<a href=${href} target="_blank" rel="noreferrer">${text}</a>` : text;
}

export function field(name: string, id: string, control: View): View {
  return html`<label class="field" for=${id}><span>${name}</span>${control}</label>`;
}

/** A text field that reports its value on change, and while typing after a pause. */
export function TextField(props: {
  readonly name: string;
  readonly id: string;
  readonly hint: string;
  readonly value: string | null;
  readonly changed: (value: string) => void;
}): View {
  const { name, id, hint, value, changed } = props;
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    // Do not overwrite what is being typed with an older value.
    if (input.current && document.activeElement !== input.current) input.current.value = value ?? '';
  }, [value]);
  const changedAfter = (waitMs: number): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => changed(input.current?.value.trim() ?? ''), waitMs);
  };
  return field(
    name,
    id,
    html`<input
      type="search"
      id=${id}
      placeholder=${hint}
      ref=${input}
      onChange=${() => changedAfter(0)}
      onInput=${() => changedAfter(TYPING_MS)}
    />`,
  );
}

const TYPING_MS = 250;

/** A text field for a query parameter of the address. */
export function QueryField(props: {
  readonly name: string;
  readonly id: string;
  readonly hint: string;
  readonly parameter: string;
  readonly normalised?: (text: string) => string;
}): View {
  const { name, id, hint, parameter, normalised = (text) => text } = props;
  const { query, set } = useScene();
  const changed = (text: string): void => set({ [parameter]: normalised(text) });
  return html`<${TextField} name=${name} id=${id} hint=${hint} value=${query.get(parameter)} changed=${changed} />`;
}

/** Filters above a list; they apply as they are typed. */
export function filters(controls: View): View {
  return html`<form class="filters" onSubmit=${(event: Event) => event.preventDefault()}>${controls}</form>`;
}

/** A select; options are pairs of value and label. */
export function choice(
  name: string,
  id: string,
  props: {
    readonly value: string | null;
    readonly options: readonly (readonly [value: string, name: string])[];
    readonly changed: (value: string) => void;
  },
): View {
  const { value, options, changed } = props;
  return field(
    name,
    id,
    html`<select
      id=${id}
      value=${value ?? ''}
      onChange=${(event: Event) => changed((event.target as HTMLSelectElement).value)}
    >
      ${options.map(([each, name]) => html`<option value=${each} selected=${each === (value ?? '')}>${name}</option>`)}
    </select>`,
  );
}

/** A button for a slow action; errors are shown. */
export function ActButton(props: {
  readonly name: string;
  readonly label?: string;
  readonly act: () => Promise<string>;
}): View {
  const { name, label, act } = props;
  const { notify } = useScene();
  const [isBusy, setBusy] = useState(false);
  const click = (): void => {
    setBusy(true);
    act()
      .then(notify, (error: unknown) => notify(error instanceof Error ? error.message : String(error)))
      .finally(() => setBusy(false));
  };
  return html`<button type="button" class="quiet" aria-label=${label} disabled=${isBusy} onClick=${click}>
    ${name}
  </button>`;
}

export function CopyButtons({ apa, bibtex }: { readonly apa: string | null; readonly bibtex: string | null }): View {
  const { notify } = useScene();
  const copy = (name: string, text: string | null): View =>
    text !== null &&
    html`<button
      type="button"
      class="quiet"
      onClick=${() =>
        void navigator.clipboard.writeText(text).then(
          () => notify(`Copied as ${name}.`),
          () => notify(text),
        )}
    >
      Copy ${name}
    </button>`;
  return [copy('APA', apa), copy('BibTeX', bibtex)];
}

interface ListRow {
  readonly key: string | number;
  readonly head: View;
  /** The other cells, in column order. */
  readonly cells: readonly View[];
  readonly more?: object;
}

/** A table whose caption is only read out; on narrow screens its rows are stacked. A column without a name has buttons. */
export function listTable(caption: string, columns: readonly string[], rows: readonly ListRow[], more = ''): View {
  return html`<table class=${`plain stacked ${more}`}>
    <caption class="hidden">
      ${caption}
    </caption>
    <thead>
      <tr>
        ${columns.map((name) => html`<th scope="col">${name}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ key, head, cells, more: attributes }) =>
          html`<tr key=${key} ...${attributes}>
            <th scope="row">${head}</th>
            ${cells.map((content, at) => {
              const name = columns[at + 1] ?? '';
              return name === '' ? html`<td class="act">${content}</td>` : cell(name, content);
            })}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** Headings whose buttons sort a table; the order is part of the URL. */
export function SortHeads(props: {
  readonly columns: readonly (readonly [key: string, name: string])[];
  readonly first: string;
}): View {
  const { query, set } = useScene();
  const [sort, order] = [query.get('sort') ?? props.first, query.get('order') ?? 'asc'];
  return props.columns.map(([key, name]) => {
    const isSorted = key === sort;
    const turn = (): void => set({ sort: key, order: isSorted && order === 'asc' ? 'desc' : 'asc' });
    return html`<th scope="col" aria-sort=${!isSorted ? 'none' : order === 'asc' ? 'ascending' : 'descending'}>
      <button type="button" class="sort" onClick=${turn}>${name}</button>
    </th>`;
  });
}

/** A table cell with the column name, which narrow screens show. */
export function cell(name: string, content: View, more: object = {}): View {
  return html`<td data-name=${name} ...${more}>${content}</td>`;
}

export function outcomeMark(outcome: string): View {
  return html`<span class=${`outcome ${outcome}`}>${outcomeName(outcome)}</span>`;
}

/** Large numbers with a label above and a note below. */
export function figures(shown: readonly (readonly [name: string, value: string, note: string])[]): View {
  return html`<dl class="figures">
    ${shown.map(
      ([name, value, note]) =>
        html`<div>
          <dt>${name}</dt>
          <dd><strong>${value}</strong><span>${note}</span></dd>
        </div>`,
    )}
  </dl>`;
}

/** A modal dialog; Escape and the button close it. */
export function Dialog(props: { readonly label: string; readonly close: () => void; readonly children?: View }): View {
  const { label, close, children } = props;
  const [element, button] = [useRef<HTMLDialogElement>(null), useRef<HTMLButtonElement>(null)];
  useEffect(() => {
    element.current?.showModal();
    button.current?.focus();
  }, []);
  return html`<dialog aria-label=${label} ref=${element} onClose=${close}>
    ${children}
    <button type="button" class="quiet" ref=${button} onClick=${() => element.current?.close()}>Close</button>
  </dialog>`;
}

export function historyOf(history: WholeWork['history']): View {
  if (history.length === 0) return html`<p class="hint">No attempt yet.</p>`;
  return history.map(
    ({ at, outcome, reason, sentence, resolver, url, file, attempts }) =>
      html`<section class="tried">
        <h3>${moment(at)}: ${outcomeName(outcome)}${outcome === 'saved' ? '' : `, ${words(reason)}`}</h3>
        ${outcome !== 'saved' && sentence !== null && html`<p class="hint">${sentence}</p>`}
        ${file !== null && html`<p class="hint">Saved as ${file}${resolver === null ? '' : `, found by ${words(resolver)}`}</p>`}
        ${url !== null && html`<p class="hint">From ${link(url, url)}</p>`}
        ${
          attempts.length > 0 &&
          html`<details open=${attempts.length < 4}>
            <summary>${attempts.length === 1 ? '1 attempt' : `${number(attempts.length)} attempts`}</summary>
            <ul>
              ${attempts.map(
                (each) =>
                  html`<li title=${each.sentence}>
                    ${`${words(each.resolver)}, ${each.host}: ${words(each.reason)}${each.status === null ? '' : ` (${each.status})`}, ${size(each.bytes)} in ${duration(each.duration_ms)}`}
                  </li>`,
              )}
            </ul>
          </details>`
        }
      </section>`,
  );
}

/** Saves a text as a file. The text is already in the page, so nothing is sent. */
export function saveText(name: string, type: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement('a'), { href, download: name }).click();
  URL.revokeObjectURL(href);
}
