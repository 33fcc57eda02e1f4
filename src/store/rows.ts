import type { SQLInputValue } from 'node:sqlite';

/** Statements of a database, prepared once. The caller says which columns a statement selects. */
export interface Rows {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the columns that the statement selects
  get<T = Record<string, unknown>>(sql: string, ...values: SQLInputValue[]): T | undefined;
  all<T = Record<string, unknown>>(sql: string, ...values: SQLInputValue[]): T[];
  /** Returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number;
}
