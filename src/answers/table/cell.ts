import type { CitedWork } from '../../corpus/index.ts';
import type { Column } from './columns.ts';

/** The source of a cell's value. */
type CellSource = 'record' | 'quantity' | 'extractive' | 'model' | 'corrected';

/** Words of the paper that support a cell. */
export interface CellQuote {
  readonly text: string;
  readonly page: number | null;
  /** The passage and character offsets in it; null for values from the graph. */
  readonly passage: { readonly id: string; readonly start: number; readonly end: number } | null;
}

/** A cell: a value, or the reason why there is none, with the closest sentence. */
export type Cell =
  | { readonly kind: 'value'; readonly value: string; readonly from: CellSource; readonly quote: CellQuote | null }
  | { readonly kind: 'empty'; readonly reason: EmptyReason; readonly quote: CellQuote | null };

export const EMPTY_REASONS = {
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
export type EmptyReason = keyof typeof EMPTY_REASONS;

/** The cells of a row read from a file; undefined if it is invalid. */
export function readCells(value: unknown, columns: number): readonly Cell[] | undefined {
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
  return Array.isArray(value) && value.length === columns && value.every(isCell) ? (value as Cell[]) : undefined;
}

export interface TableRow {
  readonly document: string;
  readonly work: Pick<CitedWork, 'id' | 'title' | 'year' | 'apa' | 'doi'> | null;
  readonly link: string | null;
  /** In the order of the columns. */
  readonly cells: readonly Cell[];
}

export interface Table {
  readonly columns: readonly Column[];
  /** Null if no model was used. */
  readonly model: string | null;
  readonly rows: readonly TableRow[];
}
