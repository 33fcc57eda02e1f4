import type * as z from 'zod';

import type { EdgeStatement, NodeStatement } from '../graph/index.ts';
import type { cell, column, tableRow } from '../ask/shapes/index.ts';

export type Column = z.output<typeof column>;
export type Cell = z.output<typeof cell>;
export type CellQuote = Cell['quotes'][number];
export type TableRow = z.output<typeof tableRow>;

export interface Table {
  readonly columns: readonly Column[];
  /** Null if no model was used. */
  readonly model: string | null;
  readonly rows: readonly TableRow[];
}

/** What the graph found in a paper. */
export interface Facts {
  readonly nodes: readonly NodeStatement[];
  readonly edges: readonly EdgeStatement[];
}

const EMPTY_REASONS = {
  'not-in-record': 'the record does not say',
  'no-passage': 'no passage of the paper is about it',
  'no-sentence': 'no sentence answers it',
  'not-sure': 'the nearest sentence may not answer it',
  'no-number': 'the nearest sentence has no such number',
  'no-choice': 'the nearest sentence does not clearly name one of the choices',
  'needs-reading': 'yes or no needs a model or a person',
  'model-says-no': 'the model found no answer in the passages',
  'not-a-number': 'the model gave no number of that kind',
  'other-unit': 'the model gave a number in another unit',
  'not-a-choice': 'the model gave none of the choices',
  'not-yes-no': 'the model said neither yes nor no',
  'no-quote': 'the model gave no quote',
  'quote-too-short': 'the quote of the model is too short to show anything',
  'quote-not-in-paper': 'the quote of the model is not in the paper',
  'number-not-in-quote': 'a number of the model is not in its quote',
  'not-supported': 'the quote of the model does not say it',
  contradicted: 'the quote of the model says otherwise',
  corrected: 'a person left it empty',
} as const;
export type EmptyReason = keyof typeof EMPTY_REASONS;

export function empty(reason: EmptyReason, quotes: readonly CellQuote[] = []): Cell {
  return { kind: 'empty', reason, sentence: EMPTY_REASONS[reason], quotes: [...quotes] };
}

/** The cells of a row read from a file; undefined if it is invalid. */
export function readCells(value: unknown, columns: number): Cell[] | undefined {
  const isObject = (each: unknown): each is Record<string, unknown> => typeof each === 'object' && each !== null;
  const isQuote = (quote: unknown): boolean =>
    isObject(quote) &&
    typeof quote['text'] === 'string' &&
    (quote['page'] === null || typeof quote['page'] === 'number') &&
    (quote['row'] === null || (isObject(quote['row']) && Array.isArray(quote['row']['cells']))) &&
    (quote['passage'] === null || (isObject(quote['passage']) && typeof quote['passage']['id'] === 'string'));
  const isCell = (cell: unknown): boolean =>
    isObject(cell) &&
    Array.isArray(cell['quotes']) &&
    cell['quotes'].every(isQuote) &&
    (cell['kind'] === 'value'
      ? typeof cell['value'] === 'string' && typeof cell['from'] === 'string'
      : cell['kind'] === 'empty' && Object.hasOwn(EMPTY_REASONS, String(cell['reason'])));
  if (!Array.isArray(value) || value.length !== columns || !value.every(isCell)) return undefined;
  return (value as Cell[]).map((each) =>
    each.kind === 'empty' ? empty(each.reason as EmptyReason, each.quotes) : each,
  );
}
