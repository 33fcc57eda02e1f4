import { useEffect, useRef, useState } from 'preact/hooks';

import type { SavedTable, TableCell, TableColumn, TableLine, TablePage, TableRow } from '../answers.ts';
import { counted, typed } from '../format.ts';
import { rowSentence } from '../../../ask/row-sentence/index.ts';
import { csvLine } from '../../../base/text/index.ts';
import { field, filters, listTable, QueryChoice, QueryField, saveText, WIDE } from '../parts.ts';
import type { View } from '../scene.ts';
import { button, fault, html, shown, useChanges, useLoaded, useScene } from '../scene.ts';
import { SetNames } from './works-field.ts';
import { rowView } from './quoted-row.ts';

const ROWS_AT_ONCE = 500;

export function TableView(): View {
  const { set, about, source, runPath } = useScene();
  const [filled, setFilled] = useState(0);
  const changes = useChanges('tables');
  const done = (table: string): void => {
    setFilled(filled + 1);
    set({ table, sort: '', order: '' });
  };
  // A new key loads the tables again.
  // Without a table there is nothing else to do here; with one, the form is out of its way.
  const [tables] = useLoaded(`${runPath('tables')} ${filled} ${changes}`, (signal) =>
    source.get<{ readonly items: readonly SavedTable[] }>(runPath('tables'), {}, signal),
  );
  const isFirst = tables.kind === 'answered' && tables.value.items.length === 0;
  return [
    about.control && html`<${FillForm} done=${done} isFirst=${isFirst} />`,
    shown(tables, ({ items }) => html`<${Tables} items=${items} filled=${filled} />`),
  ];
}

function Tables(props: { readonly items: readonly SavedTable[]; readonly filled: number }): View {
  const { items, filled } = props;
  const { query, run, about } = useScene();
  const id = query.get('table') ?? items[0]?.id;
  if (id === undefined)
    return html`<div class="note" role="status">
      <p>No tables yet. A table has a row for each paper, and each cell its quote.</p>
      ${
        about.control
          ? html`<p>Choose columns above and fill it in, or type:</p>`
          : html`<p>
              This server is read-only: start it with <code>--allow-control</code> to fill tables in here, or type:
            </p>`
      }
      <p><code>docstokg table ${typed(run?.folder)} --column year --column "sample size:number"</code></p>
    </div>`;
  return [
    items.length > 1 &&
      filters(
        html`<${QueryChoice}
          name="Table"
          parameter="table"
          options=${items.map(({ id: each, columns }) => [each, columns.map(({ name }) => name).join(', ')])}
          reset=${{ sort: '', order: '' }}
        />`,
      ),
    html`<${Rows} id=${id} filled=${filled} key=${id} />`,
  ];
}

function FillForm(props: { readonly done: (table: string) => void; readonly isFirst: boolean }): View {
  const { done, isFirst } = props;
  const { query, source, runPath } = useScene();
  const columns = useRef<HTMLTextAreaElement>(null);
  const works = useRef<HTMLInputElement>(null);
  const [stop, setStop] = useState<AbortController>();
  const [said, setSaid] = useState<View>('');
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (isFirst) setOpen(true);
  }, [isFirst]);
  const fill = (event: Event): void => {
    event.preventDefault();
    const controller = new AbortController();
    let rows = 0;
    const receive = (line: TableLine): void => {
      if (line.kind === 'row') setSaid(`${counted((rows += 1), 'paper')} read …`);
      if (line.kind !== 'table') return;
      const over = line.over_budget === 0 ? '' : ` ${counted(line.over_budget, 'paper')} over budget.`;
      const out = line.works_screened_out;
      const without = out === 0 ? '' : ` Without ${counted(out, 'work')} that screening excluded.`;
      setSaid(`${counted(line.rows, 'row')}, ${line.filled} filled in now, ${line.failed} failed.${over}${without}`);
      setOpen(false);
      done(line.table);
    };
    const text = columns.current?.value ?? '';
    const body = {
      columns: text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()])),
      ...(works.current?.value.trim() && { works: works.current.value.trim() }),
    };
    setStop(controller);
    setSaid('Reading …');
    source
      .lines(runPath('tables'), { body }, receive, controller.signal)
      .catch((error: unknown) =>
        setSaid(controller.signal.aborted ? 'Stopped; fill in again to resume.' : fault(error)),
      )
      .finally(() => setStop(undefined));
  };
  const suggest = (column: string): void => {
    if (!columns.current) return;
    const lines = columns.current.value.split('\n').filter((line) => line.trim() !== '');
    if (!lines.includes(column)) columns.current.value = [...lines, column].join('\n');
  };
  return html`<details
      class="narrow"
      open=${isOpen}
      onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}
    >
      <summary>Fill in a table</summary>
      <form onSubmit=${fill}>
        <p class="acts suggested">
          Columns such as
          ${SUGGESTED.map((column) => button(column, () => suggest(column), { 'aria-label': `Add the column ${column}` }))}
        </p>
        <div class="filters">
          ${field(
            'Columns, one per line: NAME, NAME:TYPE, NAME:number:UNIT',
            html`<textarea
              name="columns"
              rows="4"
              ref=${columns}
              placeholder=${'year\nsample size:number'}
            ></textarea>`,
          )}
          ${field(
            'Works: all, or title:lithium, year:2020-2022, included, a saved set, ids',
            html`<input
                type="search"
                name="works"
                list="set-names"
                ref=${works}
                placeholder="all"
                defaultValue=${query.get('works') ?? ''}
              />
              <${SetNames} id="set-names" />`,
          )}
        </div>
        <button type="submit" class="quiet" disabled=${stop !== undefined}>Fill in</button>
        ${stop && [' ', button('Stop', () => stop.abort())]}
      </form>
    </details>
    <p class="hint fill" role="status">${said}</p>`;
}

/** Columns that many reviews have; any question can be one. */
const SUGGESTED = [
  'year',
  'country',
  'study design',
  'sample size:number',
  'method',
  'main result',
  'limitations',
  'funding',
];

/** The rows of a table; they are read again when it was filled in. */
function Rows({ id, filled }: { readonly id: string; readonly filled: number }): View {
  const { source, about, run, query, set, place, runPath } = useScene();
  const works = query.get('works');
  const [opened, setOpened] = useState<{ readonly row: TableRow; readonly at: number }>();
  const changes = `${useChanges('tables')} ${useChanges('decisions')} ${filled}`;
  const [table, change] = useLoaded(`${id} ${works ?? ''} ${changes}`, async (signal) => {
    let all: TablePage | undefined;
    do {
      const asked = { limit: ROWS_AT_ONCE, cursor: all?.next, works };
      const page: TablePage = await source.get(runPath('tables', id), asked, signal);
      all = { ...page, rows: [...(all?.rows ?? []), ...page.rows] };
    } while (all.next !== null);
    return all;
  });
  /** The cell, and where there is room its paper beside it, at the quote. */
  const open = (row: TableRow, at: number): void => {
    const [quote] = row.cells[at]?.quotes ?? [];
    setOpened({ row, at });
    // There it would cover the cell, which links to it.
    if (!matchMedia(WIDE).matches) return;
    const text = quote?.text.slice(0, 600);
    set({
      ...NOWHERE,
      document: row.document,
      passage: quote?.passage?.id,
      quote: text,
      words: quote?.text.slice(0, 200),
    });
  };
  const close = (): void => {
    setOpened(undefined);
    set({ ...NOWHERE, document: '' });
  };
  const corrected = (row: TableRow): void => {
    change((now) => ({ ...now, rows: now.rows.map((each) => (each.document === row.document ? row : each)) }));
    setOpened(opened && { ...opened, row });
  };
  return shown(table, ({ columns, model, rows: all, works_screened_out: screenedOut }) => {
    const found = all.filter((row) => matches(row, query.get('q') ?? ''));
    const rows = sorted(found, columns, query);
    const by = model === null ? 'without a model' : `by ${model}`;
    const named = columns.map(({ name, type, unit }) => {
      const kind = unit === null ? (type === 'text' ? [] : [type]) : [type, unit];
      return `--column "${[name, ...kind].join(':')}"`;
    });
    // A question or choices of its own stand in a file of columns only.
    const isFromFile = columns.some(({ name, question, type }) => type === 'choice' || question !== name);
    const said = isFromFile ? ['--columns columns.yaml'] : named;
    const command = ['docstokg table', typed(run?.folder), ...said].join(' ');
    return html`<div>
      ${
        all.length === 0 &&
        works === null &&
        html`<p class="note">
          There are no rows yet, or they are of an older version of the program. Fill the table in${' '}
          ${about.control ? 'above, with the same columns,' : 'with the same columns'} or type:${' '}
          <code>${command}</code>
        </p>`
      }
      ${filters(html`<${QueryField} name="Filter" parameter="q" hint="words in any cell" />`)}
      <p class="hint rows" role="status">
        ${counted(rows.length, 'row')} of ${all.length}, filled in ${by}.
        ${
          screenedOut > 0 && [
            ` Without ${counted(screenedOut, 'work')} that screening excluded. `,
            html`<a href=${place('/table', { table: id, works: 'excluded' })}>Show them</a>.`,
          ]
        }
        ${works !== null && [` Only of the works “${works}”. `, html`<a href=${place('/table', { table: id })}>Show all</a>.`]}
        ${' '}${matchMedia(WIDE).matches ? 'A cell opens its paper at the quote.' : 'A cell opens with its quote, which leads to the paper.'}
        ${' '}${button('CSV', () => saveText('table.csv', 'text/csv', csvOf(columns, rows)), { 'aria-label': 'Save the table as CSV' })}
      </p>
      ${
        opened &&
        html`<${OneCell}
          table=${id}
          row=${opened.row}
          column=${columns[opened.at]}
          cell=${opened.row.cells[opened.at]}
          changed=${corrected}
          close=${close}
          key=${`${opened.row.document} ${opened.at}`}
        />`
      }
      <div class="wide">
        ${listTable(
          'One row per paper',
          ['Paper', ...columns.map(({ name }) => name)].map((name) => [name, name]),
          rows.map((row) => ({
            key: row.document,
            more: { 'data-document': row.document, class: query.get('document') === row.document ? 'open' : '' },
            head: titleOf(row),
            cells: row.cells.map((cell, at) => {
              const text = cell.kind === 'value' ? cell.value : '–';
              return button(text, () => open(row, at), {
                class: 'sort',
                title: cell.kind === 'value' ? cell.from : cell.sentence,
                'aria-label': `${columns[at]?.name} of ${titleOf(row)}: ${text}`,
              });
            }),
          })),
          'works cells',
        )}
      </div>
    </div>`;
  });
}

/** The parameters of a place in a paper, without one. */
const NOWHERE = { work: '', passage: '', block: '', start: '', end: '', page: '', quote: '', words: '' };

function csvOf(columns: readonly TableColumn[], rows: readonly TableRow[]): string {
  const parts = (name: string): string[] => [name, `${name} (quote)`, `${name} (page)`, `${name} (from)`];
  const head = ['title', 'citation', ...columns.flatMap(({ name }) => parts(name))];
  const lines = rows.map((row) => [
    titleOf(row),
    row.work?.apa ?? '',
    ...row.cells.flatMap((cell) => {
      const [value, from] = cell.kind === 'value' ? [cell.value, cell.from] : ['', cell.sentence];
      return [
        value,
        cell.quotes.map((quote) => (quote.row ? rowSentence(quote.row) : quote.text)).join(' […] '),
        cell.quotes[0]?.page ?? '',
        from,
      ];
    }),
  ]);
  return [head, ...lines].map((cells) => csvLine(cells)).join('');
}

function titleOf({ work, document }: TableRow): string {
  return work?.title ?? document;
}

function matches({ work, document, cells }: TableRow, words: string): boolean {
  const text = [work?.title, work?.apa, document, ...cells.map((cell) => (cell.kind === 'value' ? cell.value : ''))]
    .join(' ')
    .toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Numbers by value, other values alphabetically; empty cells last. */
function sorted(rows: readonly TableRow[], columns: readonly TableColumn[], query: URLSearchParams) {
  const sort = query.get('sort') ?? '';
  if (sort === '') return rows;
  const at = columns.findIndex(({ name }) => name === sort);
  const valueOf = (row: TableRow): string | undefined => {
    const cell = row.cells[at];
    return at === -1 ? titleOf(row) : cell?.kind === 'value' ? cell.value : undefined;
  };
  const sign = query.get('order') === 'desc' ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    const [first, second] = [numberIn(a), numberIn(b)];
    const isNumeric = first !== undefined && second !== undefined && first !== second;
    return sign * (isNumeric ? first - second : a.localeCompare(b));
  });
}

function numberIn(text: string): number | undefined {
  const found = /^[-−–]?\d[\d.,]*/
    .exec(text)?.[0]
    .replace(/^[−–]/, '-')
    .replaceAll(/,(?=\d{3})/g, '')
    .replace(',', '.');
  const value = found === undefined ? Number.NaN : Number.parseFloat(found);
  return Number.isNaN(value) ? undefined : value;
}

/** Who filled a cell in. */
const FROM: Readonly<Record<string, string>> = {
  extractive: 'without a model',
  corrected: 'by a person',
  statement: 'from a sentence that states it',
  model: 'by the model',
};

function OneCell(props: {
  readonly table: string;
  readonly row: TableRow;
  readonly column: TableColumn;
  readonly cell: TableCell;
  readonly changed: (row: TableRow) => void;
  readonly close: () => void;
}): View {
  const { table, row, column, cell, changed, close } = props;
  const { source, about, reading, notify, runPath } = useScene();
  const [error, setError] = useState<unknown>();
  const input = useRef<HTMLInputElement & HTMLSelectElement>(null);
  const box = useRef<HTMLElement>(null);
  // Tab continues in the cell that was opened, and after it is closed where one was in the table.
  useEffect(() => {
    const [own, from] = [box.current, document.activeElement];
    own?.focus({ preventScroll: true });
    own?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    return () => {
      if (from instanceof HTMLElement && own?.contains(document.activeElement)) from.focus({ preventScroll: true });
    };
  }, []);
  const correct = (value: string | null): void => {
    const body = { work: row.work?.id ?? row.document, column: column.name, value };
    source.post<{ readonly row: TableRow | null }>(runPath('tables', table, 'cells'), body).then(
      (got) => {
        setError(undefined);
        notify(value === null ? 'Correction undone.' : 'Corrected.');
        if (got.row) changed(got.row);
      },
      (fault: unknown) => setError(fault),
    );
  };
  const choices = column.type === 'choice' ? column.choices : column.type === 'yes/no' ? ['yes', 'no'] : [];
  const isCorrected = cell.kind === 'value' ? cell.from === 'corrected' : cell.reason === 'corrected';
  const value = cell.kind === 'value' ? cell.value : '';
  return html`<section class="one-cell" aria-label="A cell" tabindex="-1" ref=${box}>
    <div class="tools">
      <h2>${column.name}: ${cell.kind === 'value' ? cell.value : 'empty'}</h2>
      ${button('×', close, { class: 'quiet close', 'aria-label': 'Close the cell' })}
    </div>
    <p class="hint">
      <a href=${reading({ document: row.document })}>${titleOf(row)}</a> ·
      ${cell.kind === 'value' ? (FROM[cell.from] ?? `from the ${cell.from}`) : cell.sentence}
      ${isCorrected && cell.quotes.length > 0 && '; the quote is that of the value before'}
    </p>
    ${cell.quotes.map(
      (quote) =>
        html`${quote.row ? rowView(quote.row) : html`<p><q>${quote.text}</q></p>`}
          <p class="hint">
            <a
              href=${reading({ document: row.document, passage: quote.passage?.id, words: quote.text.slice(0, 200), quote: quote.text.slice(0, 600) })}
              >Read it in the paper${quote.page === null ? '' : `, page ${quote.page}`}</a
            >
          </p>`,
    )}
    ${
      about.control &&
      html`<form
        class="filters"
        onSubmit=${(event: Event) => {
          event.preventDefault();
          correct(input.current?.value ?? '');
        }}
      >
        ${field(
          'Correct value; empty for none',
          choices.length === 0
            ? html`<input type="text" name="value" maxlength="500" ref=${input} value=${value} />`
            : html`<select name="value" ref=${input} value=${value}>
                ${['', ...choices].map((each) => html`<option value=${each} selected=${each === value}>${each}</option>`)}
              </select>`,
        )}
        <button type="submit" class="quiet">Save the value</button>
        ${isCorrected && button('Undo the correction', () => correct(null), { class: 'quiet undo' })}
      </form>`
    }
    ${error !== undefined && fault(error)}
  </section>`;
}
