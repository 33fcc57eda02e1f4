import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { DocumentLine, Facets, SavedSet, Work } from '../answers.ts';
import { counted, number, outcomeName, size, typed, words } from '../format.ts';
import type { ListRow } from '../parts.ts';
import { CopyLink, filters, listTable, QueryChoice, QueryField, saveText } from '../parts.ts';
import { filterText } from '../filter-text.ts';
import type { Scene, View } from '../scene.ts';
import { button, html, messageOf, useAnswer, usePaged, useScene } from '../scene.ts';
import type { Query } from '../source.ts';

const COLUMNS = [
  ['title', 'Work', true],
  ['year', 'Year'],
  ['outcome', 'Outcome'],
  ['reason', 'Reason'],
  ['licence', 'Licence'],
  'Found by',
  'File',
] as const;
const NONE = '–';
/** Filters without a field here, which a search may have set. */
const CARRIED = ['author', 'venue'] as const;
const DECISIONS = [
  ['', 'Decision: all'],
  ['included', 'included'],
  ['excluded', 'excluded'],
  ['none', 'not decided'],
] as const;
const FACETS = ['outcome', 'reason', 'licence', 'version', 'type'] as const;
const EXPORTS = [
  ['CSV', 'works.csv'],
  ['BibTeX', 'works.bib'],
  ['RIS', 'works.ris'],
  ['CSL', 'works.csl.json'],
] as const;

export function WorksView(): View {
  const { run } = useScene();
  return run?.works === 0 && run.documents > 0 ? html`<${DocumentList} />` : html`<${WorkList} />`;
}

function WorkList(): View {
  const scene = useScene();
  const { source, about, query, set, runPath } = scene;
  const [sort, order] = [query.get('sort') ?? 'title', query.get('order') ?? 'asc'];
  const filter = Object.fromEntries(
    ['q', 'year', 'label', ...CARRIED, ...FACETS].map((name) => [name, query.get(name)]),
  );
  const isFiltered = Object.values(filter).some((value) => value !== null);
  const asked = { ...filter, sort, order, limit: 50 };
  const { rows, status, more } = usePaged<Work>(runPath('works'), asked, 'work');
  const facets = useAnswer<Facets>(runPath('facets'));
  const options = (name: (typeof FACETS)[number]): (readonly [string, string])[] => [
    ['', `${facetName(name)}: all`],
    ...(facets.kind === 'answered' ? facets.value[name] : []).map(
      ({ value, works }) =>
        [
          value,
          `${name === 'outcome' ? outcomeName(value) : value === 'none' ? 'unknown' : words(value)} (${number(works)})`,
        ] as const,
    ),
  ];
  const exportCsv = (): void => void source.exportCsv?.(filter).then((csv) => saveText('works.csv', 'text/csv', csv));
  return [
    filters(
      [
        html`<${QueryField} name="Words" parameter="q" hint="title, author, DOI" />`,
        html`<${QueryField} name="Year" parameter="year" hint="years: 2018-2022" />`,
        FACETS.map(
          (name) => html`<${QueryChoice} name=${facetName(name)} parameter=${name} options=${options(name)} />`,
        ),
        !source.report && html`<${QueryChoice} name="Decision" parameter="label" options=${DECISIONS} />`,
        CARRIED.map((name) => {
          const value = query.get(name);
          return (
            value !== null &&
            button(`${name}: ${value} ×`, () => set({ [name]: '' }), { 'aria-label': `Not only the ${name} ${value}` })
          );
        }),
      ],
      'slim',
    ),
    html`<div class="tools">
      ${status}
      <p class="downloads acts">
        ${isFiltered && [html`<${CopyLink} />`, ' ', !source.report && about.control && html`<${SaveSet} filter=${filter} />`]}
        ${isFiltered ? 'Export these:' : 'Export:'}
        ${
          source.exportCsv
            ? button('CSV', exportCsv)
            : EXPORTS.map(
                ([name, file]) => html` <a href=${source.file(runPath(file), filter)} download=${file}>${name}</a>`,
              )
        }
      </p>
    </div>`,
    worksTable(rows.map((work) => workRow(work, scene))),
    more,
    rows.length === 0 && html`<${NothingListed} isFiltered=${isFiltered} />`,
  ];
}

/** Keeps what is listed under a name, to search it, ask it or fill a table of it. */
function SaveSet({ filter }: { readonly filter: Query }): View {
  const { source, runPath, notify, place } = useScene();
  const [isOpen, setOpen] = useState(false);
  const [saved, setSaved] = useState<SavedSet>();
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), [isOpen]);
  useEffect(() => setSaved(undefined), [filterText(filter)]);
  if (saved)
    return html`<span role="status">
      ${`“${saved.name}”: ${counted(saved.size, 'work')}.`}${' '}
      <a href=${place('/search', { works: saved.name })}>Search</a>${' '}
      <a href=${place('/ask', { works: saved.name })}>Ask</a>${' '}
      <a href=${place('/table', { works: saved.name })}>Table</a>
    </span>`;
  if (!isOpen) return button('Save as a set', () => setOpen(true));
  const submit = (event: Event): void => {
    event.preventDefault();
    const name = input.current?.value.trim().replaceAll(/\s+/g, '-') ?? '';
    source.post<{ readonly items: readonly SavedSet[] }>(runPath('set'), { name, filter: filterText(filter) }).then(
      ({ items }) => setSaved(items[0]),
      (error: unknown) => notify(`Not saved: ${messageOf(error)}.`),
    );
  };
  return html`<form class="naming-set" onSubmit=${submit}>
    <input
      name="set"
      aria-label="Name of the set"
      placeholder="a name, such as oils"
      required
      maxlength="100"
      ref=${input}
    />
    <button type="submit" class="quiet">Save</button>
  </form>`;
}

/** Columns in which no row says anything are left out. */
function worksTable(rows: readonly ListRow[]): View {
  const isUsed = COLUMNS.slice(1).map((_, at) => rows.some(({ cells }) => cells[at] !== NONE));
  return listTable(
    'Works and their outcomes',
    COLUMNS.filter((_, at) => at === 0 || isUsed[at - 1]),
    rows.map((row) => ({ ...row, cells: row.cells.filter((_, at) => isUsed[at]) })),
    'works dense',
  );
}

function facetName(name: (typeof FACETS)[number]): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Why the list is empty, and what to do about it. */
function NothingListed({ isFiltered }: { readonly isFiltered: boolean }): View {
  const { run, place } = useScene();
  if (run && run.works > 0)
    return isFiltered && html`<p class="note">No work has all of this. <a href=${place('/works')}>Show all</a></p>`;
  return html`<p class="note">
    Nothing is listed yet. Add works by topic:${' '}
    <code>docstokg run --topic "coral bleaching" --max 50 --out ${typed(run?.folder)}</code>, or read papers that you
    have:${' '}
    <code>docstokg run --input papers/ --out ${typed(run?.folder)}</code>
  </p>`;
}

/** Documents of which no work is known, as `docparse` leaves them. */
function DocumentList(): View {
  const { query, reading, runPath } = useScene();
  const q = query.get('q');
  const { rows, status, more } = usePaged<DocumentLine>(runPath('documents'), { q, limit: 50 }, 'document');
  return [
    filters(html`<${QueryField} name="Words" parameter="q" hint="words of a title" />`, 'slim'),
    status,
    listTable(
      'Parsed documents',
      ['Document', 'State'],
      rows.map((line) => ({
        key: line.id,
        more: { class: query.get('document') === line.id ? 'open' : '' },
        head: html`<a href=${reading({ document: line.id })}>${line.title ?? line.id}</a>
          <small>${line.authors ?? line.id}</small>`,
        cells: [line.failure ?? lastStep(line)],
      })),
      'works dense',
    ),
    more,
  ];
}

function lastStep({ parsed, chunked, embedded }: DocumentLine): string {
  if (parsed === 'needs-ocr') return 'scanned: needs OCR';
  return embedded !== null ? 'embedded' : chunked !== null ? 'chunked' : parsed !== null ? 'parsed' : 'not parsed yet';
}

function workRow(work: Work, { reading, query }: Scene): ListRow {
  const title = work.title ?? work.id;
  const isOpen = query.get('work') === work.id || (work.document !== null && query.get('document') === work.document);
  const reason =
    work.outcome === 'saved' || work.reason === null
      ? NONE
      : html`<span title=${work.sentence}>${words(work.reason)}</span>`;
  return {
    key: work.id,
    more: { 'data-work': work.id, class: isOpen ? 'open' : '' },
    head: html`<a href=${reading({ document: work.document, work: work.id })} title=${title}>${title}</a>
      <small>
        ${work.retracted && html`<strong class="retracted">retracted </strong>`}
        ${[work.authors, work.venue].filter((each) => each).join(' · ') || work.id}
      </small>`,
    cells: [
      work.year ?? NONE,
      html`<span class=${`outcome ${work.outcome}`}>${outcomeName(work.outcome)}</span>`,
      reason,
      work.licence ?? NONE,
      work.resolver === null ? NONE : words(work.resolver),
      work.bytes === null ? NONE : size(work.bytes),
    ],
  };
}
