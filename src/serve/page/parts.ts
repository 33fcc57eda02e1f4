import { useEffect, useRef, useState } from 'preact/hooks';

import { duration, moment, number, outcomeName, size, words } from './format.ts';
import type { WholeWork } from './answers.ts';
import type { View } from './scene.ts';
import { button, html, messageOf, useScene } from './scene.ts';
import type { Query } from './source.ts';

/** A link to the web or to a file next to the page; other URLs are shown as text. */
export function link(href: string, text: string): View {
  const isSafe = /^(?:https?:\/\/|\.\/|\/api\/v1\/)/.test(href);
  return isSafe ? html`<a href=${href} target="_blank" rel="noreferrer">${text}</a>` : text;
}

export function field(name: View, control: View): View {
  return html`<label class="field"><span>${name}</span>${control}</label>`;
}

/** Typing that pauses so long is looked at. */
export const TYPING_MS = 250;

/** Where a document stands beside what led to it, and does not cover it. */
export const WIDE = '(min-width: 64rem)';

/** An input that shows a value; what is being typed is not overwritten. */
export function useInput(value: string): { readonly current: HTMLInputElement | null } {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current && document.activeElement !== input.current) input.current.value = value;
  }, [value]);
  return input;
}

/** A text field for a parameter of the URL, which follows on change, and while typing after a pause. */
export function QueryField(props: {
  readonly name: string;
  readonly parameter: string;
  readonly hint: string;
  readonly normalised?: (text: string) => string;
  /** Enter ends typing: keys pressed after it are not letters of this field. */
  readonly isLeftByEnter?: boolean;
  /** The id of the values that it offers. */
  readonly list?: string;
}): View {
  const { name, parameter, hint, normalised = (text) => text, isLeftByEnter = false, list } = props;
  const { query, set } = useScene();
  const input = useInput(query.get(parameter) ?? '');
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const setAfter = (waitMs: number): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => set({ [parameter]: normalised(input.current?.value.trim() ?? '') }), waitMs);
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !isLeftByEnter) return;
    setAfter(0);
    document.querySelector<HTMLElement>('#main')?.focus();
  };
  return field(
    name,
    html`<input
      type="search"
      name=${parameter}
      list=${list}
      onKeyDown=${keys}
      placeholder=${hint}
      ref=${input}
      onChange=${() => setAfter(0)}
      onInput=${() => setAfter(TYPING_MS)}
    />`,
  );
}

/** A row of filters; in a `slim` one the names of the fields are only read out. */
export function filters(controls: View, kind = ''): View {
  return html`<form class=${`filters ${kind}`} onSubmit=${(event: Event) => event.preventDefault()}>${controls}</form>`;
}

/** A select for a parameter of the URL; its first option is the default. Choosing may reset other parameters. */
export function QueryChoice(props: {
  readonly name: string;
  readonly parameter: string;
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly reset?: Query;
}): View {
  const { name, parameter, options, reset } = props;
  const { query, set } = useScene();
  const value = query.get(parameter) ?? options[0]?.[0];
  const changed = ({ target }: Event): void => set({ ...reset, [parameter]: (target as HTMLSelectElement).value });
  return field(
    name,
    html`<select name=${parameter} value=${value} onChange=${changed}>
      ${options.map(([each, label]) => html`<option value=${each} selected=${each === value}>${label}</option>`)}
    </select>`,
  );
}

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
      .then(notify, (error: unknown) => notify(messageOf(error)))
      .finally(() => setBusy(false));
  };
  return button(name, click, { 'aria-label': label, disabled: isBusy });
}

export function CopyButtons({ apa, bibtex }: { readonly apa: string | null; readonly bibtex: string | null }): View {
  const { notify } = useScene();
  const copy = (name: string, text: string): void =>
    void navigator.clipboard.writeText(text).then(
      () => notify(`Copied as ${name}.`),
      () => notify(text),
    );
  return [
    apa !== null && button('Copy APA', () => copy('APA', apa)),
    bibtex !== null && button('Copy BibTeX', () => copy('BibTeX', bibtex)),
  ];
}

/** Copies the address with what was searched and filtered; it opens for everyone who may use this server. */
export function CopyLink(): View {
  const { source, notify } = useScene();
  if (source.report) return undefined;
  const copy = (): void =>
    void navigator.clipboard.writeText(location.href).then(
      () => notify('Copied. The link opens for everyone who has signed in here.'),
      () => notify(location.href),
    );
  return button('Copy link', copy);
}

/** A row of a list: its name, and its other cells in the order of the columns. */
export interface ListRow {
  readonly key: string | number;
  readonly head: View;
  readonly cells: readonly View[];
  readonly more?: object;
}

/** A heading: its name, empty above buttons; or something else to show; or one that sorts the list. */
type Column = string | { readonly shows: View } | SortColumn;
type SortColumn = readonly [key: string, name: string, isDefault?: boolean];

/** A table whose rows are stacked on narrow screens, with the names of columns; its caption is only read out, unless it is `titled`. */
export function listTable(caption: string, columns: readonly Column[], rows: readonly ListRow[], kind = 'plain'): View {
  const names = columns.map((column) => (typeof column === 'string' ? column : 'shows' in column ? '' : column[1]));
  return html`<table class=${`stacked ${kind}`} onKeyDown=${stepThroughRows}>
    <caption class=${kind === 'titled' ? '' : 'hidden'}>
      ${caption}
    </caption>
    <thead>
      <tr>
        ${columns.map((column) => {
          if (typeof column !== 'string' && !('shows' in column)) return html`<${SortHead} column=${column} />`;
          return html`<th scope="col">${typeof column === 'string' ? column : column.shows}</th>`;
        })}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ key, head, cells, more }) =>
          html`<tr key=${key} ...${more}>
            <th scope="row">${head}</th>
            ${cells.map((content, at) => {
              const name = names[at + 1];
              return name ? html`<td data-name=${name}>${content}</td>` : html`<td class="act">${content}</td>`;
            })}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** Arrow keys go from the name of a row to the next. */
function stepThroughRows(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const heads = [...(event.currentTarget as Element).querySelectorAll<HTMLElement>('tbody th :is(a, button)')];
  const at = heads.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? undefined : heads[at + (event.key === 'ArrowDown' ? 1 : -1)];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** A heading whose button sorts the list; the order is part of the URL. */
function SortHead({ column: [key, name, isDefault = false] }: { readonly column: SortColumn }): View {
  const { query, set } = useScene();
  const isSorted = query.has('sort') ? query.get('sort') === key : isDefault;
  const isDown = query.get('order') === 'desc';
  const turn = (): void => set({ sort: key, order: isSorted && !isDown ? 'desc' : 'asc' });
  return html`<th scope="col" aria-sort=${!isSorted ? 'none' : isDown ? 'descending' : 'ascending'}>
    ${button(name, turn, { class: 'sort' })}
  </th>`;
}

export type Figure = readonly [name: string, value: number | string, note: string];

export function figures(shown: readonly Figure[]): View {
  return html`<dl class="figures">
    ${shown.map(
      ([name, value, note]) =>
        html`<div>
          <dt>${name}</dt>
          <dd><strong>${typeof value === 'number' ? number(value) : value}</strong><span>${note}</span></dd>
        </div>`,
    )}
  </dl>`;
}

export function section(title: string, content: View, more: object = {}): View {
  return html`<section ...${more}>
    <h2>${title}</h2>
    ${content}
  </section>`;
}

export function Dialog(props: { readonly label: string; readonly close: () => void; readonly children?: View }): View {
  const { label, close, children } = props;
  const [element, closing] = [useRef<HTMLDialogElement>(null), useRef<HTMLButtonElement>(null)];
  useEffect(() => {
    element.current?.showModal();
    closing.current?.focus();
  }, []);
  return html`<dialog aria-label=${label} ref=${element} onClose=${close}>
    ${children} ${button('Close', () => element.current?.close(), { ref: closing })}
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
