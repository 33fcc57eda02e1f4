import { html } from './element.ts';

type Column<T> = readonly [name: string, key: (row: T) => string | number];

/** Which column a table is sorted by, and the heads that change it: up, down, and back to the order of the run. */
export class SortedBy<T> {
  readonly heads: readonly HTMLTableCellElement[];
  readonly #columns: readonly Column<T>[];
  #by: { readonly column: number; readonly down: boolean } | undefined;

  constructor(columns: readonly Column<T>[], changed: () => void) {
    this.#columns = columns;
    this.heads = columns.map(([name], column) =>
      html(
        'th',
        { scope: 'col', 'aria-sort': 'none' },
        html(
          'button',
          {
            type: 'button',
            class: 'sort',
            click: () => {
              this.#turn(column);
              changed();
            },
          },
          name,
        ),
      ),
    );
  }

  /** The rows in the chosen order; rows that are alike keep the order they had. */
  order(rows: readonly T[]): readonly T[] {
    if (!this.#by) return rows;
    const key = this.#columns[this.#by.column]?.[1];
    if (!key) return rows;
    const sign = this.#by.down ? -1 : 1;
    return rows
      .map((row) => [key(row), row] as const)
      .sort(([a], [b]) => (a < b ? -sign : a > b ? sign : 0))
      .map(([, row]) => row);
  }

  #turn(column: number): void {
    if (this.#by?.column !== column) this.#by = { column, down: false };
    else this.#by = this.#by.down ? undefined : { column, down: true };
    for (const [at, head] of this.heads.entries())
      head.setAttribute('aria-sort', this.#by?.column !== at ? 'none' : this.#by.down ? 'descending' : 'ascending');
  }
}
