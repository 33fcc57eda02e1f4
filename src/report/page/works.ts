import type { ReportData, WorkLine } from '../data.ts';
import { outcomeName } from './account-panel.ts';
import { html, link, saveText } from './element.ts';
import { counted, number, size, words } from './format.ts';
import { SortedBy } from './sorted-by.ts';
import { worksCsv } from './works-csv.ts';

const ROWS_AT_ONCE = 100;

/** The columns, and what each is sorted by. */
const COLUMNS = [
  ['Work', (work: WorkLine) => (work.title || work.id).toLowerCase()],
  ['Outcome', (work: WorkLine) => `${outcomeName(work.outcome)} ${work.reason}`],
  ['Found by', (work: WorkLine) => work.resolver],
  ['Licence', (work: WorkLine) => work.licence],
  ['File', (work: WorkLine) => work.bytes],
] as const;

/** The list of all works, to be searched, narrowed down, sorted and taken along. */
export function worksPanel(data: ReportData, openDocument: (at: number) => string): Node[] {
  const works = Array.from(
    { length: data.works.parts },
    (_, at) => JSON.parse(document.querySelector(`#works-${at}`)?.textContent ?? '[]') as readonly WorkLine[],
  ).flat();
  const body = html('tbody');
  const count = html('p', { class: 'hint', role: 'status' });
  const more = html('button', { type: 'button', class: 'quiet', click: () => show(body.rows.length) });
  const text = html('input', {
    type: 'search',
    id: 'works-text',
    placeholder: 'title, DOI, resolver …',
    input: () => refresh(),
  });
  const outcome = chooser(
    'works-outcome',
    'all outcomes',
    tallied(works, (work) => work.outcome),
    outcomeName,
  );
  const reason = chooser(
    'works-reason',
    'all reasons',
    tallied(works, (work) => work.reason),
    words,
  );
  for (const select of [outcome, reason]) select.addEventListener('change', () => refresh());
  const haystacks = works.map((work) =>
    [work.title, work.doi, work.id, work.resolver, work.licence, words(work.reason)].join('\n').toLowerCase(),
  );
  const sorted = new SortedBy<WorkLine>(COLUMNS, () => refresh());
  const download = html(
    'button',
    { type: 'button', class: 'quiet', click: () => saveText('works.csv', 'text/csv', worksCsv(found)) },
    'Download as CSV',
  );
  let found: readonly WorkLine[] = [];

  function refresh(): void {
    const wanted = text.value.trim().toLowerCase().split(/\s+/);
    found = sorted.order(
      works.filter(
        (work, at) =>
          (outcome.value === '' || work.outcome === outcome.value) &&
          (reason.value === '' || work.reason === reason.value) &&
          wanted.every((word) => haystacks[at]?.includes(word)),
      ),
    );
    body.replaceChildren();
    show(0);
  }

  function show(from: number): void {
    body.append(...found.slice(from, from + ROWS_AT_ONCE).map((work) => row(work, data, openDocument)));
    const left = found.length - body.rows.length;
    count.textContent = `${counted(found.length, 'work')}${found.length === works.length ? '' : ` of ${number(works.length)}`}`;
    more.hidden = left === 0;
    more.textContent = `Show ${number(Math.min(left, ROWS_AT_ONCE))} more of ${number(left)}`;
  }

  refresh();
  return [
    html(
      'form',
      { class: 'filters', submit: (event: Event) => event.preventDefault() },
      field('Filter', text),
      field('Outcome', outcome),
      field('Reason', reason),
    ),
    html('div', { class: 'tools' }, count, download),
    html(
      'table',
      { class: 'works' },
      html('caption', { class: 'hidden' }, 'Works and what came of them'),
      html('thead', {}, html('tr', {}, ...sorted.heads)),
      body,
    ),
    more,
  ];
}

function row(work: WorkLine, data: ReportData, openDocument: (at: number) => string): HTMLTableRowElement {
  const title = work.title === '' ? work.id : work.title;
  return html(
    'tr',
    {},
    html(
      'th',
      { scope: 'row' },
      work.document >= 0 ? html('a', { href: openDocument(work.document) }, title) : title,
      work.retracted && html('small', { class: 'retracted' }, 'retracted'),
      html(
        'small',
        {},
        work.doi.startsWith('10.') ? link(`https://doi.org/${encodeURI(work.doi)}`, work.doi) : work.doi || work.id,
      ),
    ),
    html(
      'td',
      { 'data-name': 'Outcome' },
      html('span', { class: `outcome ${work.outcome}` }, outcomeName(work.outcome)),
      work.outcome !== 'saved' && html('small', { title: data.sentences[work.reason] }, words(work.reason)),
      attempts(work, data),
    ),
    html('td', { 'data-name': 'Found by' }, words(work.resolver) || '–'),
    html('td', { 'data-name': 'Licence' }, work.licence || '–'),
    html(
      'td',
      { 'data-name': 'File' },
      work.file === ''
        ? '–'
        : link(work.file, size(work.bytes), { 'aria-label': `File of ${title}, ${size(work.bytes)}` }),
    ),
  );
}

function attempts(work: WorkLine, data: ReportData): HTMLElement | undefined {
  if (work.lost.length === 0) return undefined;
  return html(
    'details',
    {},
    html('summary', {}, counted(work.lost.length, 'lost try', 'lost tries')),
    html(
      'ul',
      {},
      ...work.lost.map(([resolver, host, reason]) =>
        html('li', { title: data.sentences[reason] }, `${words(resolver)}, ${host}: ${words(reason)}`),
      ),
    ),
  );
}

function tallied(works: readonly WorkLine[], of: (work: WorkLine) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const work of works) counts.set(of(work), (counts.get(of(work)) ?? 0) + 1);
  return counts;
}

function chooser(
  id: string,
  all: string,
  counts: ReadonlyMap<string, number>,
  name: (value: string) => string,
): HTMLSelectElement {
  return html(
    'select',
    { id },
    html('option', { value: '' }, all),
    ...[...counts].map(([value, count]) => html('option', { value }, `${name(value)} (${number(count)})`)),
  );
}

/** A control with its name above it. */
export function field(name: string, control: HTMLElement): HTMLElement {
  return html('label', { class: 'field', for: control.id }, html('span', {}, name), control);
}
