import type { QuotedRow } from '../../../ask/shapes/index.ts';
import type { View } from '../scene.ts';
import { html } from '../scene.ts';

/** A row of a table as one reads it: the table, the name of the row, and each cell below the name of its column. */
export function rowView({ table, group, row, cells }: QuotedRow): View {
  return html`<figure class="quoted-row">
    ${table !== '' && html`<figcaption>${table}</figcaption>`}
    <dl>
      <div class="name">
        <dt>${group || 'Row'}</dt>
        <dd>${row || 'without a name'}</dd>
      </div>
      ${cells.map(
        ({ column, value }) =>
          html`<div>
            <dt>${column || 'no heading'}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
  </figure>`;
}
