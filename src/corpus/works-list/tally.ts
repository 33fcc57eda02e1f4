import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * How many rows of a table there are of each combination of some columns, kept by the database itself with every change:
 * nobody counts a hundred thousand rows again because one of them is new.
 */
export class Tally {
  readonly #read: StatementSync;
  #rows: readonly Record<string, unknown>[] | undefined;

  /** Begins with the rows that are there; what comes later is counted as it comes. */
  constructor(database: DatabaseSync, table: string, columns: readonly string[]) {
    const tally = `${table}_tally`;
    const list = columns.join(', ');
    const add = (row: 'old' | 'new', by: number): string =>
      `INSERT INTO ${tally} VALUES (${columns.map((column) => `${row}.${column}`).join(', ')}, ${by})
       ON CONFLICT DO UPDATE SET rows = rows + excluded.rows;`;
    const isOther = columns.map((column) => `old.${column} IS NOT new.${column}`).join(' OR ');
    database.exec(`
      CREATE TABLE ${tally} (${columns.map((column) => `${column} NOT NULL`).join(', ')}, rows INTEGER NOT NULL, PRIMARY KEY (${list})) WITHOUT ROWID;
      INSERT INTO ${tally} SELECT ${list}, count(*) FROM ${table} GROUP BY ${list};
      CREATE TRIGGER ${table}_counted AFTER INSERT ON ${table} BEGIN ${add('new', 1)} END;
      CREATE TRIGGER ${table}_counted_again AFTER UPDATE ON ${table} WHEN ${isOther} BEGIN ${add('old', -1)} ${add('new', 1)} END;
      CREATE TRIGGER ${table}_counted_no_more AFTER DELETE ON ${table} BEGIN ${add('old', -1)} END;
    `);
    this.#read = database.prepare(`SELECT * FROM ${tally} WHERE rows > 0`);
  }

  /** Every combination with its number of `rows`. */
  all(): readonly Record<string, unknown>[] {
    this.#rows ??= this.#read.all();
    return this.#rows;
  }

  /** To be called after the table was written. */
  changed(): void {
    this.#rows = undefined;
  }
}
