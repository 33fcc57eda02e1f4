import type { DatabaseSync } from 'node:sqlite';

import type { Conditions } from './work-filter.ts';

/** Of a work, in SQL: that it is one of those that were found. */
export const IS_FOUND = 'row IN (SELECT id FROM found)';

/** The works that were looked for last, in a table of their own: whoever turns their pages does not look for them again. */
export class FoundWorks {
  readonly #database: DatabaseSync;
  #last: { readonly sought: string; readonly works: number } | undefined;
  #counted: { readonly facets: string; readonly works: number } | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec('CREATE TEMP TABLE IF NOT EXISTS found (id INTEGER PRIMARY KEY)');
  }

  /** Writes down which works have what is sought, unless that was sought last. */
  find({ conditions, values }: Conditions): void {
    const sought = JSON.stringify([conditions, values]);
    if (this.#last?.sought === sought) return;
    this.forget();
    this.#database.exec('DELETE FROM found');
    const { changes } = this.#database
      .prepare(`INSERT INTO found SELECT row FROM works WHERE ${conditions.join(' AND ')} ORDER BY row`)
      .run(values);
    this.#last = { sought, works: Number(changes) };
  }

  /** How many of them have some facets. */
  count({ conditions, values }: Conditions): number {
    if (conditions.length === 0) return this.#last?.works ?? 0;
    const facets = JSON.stringify([conditions, values]);
    if (this.#counted?.facets !== facets) {
      const row = this.#database
        .prepare(`SELECT count(*) AS works FROM works WHERE ${[...conditions, IS_FOUND].join(' AND ')}`)
        .get(values);
      this.#counted = { facets, works: Number(row?.['works'] ?? 0) };
    }
    return this.#counted.works;
  }

  /** To be called after works have changed. */
  forget(): void {
    this.#last = undefined;
    this.#counted = undefined;
  }
}
