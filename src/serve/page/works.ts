import { field, html, link, number, outcomeName, size, words } from '../../report/page/index.ts';
import type { Facet, List, WholeWork, Work } from './answers.ts';
import { address, ask } from './ask.ts';
import { copyButtons } from './copy.ts';
import { historyOf } from './job.ts';
import { PagedRows } from './paged-rows.ts';
import type { Scene, View } from './view.ts';
import { fault, place } from './view.ts';

const COLUMNS = [
  ['title', 'Work'],
  ['year', 'Year'],
  ['outcome', 'Outcome'],
  ['reason', 'Reason'],
  ['licence', 'Licence'],
] as const;
const FACETS = ['outcome', 'reason', 'licence', 'version', 'type'] as const;

/** Every work, to be narrowed down, sorted, looked into and taken along. */
export const worksView: View = async (into, scene, signal) => {
  const { run, query } = scene;
  if (!run) {
    into.replaceChildren(html('p', { class: 'hint' }, 'No run is watched.'));
    return;
  }
  const base = `/runs/${encodeURIComponent(run.id)}`;
  const text = html('input', {
    type: 'search',
    id: 'works-q',
    placeholder: 'title, author, DOI …',
    value: query.get('q') ?? '',
  });
  const year = html('input', {
    type: 'search',
    id: 'works-year',
    placeholder: '2018-2022',
    value: query.get('year') ?? '',
  });
  const selects = Object.fromEntries(
    FACETS.map((name) => [name, html('select', { id: `works-${name}` }, html('option', { value: '' }, 'all'))]),
  ) as Record<(typeof FACETS)[number], HTMLSelectElement>;
  let [sort, order] = [query.get('sort') ?? 'title', query.get('order') ?? 'asc'];
  const wanted = (): Record<string, string> => ({
    q: text.value.trim(),
    year: year.value.trim(),
    ...Object.fromEntries(FACETS.map((name) => [name, selects[name].value])),
    sort,
    order,
  });
  const dialog = html('dialog', { class: 'history', 'aria-label': 'A work' });
  const open = (work: string): void => void openWork(`${base}/works/${encodeURIComponent(work)}`, dialog, scene);
  const rows = new PagedRows<Work>(
    async (cursor) => await ask<List<Work>>(`${base}/works`, { ...wanted(), cursor, limit: 50 }, signal),
    (work) => workRow(work, run.id, open),
    ['work', 'works'],
  );
  const heads = COLUMNS.map(([key, name]) =>
    html(
      'th',
      { scope: 'col', 'data-key': key },
      html(
        'button',
        {
          type: 'button',
          class: 'sort',
          click: () => {
            [sort, order] = [key, sort === key && order === 'asc' ? 'desc' : 'asc'];
            refresh();
          },
        },
        name,
      ),
    ),
  );
  const refresh = (): void => {
    for (const head of heads)
      head.setAttribute(
        'aria-sort',
        head.dataset['key'] !== sort ? 'none' : order === 'asc' ? 'ascending' : 'descending',
      );
    history.replaceState(null, '', place('/works', { run: run.id, ...wanted() }));
    void rows.refresh();
  };
  for (const control of [text, year, ...Object.values(selects)]) control.addEventListener('change', refresh);
  text.addEventListener('input', debounced(refresh));
  into.replaceChildren(
    html(
      'form',
      { class: 'filters', submit: (event: Event) => event.preventDefault() },
      field('Words', text),
      field('Year', year),
      ...FACETS.map((name) =>
        field(name === 'licence' ? 'Licence' : name.charAt(0).toUpperCase() + name.slice(1), selects[name]),
      ),
    ),
    html('div', { class: 'tools' }, rows.status, downloads(base)),
    html(
      'table',
      { class: 'works' },
      html('caption', { class: 'hidden' }, 'Works and what came of them'),
      html(
        'thead',
        {},
        html('tr', {}, ...heads, html('th', { scope: 'col' }, 'Found by'), html('th', { scope: 'col' }, 'File')),
      ),
      rows.body,
    ),
    rows.more,
    dialog,
  );
  const facets = await ask<Readonly<Record<string, readonly Facet[]>>>(`${base}/facets`, {}, signal);
  for (const name of FACETS) {
    selects[name].append(
      ...(facets[name] ?? []).map(({ value, works, sentence }) =>
        html(
          'option',
          { value, title: sentence ?? undefined },
          `${name === 'outcome' ? outcomeName(value) : words(value) || 'unknown'} (${number(works)})`,
        ),
      ),
    );
    selects[name].value = query.get(name) ?? '';
  }
  refresh();
  const named = query.get('work');
  if (named !== null) open(named);
};

const TYPING_MS = 250;

/** Waits until somebody stops typing. */
function debounced(act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, TYPING_MS);
  };
}

function downloads(base: string): HTMLElement {
  const file = (name: string, ending: string): HTMLElement =>
    html('a', { href: address(`${base}/works.${ending}`), download: `works.${ending}` }, name);
  return html(
    'p',
    { class: 'downloads' },
    'Download: ',
    file('CSV', 'csv'),
    ' · ',
    file('BibTeX', 'bib'),
    ' · ',
    file('RIS', 'ris'),
    ' · ',
    file('CSL', 'csl.json'),
  );
}

function workRow(work: Work, run: string, open: (work: string) => void): HTMLElement {
  const title = work.title ?? work.id;
  const cell = (name: string, ...children: readonly (Node | string)[]): HTMLElement =>
    html('td', { 'data-name': name }, ...children);
  return html(
    'tr',
    { 'data-work': work.id },
    html(
      'th',
      { scope: 'row' },
      html('button', { type: 'button', class: 'sort', click: () => open(work.id) }, title),
      html(
        'small',
        {},
        [work.authors, work.venue].filter((each) => each !== null && each !== '').join(' · ') || work.id,
      ),
      work.retracted && html('small', { class: 'retracted' }, 'retracted'),
    ),
    cell('Year', work.year === null ? '–' : String(work.year)),
    cell('Outcome', html('span', { class: `outcome ${work.outcome}` }, outcomeName(work.outcome))),
    html(
      'td',
      { 'data-name': 'Reason', title: work.sentence ?? undefined },
      work.outcome === 'saved' || work.reason === null ? '–' : words(work.reason),
    ),
    cell('Licence', work.licence ?? '–'),
    cell('Found by', work.resolver === null ? '–' : words(work.resolver)),
    cell(
      'File',
      work.document === null
        ? work.bytes === null
          ? '–'
          : size(work.bytes)
        : html(
            'a',
            { href: place('/documents', { run, document: work.document }), 'aria-label': `Read ${title}` },
            work.bytes === null ? 'read' : size(work.bytes),
          ),
    ),
  );
}

async function openWork(path: string, dialog: HTMLDialogElement, scene: Scene): Promise<void> {
  const close = html(
    'button',
    { type: 'button', class: 'quiet', autofocus: true, click: () => dialog.close() },
    'Close',
  );
  dialog.replaceChildren(html('p', { class: 'hint' }, 'Looking it up …'), close);
  dialog.showModal();
  try {
    const work = await ask<WholeWork>(path);
    dialog.replaceChildren(
      html('h2', {}, work.title ?? work.id),
      html('p', { class: 'hint' }, [work.authors, work.year, work.venue].filter((each) => each !== null).join(' · ')),
      work.retracted ? html('p', { class: 'retracted' }, 'This work was retracted.') : '',
      work.doi === null ? '' : html('p', {}, link(`https://doi.org/${encodeURI(work.doi)}`, work.doi)),
      work.abstract === null ? '' : html('p', {}, work.abstract),
      html('div', { class: 'tools' }, ...copyButtons(work, scene.tell)),
      ...historyOf(work.history),
      close,
    );
  } catch (error) {
    dialog.replaceChildren(fault(error), close);
  }
}
