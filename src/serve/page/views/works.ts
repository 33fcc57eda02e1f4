import type { Facets, WholeWork, Work } from '../answers.ts';
import { number, outcomeName, size, words } from '../format.ts';
import {
  CopyButtons,
  Dialog,
  filters,
  historyOf,
  link,
  listTable,
  QueryChoice,
  QueryField,
  saveText,
} from '../parts.ts';
import type { Scene, View } from '../scene.ts';
import { button, html, shown, useAnswer, usePaged, useScene } from '../scene.ts';

const COLUMNS = [
  ['title', 'Work', true],
  ['year', 'Year'],
  ['outcome', 'Outcome'],
  ['reason', 'Reason'],
  ['licence', 'Licence'],
  'Found by',
  'File',
] as const;
const FACETS = ['outcome', 'reason', 'licence', 'version', 'type'] as const;
const EXPORTS = [
  ['CSV', 'works.csv'],
  ['BibTeX', 'works.bib'],
  ['RIS', 'works.ris'],
  ['CSL', 'works.csl.json'],
] as const;

export function WorksView(): View {
  const scene = useScene();
  const { source, query, set, runPath } = scene;
  const [sort, order] = [query.get('sort') ?? 'title', query.get('order') ?? 'asc'];
  const filter = Object.fromEntries(['q', 'year', ...FACETS].map((name) => [name, query.get(name)]));
  const asked = { ...filter, sort, order, limit: 50 };
  const { rows, status, more } = usePaged<Work>(runPath('works'), asked, 'work');
  const facets = useAnswer<Facets>(runPath('facets'));
  const options = (name: (typeof FACETS)[number]): (readonly [string, string])[] => [
    ['', 'all'],
    ...(facets.kind === 'answered' ? facets.value[name] : []).map(
      ({ value, works }) =>
        [
          value,
          `${name === 'outcome' ? outcomeName(value) : value === 'none' ? 'unknown' : words(value)} (${number(works)})`,
        ] as const,
    ),
  ];
  const exportCsv = (): void => void source.exportCsv?.(filter).then((csv) => saveText('works.csv', 'text/csv', csv));
  const opened = query.get('work');
  return [
    filters([
      html`<${QueryField} name="Words" parameter="q" hint="title, author, DOI …" />`,
      html`<${QueryField} name="Year" parameter="year" hint="2018-2022" />`,
      FACETS.map((name) => {
        const title = name.charAt(0).toUpperCase() + name.slice(1);
        return html`<${QueryChoice} name=${title} parameter=${name} options=${options(name)} />`;
      }),
    ]),
    html`<div class="tools">
      ${status}
      <p class="downloads">
        Export:
        ${
          source.exportCsv
            ? button('CSV', exportCsv)
            : EXPORTS.map(([name, file]) => html` <a href=${source.file(runPath(file))} download=${file}>${name}</a>`)
        }
      </p>
    </div>`,
    listTable(
      'Works and their outcomes',
      COLUMNS,
      rows.map((work) => workRow(work, scene)),
      'works',
    ),
    more,
    opened !== null &&
      html`<${Dialog} label="A work" close=${() => set({ work: '' })} key=${opened}><${OneWork} id=${opened} /><//>`,
  ];
}

function workRow(work: Work, { place, set }: Scene) {
  const title = work.title ?? work.id;
  const bytes = work.bytes === null ? '–' : size(work.bytes);
  const to = place('/documents', { document: work.document });
  const file = html`<a href=${to} aria-label=${`Read ${title}`}>${work.bytes === null ? 'read' : bytes}</a>`;
  const reason = work.outcome === 'saved' || work.reason === null ? '–' : words(work.reason);
  return {
    key: work.id,
    more: { 'data-work': work.id },
    head: html`${button(title, () => set({ work: work.id }), { class: 'sort' })}
      <small>${[work.authors, work.venue].filter((each) => each).join(' · ') || work.id}</small>
      ${work.retracted && html`<small class="retracted">retracted</small>`}`,
    cells: [
      work.year ?? '–',
      html`<span class=${`outcome ${work.outcome}`}>${outcomeName(work.outcome)}</span>`,
      html`<span title=${work.sentence}>${reason}</span>`,
      work.licence ?? '–',
      work.resolver === null ? '–' : words(work.resolver),
      work.document === null ? bytes : file,
    ],
  };
}

function OneWork({ id }: { readonly id: string }): View {
  const { runPath } = useScene();
  return shown(useAnswer<WholeWork>(runPath('works', id)), (work) => [
    html`<h2>${work.title ?? work.id}</h2>`,
    html`<p class="hint">${[work.authors, work.year, work.venue].filter((each) => each).join(' · ')}</p>`,
    work.retracted && html`<p class="retracted">This work was retracted.</p>`,
    work.doi !== null && html`<p>${link(`https://doi.org/${encodeURI(work.doi)}`, work.doi)}</p>`,
    work.abstract !== null && html`<p>${work.abstract}</p>`,
    html`<div class="tools"><${CopyButtons} ...${work} /></div>`,
    historyOf(work.history),
  ]);
}
