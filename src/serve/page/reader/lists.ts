import { useEffect, useState } from 'preact/hooks';

import type { Citation, WholeDocument } from '../answers.ts';
import { csvLine } from '../../../base/text/index.ts';
import { link, saveText } from '../parts.ts';
import type { View } from '../scene.ts';
import { button, html, useLoaded, useScene } from '../scene.ts';
import { citationsOf } from './citations.ts';
import type { Block } from './entries.ts';
import type { Quoted } from './selection-bar.ts';

const ROWS_SHOWN = 40;

interface ListProps {
  readonly found: WholeDocument;
  /** Shows a block on its page. */
  readonly show: (block: Block) => void;
}

/** Where a block is, as a button that shows it there. */
function place(block: Block, show: (block: Block) => void): View {
  const page = block.regions[0]?.page;
  return button(page === undefined ? 'Show' : `Page ${page}`, () => show(block), {
    'aria-label': `Show ${block.caption?.slice(0, 60) ?? block.text.slice(0, 60)}${page === undefined ? '' : `, page ${page}`}`,
  });
}

const PLACES_SHOWN = 6;

/** Which references are listed. */
type Listed = 'all' | 'page' | 'words';

/** The references of a paper, and where it cites them: those that are in this library open there, others by their DOI. */
export function ReferenceList(
  props: ListProps & {
    readonly page: number;
    /** The words that were selected, or that the address names. */
    readonly quoted: Quoted;
    /** Called when a place on a page is opened. */
    readonly leave: () => void;
  },
): View {
  const { found, show, page, quoted, leave } = props;
  const { source, reading, runPath } = useScene();
  const [chosen, setChosen] = useState<Listed>();
  const [fetched] = useLoaded(found.id, async (signal): Promise<readonly Citation[]> => {
    if (source.report) return [];
    const path = runPath('documents', found.id, 'citations');
    return (await source.get<{ readonly items: readonly Citation[] }>(path, {}, signal)).items;
  });
  useEffect(() => setChosen(undefined), [quoted.quote]);
  const references = found.blocks.filter(({ tag }) => tag === 'reference');
  if (references.length === 0) return html`<p class="hint">No list of references was recognised.</p>`;
  const citations = fetched.kind === 'answered' ? fetched.value : [];
  const cited = (some: readonly Citation[]): ReadonlySet<number> => new Set(some.flatMap((each) => each.references));
  const sets: Readonly<Record<Listed, ReadonlySet<number>>> = {
    words: cited(citationsOf(citations, quoted)),
    page: cited(citations.filter((each) => each.page === page)),
    all: new Set(references.map(({ order }) => order)),
  };
  const listed = chosen ?? (sets.words.size > 0 ? 'words' : 'all');
  const names: Readonly<Record<Listed, string>> = {
    words: `Cited by the sentence (${sets.words.size})`,
    page: `Cited on page ${page} (${sets.page.size})`,
    all: `All (${references.length})`,
  };
  const there = (Object.keys(names) as Listed[]).filter((each) => each === 'all' || sets[each].size > 0);
  const here = references.filter(({ cites }) => cites !== null).length;
  return [
    html`<p class="hint">
      ${`${references.length} references, ${here === 0 ? 'none' : here} of them in this library.`}
      ${quoted.quote !== '' && fetched.kind === 'answered' && sets.words.size === 0 && ' No work was recognised that the sentence cites.'}
    </p>`,
    there.length > 1 &&
      html`<div class="switch which" role="group" aria-label="Which references">
        ${there.map((each) => button(names[each], () => setChosen(each), { 'aria-pressed': String(each === listed) }))}
      </div>`,
    html`<ol class="side listed" tabindex="0" aria-label="References">
      ${references
        .filter(({ order }) => sets[listed].has(order))
        .map(
          (block) =>
            html`<li key=${block.order}>
              <span>${block.text}</span>
              <span class="acts">
                ${place(block, show)}
                ${block.cites !== null && html`<a class="cited" href=${reading({ work: block.cites })}>Open in the library</a>`}
                ${block.doi !== null && link(`https://doi.org/${encodeURI(block.doi)}`, 'DOI')}
              </span>
              <${CitedAt}
                citations=${citations.filter((each) => each.references.includes(block.order))}
                document=${found.id}
                leave=${leave}
              />
            </li>`,
        )}
    </ol>`,
  ];
}

/** The sentences that cite a reference, each as a link to its place. */
function CitedAt(props: {
  readonly citations: readonly Citation[];
  readonly document: string;
  readonly leave: () => void;
}): View {
  const { citations, document, leave } = props;
  const { reading } = useScene();
  const sentences = [...new Map(citations.map((each) => [each.sentence, each])).values()];
  if (sentences.length === 0) return undefined;
  const more = sentences.length - PLACES_SHOWN;
  return html`<small
    >${'Cited '}
    ${sentences
      .slice(0, PLACES_SHOWN)
      .map(({ sentence, page }, at) => [
        at > 0 && ', ',
        html`<a
          href=${reading({ document, page, quote: sentence.slice(0, 600), beside: 'references' })}
          title=${sentence}
          onClick=${leave}
          >${page === null ? `in sentence ${at + 1}` : `on page ${page}`}</a
        >`,
      ])}
    ${more > 0 && ` and ${more} more`}</small
  >`;
}

/** Figures with their captions, tables as data. */
export function FigureList({ found, show }: ListProps): View {
  const listed = found.blocks.filter(({ tag }) => tag === 'picture' || tag === 'table');
  if (listed.length === 0) return html`<p class="hint">No figures or tables were recognised.</p>`;
  return html`<ol class="side listed" tabindex="0" aria-label="Figures and tables">
    ${listed.map(
      (block) =>
        html`<li key=${block.order}>
          <strong>${block.tag === 'table' ? 'Table' : 'Figure'}</strong>
          <span>${block.caption ?? (block.tag === 'table' ? '' : block.text)}</span>
          ${block.rows && block.rows.length > 0 && html`<${DataTable} rows=${block.rows} name=${block.caption ?? 'Table'} />`}
          <span class="acts">
            ${place(block, show)}
            ${block.rows && button('CSV', () => saveText(`table-${block.order}.csv`, 'text/csv', block.rows?.map((row) => csvLine(row)).join('') ?? ''), { 'aria-label': `Save as CSV: ${block.caption?.slice(0, 60) ?? 'table'}` })}
          </span>
        </li>`,
    )}
  </ol>`;
}

function DataTable({ rows, name }: { readonly rows: readonly (readonly string[])[]; readonly name: string }): View {
  return html`<details>
    <summary>${rows.length} rows</summary>
    <div class="wide" tabindex="0" role="group" aria-label=${name}>
      <table class="data">
        <tbody>
          ${rows.slice(0, ROWS_SHOWN).map(
            (row) =>
              html`<tr>
                ${row.map((text) => html`<td>${text}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${rows.length > ROWS_SHOWN && html`<p class="hint">${rows.length - ROWS_SHOWN} more rows in the CSV.</p>`}
  </details>`;
}
