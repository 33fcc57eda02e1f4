import type { StatementSync } from 'node:sqlite';

import type { SqliteConnection } from './connection.ts';

const STEP = 32;

/** Statements that differ only in how many rows they are about, each prepared when it is first needed. */
export class SizedStatements {
  readonly #connection: SqliteConnection;
  readonly #write: (size: number) => string;
  readonly #asArrays: boolean;
  readonly #prepared = new Map<number, StatementSync>();

  constructor(
    connection: SqliteConnection,
    write: (size: number) => string,
    options: { readonly asArrays?: boolean } = {},
  ) {
    this.#connection = connection;
    this.#write = write;
    this.#asArrays = options.asArrays ?? false;
  }

  /** One of that size or a little more: where any number may be asked for, not each gets a statement of its own. */
  atLeast(size: number): StatementSync {
    return this.of(Math.ceil(size / STEP) * STEP);
  }

  of(size: number): StatementSync {
    let statement = this.#prepared.get(size);
    if (!statement) {
      statement = this.#connection.prepare(this.#write(size));
      if (this.#asArrays) statement.setReturnArrays(true);
      this.#prepared.set(size, statement);
    }
    return statement;
  }
}
