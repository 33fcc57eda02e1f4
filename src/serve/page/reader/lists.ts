import type { WholeDocument } from '../answers.ts';
import { csvLine } from '../../../base/text/index.ts';
import { link, saveText } from '../parts.ts';
import type { View } from '../scene.ts';
import { button, html, useScene } from '../scene.ts';
import type { Block } from './entries.ts';

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

/** The references of a paper: those that are in this library open there, others by their DOI. */
export function ReferenceList({ found, show }: ListProps): View {
  const { reading } = useScene();
  const references = found.blocks.filter(({ tag }) => tag === 'reference');
  if (references.length === 0) return html`<p class="hint">No list of references was recognised.</p>`;
  const here = references.filter(({ cites }) => cites !== null).length;
  return [
    html`<p class="hint">
      ${here === 0 ? `${references.length} references, none of them in this library.` : `${references.length} references, ${here} of them in this library.`}
    </p>`,
    html`<ol class="side listed" tabindex="0" aria-label="References">
      ${references.map(
        (block) =>
          html`<li key=${block.order}>
            <span>${block.text}</span>
            <span class="acts">
              ${place(block, show)}
              ${block.cites !== null && html`<a class="cited" href=${reading({ work: block.cites })}>Open in the library</a>`}
              ${block.doi !== null && link(`https://doi.org/${encodeURI(block.doi)}`, 'DOI')}
            </span>
          </li>`,
      )}
    </ol>`,
  ];
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
