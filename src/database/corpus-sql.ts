import type { SQLInputValue } from 'node:sqlite';

/** Values by position, or one object with values by name. */
export type SqlValues = readonly SQLInputValue[] | readonly [Readonly<Record<string, SQLInputValue>>];

/**
 * Runs statements on `corpus.sqlite`, each prepared once. What turns log lines into rows needs no more of the database.
 */
export interface CorpusSql {
  /** The first row that a statement selects. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the columns that the statement selects
  get<T = Record<string, unknown>>(sql: string, ...values: SqlValues): T | undefined;
  all<T = Record<string, unknown>>(sql: string, ...values: SqlValues): T[];
  /** Row by row, with a separate statement, so that other queries can run in between. */
  iterate<T = Record<string, unknown>>(sql: string, ...values: SqlValues): Generator<T, void>;
  /** The number that a statement selects; 0 if it selects none. */
  number(sql: string, ...values: SqlValues): number;
  /** How many rows a statement has changed. */
  run(sql: string, ...values: SqlValues): number;
  /** Inserts a row by the names of its columns; returns 0 if there was one with its key and `orElse` leaves it. */
  insert(table: string, row: Readonly<Record<string, SQLInputValue>>, orElse?: '' | 'or ignore' | 'or replace'): number;
  /** A value that the database has as JSON. SQLite does not notice changed bytes inside a text: they show here. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what the column holds
  parse<T>(json: string): T;
}
