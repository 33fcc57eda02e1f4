import type { QuotedRow } from '../shapes/index.ts';

// For the page too: no schemas, whose library would come with them.

/** A row as a sentence: its table, its name, and each cell after the name of its column. */
export function rowSentence({ table, group, row, cells }: QuotedRow): string {
  const name = [group ?? '', row].filter((part) => part !== '').join(', ');
  const named = cells.map(({ column, value }) => (column === '' ? value : `${column}: ${value}`));
  return [table, [name, ...named].filter((part) => part !== '').join('; ')].filter((part) => part !== '').join(' | ');
}
