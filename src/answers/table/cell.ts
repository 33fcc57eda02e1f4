import type { z } from 'zod';

import type { cell, column, tableRow } from '../shapes/index.ts';

export type Column = z.output<typeof column>;
export type Cell = z.output<typeof cell>;
export type CellQuote = NonNullable<Cell['quote']>;
export type TableRow = z.output<typeof tableRow>;

export interface Table {
  readonly columns: readonly Column[];
  /** Null if no model was used. */
  readonly model: string | null;
  readonly rows: readonly TableRow[];
}

const EMPTY_REASONS = {
  'not-in-record': 'the record does not say',
  'no-passage': 'no passage of the paper is about it',
  'no-sentence': 'no sentence answers it',
  'no-number': 'the nearest sentence has no such number',
  'no-choice': 'the nearest sentence does not clearly name one of the choices',
  'needs-reading': 'yes or no needs a model or a person',
  'model-says-no': 'the model found no answer',
  'quote-refused': 'the quote of the model is not in the paper',
  corrected: 'a person left it empty',
} as const;
type EmptyReason = keyof typeof EMPTY_REASONS;

export function empty(reason: EmptyReason, quote: CellQuote | null = null): Cell {
  return { kind: 'empty', reason, sentence: EMPTY_REASONS[reason], quote };
}

/** The cells of a row read from a file; undefined if it is invalid. */
export function readCells(value: unknown, columns: number): Cell[] | undefined {
  const isObject = (each: unknown): each is Record<string, unknown> => typeof each === 'object' && each !== null;
  const isQuote = (quote: unknown): boolean =>
    quote === null ||
    (isObject(quote) &&
      typeof quote['text'] === 'string' &&
      (quote['page'] === null || typeof quote['page'] === 'number') &&
      (quote['passage'] === null || (isObject(quote['passage']) && typeof quote['passage']['id'] === 'string')));
  const isCell = (cell: unknown): boolean =>
    isObject(cell) &&
    isQuote(cell['quote']) &&
    (cell['kind'] === 'value'
      ? typeof cell['value'] === 'string' && typeof cell['from'] === 'string'
      : cell['kind'] === 'empty' && Object.hasOwn(EMPTY_REASONS, String(cell['reason'])));
  if (!Array.isArray(value) || value.length !== columns || !value.every(isCell)) return undefined;
  return (value as Cell[]).map((each) =>
    each.kind === 'empty' ? empty(each.reason as EmptyReason, each.quote) : each,
  );
}
